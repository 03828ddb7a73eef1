import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { violationsOf } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { call } from './signed-call.ts';
import { Stack } from './stack.ts';

// The operator's dashboard as it is shipped: by link, by keyboard, on a phone and a desk, in light and dark.

/** What somebody would write who wants to be more than text. */
const HOSTILE = [
  '<img src=x onerror="document.title=`owned`">',
  '"><script>document.title="owned"</script>',
  "javascript:document.title='owned'",
  '{{constructor.constructor("document.title=1")()}} ${document.title=1}',
  '</textarea></title><svg onload=document.title=1>',
  '‮gnp.exe &lt;b&gt; \u0000'.replace('\u0000', ''),
];

interface Desk {
  stack: Stack;
  /** What the profile's address was told. */
  told: string[];
  /** What it answers. */
  answer: { status: number; text: string };
}

const test = base.extend<object, { desk: Desk }>({
  desk: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const desk: Omit<Desk, 'stack'> = { told: [], answer: { status: 200, text: 'thanks' } };
      const receiver = await receive(desk);
      const port = (receiver.address() as AddressInfo).port;
      const settings = { CALLBACK_URL: `http://127.0.0.1:${port}/hook`, OUTBOUND_ALLOW: `127.0.0.1/32:${port}` };
      const stack = await Stack.start(settings, ['gateway']);
      await use({ ...desk, stack });
      await stack.stop();
      receiver.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});
test.use({ baseURL: async ({ desk }, use) => use(desk.stack.gatewayUrl) });

async function receive(desk: Pick<Desk, 'told' | 'answer'>): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      desk.told.push(body);
      response.statusCode = desk.answer.status;
      response.end(desk.answer.text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

/** What the command line prints: the gateway keeps the hash of it only. */
async function link({ stack }: Desk): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(token).digest('hex');
  await stack.sql(
    `insert into dashboard_link (token_hash, account_id, email, created_at_real, expires_at_real)
     values ($1, $2, 'ada@example.com', now(), now() + interval '10 minutes')`,
    [hash, stack.credentials.account_id],
  );
  return `/dashboard/sign-in/#${token}`;
}

async function enter(page: Page, desk: Desk): Promise<void> {
  await page.goto(await link(desk));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Needs attention');
}

/** A view that has loaded. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`/dashboard/${path}`);
  await loaded(page);
}
const loaded = (page: Page) => expect(page.locator('main [aria-busy=false]').first()).toBeAttached();
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const said = (page: Page) => page.getByRole('status');

const invoice = async ({ stack }: Desk, members: Record<string, unknown> = {}): Promise<string> => {
  const { credentials } = stack;
  const order = { profile_id: credentials.profile_id, amount: '80', currency: 'USD', kind: 'BTC', ...members };
  const { status, body } = await call(stack, 'POST', '/v1/invoices/', order);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.result.id as string;
};

/** A payout that is too much for its key. */
async function draft(desk: Desk, members: Record<string, unknown> = {}): Promise<string> {
  const { stack } = desk;
  const id = await invoice(desk, { amount: '500' });
  await stack.sandbox('pay', { invoice_id: id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  await stack.sql("update api_key set max_payout = 10 where name = 'API'");
  const recipients = [{ amount: '0.001', currency: 'BTC', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', notes: HOSTILE[0] }];
  const order = { profile_id: stack.credentials.profile_id, kind: 'BTC', recipients, ...members };
  const { status, body } = await call(stack, 'POST', '/v1/payouts/', order);
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.result.status).toBe('draft');
  return body.result.id as string;
}

test('a link signs in once, for whoever presses the button; without it nothing is shown', async ({ page, desk }) => {
  await page.goto('/dashboard/invoices/');
  await expect(heading(page)).toHaveText('Sign in');
  await expect(page.locator('main')).toContainText('npm run gateway -- login');
  const address = await link(desk);
  // A previewer opens it and does nothing.
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await page.goto('about:blank');
  await page.goto(address);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText('Needs attention');
  await expect(page).toHaveURL('/dashboard/');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ name: 'dashboard', httpOnly: true, sameSite: 'Strict', path: '/dashboard/' });
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(heading(page)).toHaveText('Sign in');
  expect(await page.context().cookies()).toEqual([]);
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('This link was used, has expired, or never existed.');
});

test('a session that ended says so, and nothing of it is left on the page', async ({ page, desk }) => {
  await enter(page, desk);
  await open(page, 'invoices/');
  await desk.stack.sql('delete from dashboard_session');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText('your session has ended');
  await expect(heading(page)).toBeFocused();
  await expect(page.getByRole('table')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
});

test('every view is reached with the keyboard, has an address, and comes back by it', async ({ page, desk }) => {
  const id = await invoice(desk);
  await desk.stack.sandbox('pay', { invoice_id: id });
  await enter(page, desk);
  const views = ['Invoices', 'Transactions', 'Payouts', 'Balances', 'Rules', 'Callbacks', 'Send a test transaction'];
  for (const [index, title] of views.entries()) {
    await page.reload();
    await loaded(page);
    // Past the link to the content, signing out and the views before it.
    for (let press = 0; press < index + 4; press += 1) await page.keyboard.press('Tab');
    const focused = page.locator('a:focus');
    expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText(title);
    await expect(heading(page)).toBeFocused();
    await expect(page).toHaveTitle(`${title} – Dashboard`);
    await expect(page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')).toHaveCount(1);
    await loaded(page);
    await page.reload();
    await expect(heading(page)).toHaveText(title);
  }
  await page.goBack();
  await expect(heading(page)).toHaveText('Callbacks');
  // The first tab of a page skips what is the same on all of them.
  await page.reload();
  await loaded(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toBeFocused();
  await open(page, 'invoices/');
  await page.getByRole('link', { name: id.slice(0, 8) }).focus();
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText(`Invoice ${id.slice(0, 8)}`);
  await expect(heading(page)).toBeFocused();
  await expect(page.getByRole('table', { name: 'Transactions that paid this invoice' })).toBeVisible();
  await page.goto('/dashboard/nothing/');
  await expect(heading(page)).toHaveText('Nothing here');
});

test('lists are filtered and turned, in their address, and the number is said', async ({ page, desk }) => {
  // One after the other: a key's nonces must arrive in order.
  for (let made = 0; made < 29; made += 1) await invoice(desk, { kind: 'LTC', amount: made < 3 ? '80' : '5' });
  await enter(page, desk);
  await open(page, 'invoices/');
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/?p=2');
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('Page 2 of');
  await page.getByLabel('Status').selectOption('expired');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/?status=expired');
  await expect(said(page)).toHaveText('0 invoices.');
  await expect(page.getByRole('button', { name: 'Filter' })).toBeFocused();
  await expect(page.getByText('Nothing fits.')).toBeVisible();
  await page.getByRole('link', { name: 'Show everything' }).click();
  await page.getByLabel('Status').selectOption('new');
  await page.getByLabel('Transaction on the chain').fill('x'.repeat(64));
  await page.getByLabel('Transaction on the chain').press('Enter');
  await expect(page).toHaveURL(`/dashboard/invoices/?status=new&txid=${'x'.repeat(64)}`);
  await page.reload();
  await expect(page.getByLabel('Status')).toHaveValue('new');
  await open(page, 'invoices/?status=lost');
  await expect(page.getByRole('alert')).toHaveText('The filter status must be one of new, pending, paid, complete, expired, not "lost".');
  await page.getByRole('link', { name: 'Show everything' }).click();
  await expect(page.getByRole('table')).toBeVisible();
  await open(page, 'invoices/00000000-0000-4000-8000-000000000000/');
  await expect(page.getByRole('alert')).toHaveText('There is no invoice with this id.');
  await page.getByRole('link', { name: 'Show everything' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/');
});

test('a draft is approved or rejected after a question, which Escape answers with no', async ({ page, desk }) => {
  const id = await draft(desk, { reference_id: 'approve-me' });
  await enter(page, desk);
  await page.getByRole('link', { name: id.slice(0, 8) }).click();
  const approve = page.getByRole('button', { name: 'Approve …' });
  await approve.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve this payout?' });
  await expect(dialog).toContainText('0.001 BTC');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  // The focus goes round inside of it, at most out to the browser.
  for (let press = 0; press < 6; press += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null)).toBe(
      true,
    );
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(approve).toBeFocused();
  await expect(page.locator('.facts .badge').first()).toHaveText('draft');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(said(page)).toHaveText('The payout was approved.');
  await expect(page.getByText('by ada@example.com')).toBeVisible();
  await expect(approve).toHaveCount(0);

  const other = await draft(desk, { reference_id: 'reject-me' });
  await open(page, `payouts/${other}/`);
  // Somebody else was faster: the gateway's sentence, and what is true now.
  const { status } = await call({ gatewayUrl: desk.stack.gatewayUrl, credentials: approver(desk) }, 'PUT', `/v1/payouts/${other}/`, {
    approve: false,
  });
  expect(status).toBe(200);
  await page.getByRole('button', { name: 'Reject …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect(page.getByRole('alert')).toHaveText(/^The payout is rejected: only a draft, .* can be rejected\.$/);
  await expect(page.locator('.facts .badge').first()).toHaveText('rejected');
});

const approver = ({ stack }: Desk) => ({ api_key: stack.credentials.approve_key, api_secret: stack.credentials.approve_secret });

test('a test transaction shows its callbacks in full, and each is sent again', async ({ page, desk }) => {
  await enter(page, desk);
  await open(page, 'test/');
  await page.getByLabel('Kind').selectOption('ETH');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('heading', { name: 'What became of it' })).toBeVisible();
  await expect(page.getByText('being sent …')).toHaveCount(0, { timeout: 20_000 });
  const bodies = page.getByRole('region', { name: /^Request body of/ });
  await expect(bodies.filter({ hasText: '"callback_status": "transaction_complete"' })).toHaveCount(1);
  await expect(bodies.filter({ hasText: '"callback_status": "invoice_complete"' })).toHaveCount(1);
  await page.getByRole('link', { name: 'transaction complete' }).click();
  await expect(heading(page)).toHaveText('Callback transaction complete');
  const shown = await page.getByRole('region', { name: 'Request body' }).textContent();
  const { callback_id } = JSON.parse(shown ?? '') as { callback_id: string };
  expect(desk.told.filter((body) => body.includes(callback_id)).map((body) => JSON.parse(body) as unknown)).toEqual([
    JSON.parse(shown ?? ''),
  ]);
  desk.answer.status = 503;
  desk.answer.text = HOSTILE[0] ?? '';
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(said(page)).toHaveText('The receiver answered 503.');
  await expect(page.getByRole('alert')).toHaveText('The receiver answered 503.');
  await expect(page.getByRole('region', { name: 'Answer' }).first()).toHaveText(HOSTILE[0] ?? '');
  desk.answer.status = 200;
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(said(page)).toHaveText('The receiver took the callback.');
  await expect(page.getByRole('article')).toHaveCount(3);
  const [first, ...again] = desk.told.filter((body) => body.includes(callback_id));
  expect(again).toEqual([first, first]);
});

test('a quarantined transaction is released', async ({ page, desk }) => {
  const id = await invoice(desk);
  await desk.stack.sandbox('pay', { invoice_id: id, risk: 'high' });
  await enter(page, desk);
  await page.getByRole('table', { name: 'Quarantined transactions' }).getByRole('link').first().click();
  await expect(page.getByText('The risk analysis held it, because it found the risk high.')).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: 'sandbox' })).toBeVisible();
  await page.getByRole('button', { name: 'Release …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(said(page)).toHaveText('The transaction was released.');
  await expect(page.getByRole('button', { name: 'Release …' })).toHaveCount(0);
});

test('balances are pictures that say what they show, and tables', async ({ page, desk }) => {
  const id = await invoice(desk, { kind: 'DOGE', amount: '12.34' });
  await desk.stack.sandbox('pay', { invoice_id: id });
  await enter(page, desk);
  await open(page, 'balances/');
  const picture = page.getByRole('img', { name: /^DOGE in Dogecoin wallet: 0 on .*, [\d.,]+ on .*, [\d.,]+ at most\.$/ });
  await expect(picture).toBeVisible();
  await page.getByText('As a table: DOGE in Dogecoin wallet').click();
  await expect(page.getByRole('table', { name: 'DOGE in Dogecoin wallet' }).getByRole('row')).toHaveCount(8);
  await page.getByRole('link', { name: '1 day' }).click();
  await expect(page).toHaveURL('/dashboard/balances/?days=1');
  await expect(page.getByRole('link', { name: '1 day' })).toHaveAttribute('aria-current', 'true');
});

test('what others wrote is text wherever it is shown', async ({ page, desk }) => {
  const { stack } = desk;
  const ids = [];
  for (const text of HOSTILE) ids.push(await invoice(desk, { notes: text, passthrough: text }));
  await stack.sql('update profile set name = $1', [HOSTILE[1] ?? '']);
  await stack.sql('update account set name = $1', [HOSTILE[4] ?? '']);
  const payout = await draft(desk, { passthrough: HOSTILE[1], reference_id: HOSTILE[4] });
  desk.answer.text = HOSTILE[1] ?? '';
  await stack.sandbox('pay', { invoice_id: ids[0] });
  await enter(page, desk);
  await open(page, 'invoices/');
  for (const text of HOSTILE) await expect(page.getByRole('cell').filter({ hasText: text }).first()).toBeVisible();
  for (const index of [0, 4]) {
    const id = ids[index]!;
    await open(page, `invoices/${id}/`);
    await expect(page.locator('.said').filter({ hasText: HOSTILE[index] ?? '' })).toHaveCount(2);
    await expect(page).toHaveTitle(`Invoice ${id.slice(0, 8)} – Dashboard`);
  }
  await open(page, `payouts/${payout}/`);
  await expect(page.locator('.said').filter({ hasText: HOSTILE[1] ?? '' })).toHaveCount(1);
  await expect(page.locator('.said').filter({ hasText: HOSTILE[0] ?? '' })).toHaveCount(1);
  await open(page, 'test/');
  await expect(page.getByLabel('Profile').locator('option')).toHaveText([HOSTILE[1] ?? '']);
  await expect(page.locator('.account')).toContainText(HOSTILE[4] ?? '');
  expect(await page.locator('main :is(img, script, iframe, svg[onload])').count()).toBe(0);
  await stack.sql("update profile set name = 'Default profile'");
  await stack.sql("update account set name = 'Default account'");
});

test('nothing is wrong for who reads otherwise, on a desk and a phone, in light and dark', async ({ page, desk }) => {
  test.setTimeout(120_000);
  const payout = await draft(desk, { reference_id: 'looks' });
  const paid = await invoice(desk, { notes: 'Order 1', kind: 'ETH_USDT' });
  await desk.stack.sandbox('pay', { invoice_id: paid });
  await enter(page, desk);
  await open(page, 'callbacks/');
  const callback = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  await open(page, 'transactions/');
  const transaction = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  const paths = [
    '',
    'invoices/',
    `invoices/${paid}/`,
    'transactions/',
    'payouts/',
    `payouts/${payout}/`,
    'balances/',
    'rules/',
    'callbacks/',
    'test/',
    'x/',
  ];
  for (const path of [...paths, callback!.replace('/dashboard/', ''), transaction!.replace('/dashboard/', ''), 'sign-in/#x']) {
    await page.goto(`/dashboard/${path}`);
    if (!/^(x|sign-in)/.test(path)) await loaded(page);
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page), `${path} at ${width} in ${colorScheme}`).toEqual([]);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wider, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
  await open(page, `payouts/${payout}/`);
  await page.getByRole('button', { name: 'Approve …' }).click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page), `the question in ${colorScheme}`).toEqual([]);
  }
});

test('its script is small and compressed, is kept for ever, and holds nothing of a server', async ({ desk }) => {
  const { gatewayUrl } = desk.stack;
  const page = await (await fetch(`${gatewayUrl}/dashboard/`)).text();
  const [, script] = /src="([^"]+\.mjs)"/.exec(page) ?? [];
  const [, style] = /href="([^"]+\.css)"/.exec(page) ?? [];
  let bytes = 0;
  for (const path of [script, style]) {
    const answer = await fetch(gatewayUrl + path, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    bytes += Number(answer.headers.get('content-length'));
    expect(await answer.text()).not.toMatch(/ZodError|safeParse|X-CC-|hmac|sourceMappingURL/i);
  }
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(20_000);
});
