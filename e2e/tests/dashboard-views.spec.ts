import type { Locator, Page } from '@playwright/test';
import { violationsOf } from '../support/axe.ts';
import { openView, signIn, startReceiver } from '../support/dashboard.ts';
import {
  ATTENTION,
  AT,
  ID,
  LONG,
  MIXED,
  needsGas,
  none,
  one,
  ORDER,
  REFUND,
  SALES,
  TRANSACTION,
  alarm,
} from '../support/dashboard-answers.ts';
import { expect, test as base } from '../support/fixtures.ts';
import { call } from '../support/signed-call.ts';
import { Stack } from '../support/stack.ts';

// Each view of the operator's dashboard with everything that it can show; rare answers are
// injected.

/** A gateway whose profile has a failing callback address. */
const test = base.extend<object, { gateway: Stack }>({
  gateway: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const { server, port } = await startReceiver((response) => {
        response.statusCode = 503;
        response.end();
      });
      const settings = {
        CALLBACK_URL: `http://127.0.0.1:${port}/hook?shop=1`,
        OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
      };
      const stack = await Stack.start(settings, ['gateway']);
      await use(stack);
      await stack.stop();
      server.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});
test.use({ baseURL: async ({ gateway }, use) => use(gateway.gatewayUrl) });

/** Replaces the gateway's answer at a path of the dashboard. */
const answer = (page: Page, path: string, body: object) =>
  page.route(`**/dashboard/api/${path}`, (route) => route.fulfill({ json: body }));

const table = (page: Page, name: string): Locator => page.getByRole('table', { name });

/**
 * On a desktop and a phone, in light and dark: nothing overflows, and nothing violates
 * accessibility rules.
 */
async function looksWell(page: Page, what: string): Promise<void> {
  for (const [width, height, colorScheme] of [
    [1440, 900, 'light'],
    [360, 640, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      `${what} at ${width}`,
    ).toBeLessThanOrEqual(0);
    expect(await violationsOf(page), `${what} at ${width} in ${colorScheme}`).toEqual([]);
    await page.screenshot({
      path: `test-results/screens/dashboard/${what}-${width}-${colorScheme}.png`,
      fullPage: true,
    });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('Needs attention lists every problem with its remedy', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await answer(page, 'attention/', { result: ATTENTION });
  await openView(page);
  await expect(page.getByRole('table')).toHaveCount(8);
  await expect(
    page.getByText('1 of 21 are shown; the others follow when these are done.'),
  ).toBeVisible();
  await expect(table(page, 'Payouts to approve').getByRole('row').nth(1)).toContainText(
    /more than available.*1,234,567 USD.*0xxxxxxx….* and 2 more.*ETH_USDT.*Shop/,
  );
  await expect(table(page, 'Refunds to approve').getByRole('row').nth(1)).toContainText(
    /wrong coin.*0xxxxxxx.*no/i,
  );
  const receivers = table(page, 'Receivers that keep failing');
  await expect(receivers.getByRole('row').nth(1)).toContainText(
    /127\.0\.0\.1:18099\/cb.*503.*1 callback(?!s)/,
  );
  await expect(receivers.getByRole('row').nth(2)).toContainText(
    /shop\.invalid.*The name of the host does not resolve.*more than 1000 callbacks/,
  );
  await expect(receivers.getByRole('link', { name: 'more than 1000 callbacks' })).toHaveAttribute(
    'href',
    '/dashboard/callbacks/?state=pending',
  );
  await expect(table(page, 'Alarms').getByRole('row')).toContainText([
    /Problem/,
    /In a circle.*automatic conversion of BTC on Bitcoin/,
    /The recipient was paid \(payout 6eb455b2-29f3-4200-ac1f-7fe9e9f5bc4a\), and.*Bitcoin/s,
    /no gas\.\s*Send about 0\.0123 ETH on Ethereum to.*0x399D.*Ethereum/s,
    /The network fee rose.*payout of 0\.5 BTC on Bitcoin.*order-1042/s,
  ]);
  await expect(table(page, 'Alarms').getByRole('link', { name: ID })).toHaveAttribute(
    'href',
    `/dashboard/payouts/${ID}/`,
  );
  // The page's own policy forbids to read the clipboard.
  await page.context().grantPermissions(['clipboard-write']);
  await page.evaluate(() => {
    const { clipboard } = navigator;
    const write = clipboard.writeText.bind(clipboard);
    clipboard.writeText = (text) => write((document.title = text));
  });
  await page.getByRole('button', { name: 'Copy ETH address on Ethereum' }).click();
  await expect(page.getByRole('status')).toHaveText('Copied.');
  await expect(page).toHaveTitle(needsGas.funding.address);
  await looksWell(page, 'attention');
});

test('shows a failing receiver with its callback and error; dismisses an alarm after confirmation', async ({
  page,
  gateway,
}) => {
  const { credentials } = gateway;
  const order = { profile_id: credentials.profile_id, amount: '80', currency: 'USD', kind: 'LTC' };
  const { body } = await call(gateway, 'POST', '/v1/invoices/', order);
  await gateway.sandbox('pay', { invoice_id: body.result.id });
  await gateway.sql(
    "insert into alarm (id, resource_id, reason, raised_at) values ($1, $2, 'Look here', now())",
    [ID, body.result.id],
  );
  await signIn(page, gateway);
  // The second attempt follows after five seconds, which the test does not wait for.
  await expect(async () => {
    await gateway.sql("update callback set next_at_real = now() where state = 'pending'", []);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(table(page, 'Receivers that keep failing')).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(table(page, 'Receivers that keep failing').getByRole('row').nth(1)).toContainText(
    /127\.0\.0\.1:\d+.*503.*2 callbacks/,
  );

  const dismiss = page.getByRole('button', { name: 'Dismiss … Look here' });
  await dismiss.click();
  const question = page.getByRole('dialog', { name: 'Dismiss this alarm?' });
  await expect(question).toContainText('Look here');
  await page.keyboard.press('Escape');
  await expect(dismiss).toBeFocused();
  await dismiss.click();
  await question.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('status')).toHaveText('The alarm was dismissed.');
  await expect(table(page, 'Alarms')).toHaveCount(0);

  await page.getByRole('link', { name: '2 callbacks' }).click();
  await expect(page).toHaveURL('/dashboard/callbacks/?state=pending');
  await page.getByRole('link', { name: 'invoice pending' }).click();
  await expect(page.getByRole('article').first()).toContainText('The answer had no body.');
});

test('sales of today stand above what needs attention, by currency', async ({ page, gateway }) => {
  await signIn(page, gateway);
  const sales = page.locator('section', {
    has: page.getByRole('heading', { name: 'Sales today' }),
  });
  await expect(sales).toContainText('No paid orders yet.');
  await answer(page, 'sales/', { result: SALES });
  await openView(page);
  await expect(sales.getByRole('listitem')).toHaveText([
    /1,234,567\.50 USD\s*1204 orders, 20\.00 USD refunded/,
    /0\.002 BTC\s*1 order$/,
  ]);
  await expect(sales.getByRole('link', { name: 'Today’s transactions' })).toHaveAttribute(
    'href',
    '/dashboard/transactions/?date_from=2026-11-21',
  );
  await looksWell(page, 'sales');
});

test('lists name the order, and money that does not count', async ({ page, gateway }) => {
  test.setTimeout(120_000);
  await signIn(page, gateway);
  const pagination = { num_pages: 40, count: 1000, page: 2, next_page: 3, previous_page: 1 };
  const filled = <T>(row: T): T[] => Array.from({ length: 25 }, () => row);
  await answer(page, 'invoices/?*', { pagination, result: [...MIXED, ...filled(MIXED[0]!)] });
  await openView(page, 'invoices/?p=2');
  const rows = page.getByRole('row');
  await expect(rows.nth(1)).toContainText(/0\.001 BTC\s*50 % paid/);
  await expect(rows.nth(2).getByRole('cell').nth(3)).toHaveText(/Paid\s*0\.002 BTC\s*late$/);
  await expect(rows.nth(3)).toContainText(/60 USDC\s*wrong coin/);
  await expect(rows.nth(4)).toContainText(/0\.002 BTC\s*refunded/);
  await looksWell(page, 'invoices');

  await answer(page, 'transactions/?*', { pagination, result: filled(TRANSACTION) });
  await openView(page, 'transactions/?p=2');
  await expect(rows.nth(1).getByRole('link', { name: ORDER })).toHaveAttribute(
    'href',
    `/dashboard/invoices/${ID}/`,
  );
  await looksWell(page, 'transactions');

  await answer(page, 'refunds/?*', { pagination, result: filled(REFUND) });
  await openView(page, 'refunds/?p=2');
  await expect(rows.nth(1)).toContainText(/requested.*0\.002 BTC.*about\s*0\.0019 BTC/s);
  await expect(rows.nth(1).getByRole('link', { name: ORDER })).toBeVisible();
  await looksWell(page, 'refunds');
});

test('an invoice lists its refunds; a refund shows fee, rest and tag before it is approved', async ({
  page,
  gateway,
}) => {
  test.setTimeout(120_000);
  await signIn(page, gateway);
  const invoice = { ...MIXED[1]!, transactions: [TRANSACTION], refunds: [REFUND] };
  await answer(page, `invoices/${ID}/`, {
    result: invoice,
    callbacks: [],
    buyer_page: 'https://pay.example/invoice/1/',
  });
  await openView(page, `invoices/${ID}/`);
  await expect(table(page, 'Refunds of this invoice').getByRole('row').nth(1)).toContainText(
    /requested.*late.*0\.002 BTC.*about\s*0\.0019 BTC/s,
  );
  await looksWell(page, 'invoice');
  await answer(page, `refunds/${ID}/`, { result: REFUND, callbacks: [] });
  await openView(page, `refunds/${ID}/`);
  await expect(page.locator('.facts')).toContainText(
    /Network fee\s*0\.0001 BTC\s*Arrives\s*about\s*0\.0019 BTC.*Tag\s*1103515245.*Order/s,
  );
  await looksWell(page, 'refund');
  await page.getByRole('button', { name: 'Approve …' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    /go back to\s*rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH, tag 1103515245\.\s*about\s*0\.0019 BTC will arrive, after a network fee of 0\.0001 BTC\./i,
  );
});

test('a question that is asked again right after it was cancelled keeps its answer', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  const answers = await page.evaluate(async () => {
    type Dialog = HTMLElement & { ask(question: object): Promise<unknown> };
    const element = document.querySelector<Dialog>('confirm-dialog')!;
    const dialog = element.querySelector('dialog')!;
    const opened = async () => {
      while (!dialog.open) await Promise.resolve();
    };
    const question = { title: 'Sure?', text: '', action: 'Yes' };
    const first = element.ask(question);
    await opened();
    dialog.close();
    // The first `close` event has not been fired yet.
    const second = element.ask(question);
    await opened();
    await new Promise((resolve) => setTimeout(resolve, 100));
    dialog.querySelector('form')!.requestSubmit();
    return [await first, await second];
  });
  expect(answers).toEqual([null, {}]);
});

test('unassigned funds are assigned or dismissed by keyboard, with a reason', async ({
  page,
  gateway,
}) => {
  const lose = (txid: string) =>
    gateway.sql(
      `insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
       values ('xrp', $1, $1, 'XRP', 'r', 1250.5, 'no_known_tag', now())`,
      [txid],
    );
  await lose('A');
  await signIn(page, gateway);
  const put = page.getByRole('button', { name: 'Put to wallet … 1250.5 XRP' });
  await put.focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Put this money to your wallet?' });
  await expect(question).toContainText('1,250.5 XRP');
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await looksWell(page, 'unassigned-question');
  // A reason is required.
  await question.getByRole('button', { name: 'Put to wallet' }).click();
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(put).toBeFocused();
  await page.keyboard.press('Enter');
  await question.getByLabel('Why').fill('The buyer wrote to us');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toHaveText('The money is in your wallet.');
  await expect(table(page, 'Money without an owner')).toHaveCount(0);

  await lose('B');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('button', { name: 'Dismiss … 1250.5 XRP' }).click();
  const dismissal = page.getByRole('dialog', { name: 'Dismiss this money?' });
  // The previous input is gone.
  await expect(dismissal.getByLabel('Why')).toHaveValue('');
  await dismissal.getByLabel('Why').fill('Sent back');
  await dismissal.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('status')).toHaveText('The money was dismissed.');
  await openView(page, 'balances/');
  const balance = page.locator('.pictures .card').filter({ hasText: '1,250.5' });
  await expect(balance).toContainText(/1,250\.5 XRP.*≈ [\d,.]+ USD.*Unchanged since/s);
});

test('balances show what the channels of a lightning node can receive and send now', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  await openView(page, 'balances/');
  await expect(table(page, 'Channels of lightning nodes')).toHaveCount(0);
  const node = { chain: 'lightning', name: 'Lightning', currency: 'BTC' };
  const open = { channels: 3, receivable: '1234.56789012', sendable: '0.00000001' };
  const balances = { days: 30, from: AT, to: AT, currency: 'USD', worth: null, wallets: [] };
  await answer(page, 'balances/*', {
    result: {
      ...balances,
      channels: [
        { ...node, open },
        { ...node, open: null },
      ],
    },
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  const rows = table(page, 'Channels of lightning nodes').getByRole('row');
  await expect(rows.nth(1)).toContainText(/Lightning.*1,234\.56789012 BTC.*0\.00000001 BTC.*3/s);
  await expect(rows.nth(2)).toContainText(/The node does not answer.*The node does not answer.*–/s);
  await looksWell(page, 'balances-channels');
});

test('balances show their worth, and where coins are sent that are missing', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  const wallet = {
    wallet_id: ID,
    name: 'Ethereum wallet',
    chain: 'ethereum',
    currency: 'ETH',
    kind: 'ETH',
    available: '2',
    pending: '0.5',
    reserved: '0',
    frozen: '0',
    total: '2.5',
    worth: '10000.00',
    points: [
      { at: '2026-11-20T06:00:00.000000+00:00', amount: '2' },
      { at: AT, amount: '2.5' },
    ],
  };
  const unpriced = { ...wallet, currency: 'SHIB', kind: 'ETH_SHIB', worth: null };
  const to = '2026-11-22T06:00:00.000000+00:00';
  const span = { days: 30, from: '2026-10-23T06:00:00.000000+00:00', to, channels: [] };
  const wallets = [wallet, { ...unpriced, points: [] }];
  const worth = { currency: 'USD', worth: '10000.00' };
  await answer(page, 'balances/*', { result: { ...span, ...worth, wallets } });
  const funding = { ...needsGas.funding, chain: 'ethereum', network: 'Ethereum', pays_fees: true };
  await answer(page, 'funding/', {
    result: [
      { ...funding, available: '0', missing: '0.0123' },
      { ...funding, network: 'Bitcoin', currency: 'BTC', available: '1', missing: '0' },
      { ...funding, network: 'TRON', currency: 'TRX', available: '1', missing: null },
    ],
  });
  await openView(page, 'balances/');
  await expect(page.locator('.sum')).toContainText(/10,000\.00 USD.*Without SHIB/s);
  await expect(
    page.getByRole('img', { name: /^ETH in Ethereum wallet: 2 on 20 Nov.*, 2\.5 on 22 Nov/ }),
  ).toBeVisible();
  await expect(page.getByText('No entry in this time.')).toBeVisible();
  await expect(table(page, 'Addresses for funding').getByRole('row')).toContainText([
    /Coin/,
    /ETH on Ethereum.*0\.0123 ETH.*0 ETH.*payouts, and fees of tokens.*0x399D/s,
    /BTC on Bitcoin.*nothing/s,
    /TRX on TRON.*The node does not answer/s,
  ]);
  await looksWell(page, 'balances-funding');
});

test('an operator makes, changes and deletes an automatic payout', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await openView(page, 'rules/');
  await page.getByRole('button', { name: 'New automatic payout …' }).click();
  const form = page.getByRole('dialog', { name: 'New automatic payout' });
  await form.getByLabel('Coin').selectOption({ label: 'BTC on Bitcoin (Bitcoin wallet)' });
  await form.getByLabel('To this address').fill('nowhere');
  await form.getByLabel('Keep this much in the wallet').fill('0.5');
  await form.getByLabel('Active').check();
  await looksWell(page, 'rules-form');
  await form.getByRole('button', { name: 'Create' }).click();
  const sure = page.getByRole('dialog', { name: 'Send money to this address?' });
  await expect(sure).toContainText('nowhere');
  await sure.getByRole('button', { name: 'Activate' }).click();
  await expect(form.getByRole('alert')).toContainText('The address is not one of Bitcoin');
  await expect(form.getByLabel('Keep this much in the wallet')).toHaveValue('0.5');
  const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
  await form.getByLabel('To this address').fill(address);
  await form.getByRole('button', { name: 'Create' }).click();
  await sure.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByRole('status')).toHaveText('The automatic payout was created.');
  const row = table(page, 'Automatic payouts').getByRole('row').nth(1);
  await expect(row).toContainText(/Bitcoin wallet.*tb1qw508.*Every hour: what is above 0\.5.*on/s);

  await row.getByRole('button', { name: 'Change … automatic payout of BTC' }).click();
  const change = page.getByRole('dialog', { name: 'Change this automatic payout of BTC' });
  await expect(change.getByLabel('To this address')).toHaveValue(address);
  await change.getByLabel('How often').selectOption('Every 15 minutes');
  await change.getByLabel('Active').uncheck();
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(row).toContainText(/Every 15 minutes.*off/s);

  await row.getByRole('button', { name: 'Delete … automatic payout of BTC' }).click();
  const gone = page.getByRole('dialog', { name: 'Delete this automatic payout of BTC?' });
  await gone.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No automatic payouts yet.')).toBeVisible();
});

test('the header is one row and the tabs another on a phone, whatever the account is called', async ({
  page,
  gateway,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn(page, gateway);
  const account = { id: ID, name: ORDER, network: 'testnet' };
  const session = { account, email: `${ORDER}@example.com`, ends_at: AT, can_test: true };
  await answer(page, 'session/', { result: session });
  await openView(page, 'test/');
  const tabs = page.getByRole('navigation', { name: 'Main' });
  expect((await tabs.boundingBox())!.height).toBeLessThan(56);
  expect((await page.locator('.bar').boundingBox())!.height).toBeLessThan(56);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeInViewport({ ratio: 1 });
  await expect(tabs.getByRole('link', { name: 'Test' })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

const rule = {
  id: ID,
  wallet_name: 'Bitcoin wallet',
  kind: 'BTC',
  keep_amount: '1234567.000000000000000001',
  min_amount: '0.01',
  every_minutes: 60,
  is_enabled: true,
  last_at: AT,
  next_at: AT,
  last: null,
  error: null,
};
const traded = {
  ...rule,
  to_wallet_name: '<b>Litecoin</b> wallet',
  to_kind: 'LTC',
  max_amount: '1000',
  every_minutes: 120,
};
const last = { amount: '0.5', currency: 'BTC', status: 'complete', payout_id: null };

test('rules show their action, schedule, last run and next run', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await openView(page, 'rules/');
  await expect(page.getByText(/^No automatic \w+ yet\./)).toHaveCount(3);
  await looksWell(page, 'rules-none');
  const sent = {
    ...rule,
    recipient_address: LONG,
    last: { ...last, status: 'pending', payout_id: ID },
  };
  const off = {
    ...rule,
    keep_amount: '0',
    min_amount: '0',
    every_minutes: 5,
    is_enabled: false,
    last_at: null,
    next_at: null,
  };
  await answer(page, 'rules/', {
    result: {
      payouts: [
        sent,
        { ...off, recipient_address: 'tb1q' },
        { ...sent, last: null, error: `The node is silent: ${LONG}` },
      ],
      conversions: [{ ...traded, last }],
      fundings: [traded],
      coins: [],
      intervals: [60],
    },
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  const rows = table(page, 'Automatic payouts').getByRole('row');
  await expect(rows.nth(1)).toContainText(
    /Every hour: what is above 1,234,567\.000000000000000001, from 0\.01.*on.*0\.5 BTC.*pending/s,
  );
  await expect(rows.nth(1).getByRole('link')).toHaveAttribute('href', `/dashboard/payouts/${ID}/`);
  await expect(rows.nth(2)).toContainText(/Every 5 minutes: all that is there.*off.*–.*–.*–/s);
  await expect(rows.nth(3)).toContainText('The node is silent');
  await expect(table(page, 'Automatic conversions').getByRole('row').nth(1)).toContainText(
    /Every 2 hours.*at most 1,000.*complete/s,
  );
  await expect(table(page, 'Automatic funding').getByRole('row').nth(1)).toContainText(
    /what is missing to 1,234,567.*nothing to do/s,
  );
  await looksWell(page, 'rules');
});

const callback = {
  id: ID,
  resource: 'invoice',
  resource_id: ID,
  event: 'invoice_pending',
  url: 'https://shop.internal/hook?shop=1',
  state: 'pending',
  attempts: 1,
  resends: 0,
  created_at_real: AT,
  next_at_real: AT,
  last_status_code: null,
  last_error: null,
  last_at_real: null,
};
const TROUBLE =
  'shop.internal resolves to 10.0.0.5, which is not public; OUTBOUND_ALLOW of the service opens private addresses';

test('callbacks show pending, failed with reason, or delivered; long URLs wrap', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  const pagination = { num_pages: 1, count: 2, page: 1, next_page: null, previous_page: null };
  const failed = {
    ...callback,
    state: 'failed',
    attempts: 11,
    last_error: TROUBLE,
    last_at_real: AT,
  };
  await answer(page, 'callbacks/?*', { pagination, result: [callback, failed] });
  await openView(page, 'callbacks/');
  const rows = page.getByRole('row');
  await expect(rows.nth(1)).toContainText('being sent …');
  await expect(rows.nth(2)).toContainText(TROUBLE);
  await expect(rows.nth(1).getByText('https://shop.internal/hook?shop=1')).toBeVisible();
  expect(await rows.nth(1).locator('code wbr').count()).toBe(2);
  await looksWell(page, 'callbacks');

  const delivery = {
    attempt: 1,
    resend: false,
    url: callback.url,
    request_headers: { 'webhook-id': ID },
    at_real: AT,
    duration_ms: 29,
    status_code: null,
    answer_headers: null,
    answer: null,
    error: TROUBLE,
  };
  await answer(page, `callbacks/${ID}/`, {
    result: { ...failed, body: '{"a":1}', deliveries: [delivery] },
  });
  await openView(page, `callbacks/${ID}/`);
  const article = page.getByRole('article');
  await expect(article).toContainText(/no answer.*try 1 by schedule.*29 ms/s);
  await expect(article).toContainText(TROUBLE);
  // Announced once.
  await expect(article.getByText('answer', { exact: false })).toHaveCount(2);
  await looksWell(page, 'callback-failed');
});

test('errors appear above the view; empty lists explain how they fill', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  for (const path of ['payouts/', 'transactions/?txid=nothing']) {
    await openView(page, path);
    await expect(page.locator('.empty')).toBeVisible();
  }
  await answer(page, 'attention/', {
    result: {
      drafts: none,
      refunds: none,
      waiting: none,
      callbacks: none,
      receivers: none,
      quarantined: none,
      alarms: one(alarm),
      unassigned: none,
    },
  });
  await openView(page);
  // Another user was faster.
  await page.getByRole('button', { name: /^Dismiss/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('alert')).toHaveText('There is no alarm with this id.');
  await expect(table(page, 'Alarms')).toBeVisible();
});
