import { violationsOf } from '../support/axe.ts';
import {
  announcement,
  createDraft,
  createInvoice,
  heading,
  loaded,
  loginLink,
  openView,
  signIn,
  test,
} from '../support/dashboard.ts';
import { expect } from '../support/fixtures.ts';

// The operator's dashboard as shipped: by link, by keyboard, on a phone and a desktop, in light and
// dark.

test.use({ baseURL: async ({ gateway }, use) => use(gateway.stack.gatewayUrl) });

test('a login link works once, after a click; without a session nothing is shown', async ({
  page,
  gateway,
}) => {
  await page.goto('/dashboard/invoices/');
  await expect(heading(page)).toHaveText('Sign in');
  await expect(page.locator('main')).toContainText('npm run gateway -- login');
  const address = await loginLink(gateway.stack);
  // A link preview opens it and changes nothing.
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await page.goto('about:blank');
  await page.goto(address);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText('Needs attention');
  await expect(page).toHaveURL('/dashboard/');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({
    name: 'dashboard',
    httpOnly: true,
    sameSite: 'Strict',
    path: '/dashboard/',
  });
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(heading(page)).toHaveText('Sign in');
  expect(await page.context().cookies()).toEqual([]);
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'This link was used, has expired, or never existed.',
  );
});

test('an ended session is announced and clears the page', async ({ page, gateway }) => {
  await signIn(page, gateway.stack);
  await openView(page, 'invoices/');
  await gateway.stack.sql('delete from dashboard_session');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText('your session has ended');
  await expect(heading(page)).toBeFocused();
  await expect(page.getByRole('table')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
});

test('every view is reachable by keyboard and has its own URL', async ({ page, gateway }) => {
  const id = await createInvoice(gateway);
  await gateway.stack.sandbox('pay', { invoice_id: id });
  await signIn(page, gateway.stack);
  const views = [
    'Invoices',
    'Transactions',
    'Payouts',
    'Refunds',
    'Balances',
    'Rules',
    'Callbacks',
    'Send a test transaction',
  ];
  for (const [index, title] of views.entries()) {
    await page.reload();
    await loaded(page);
    // Past the skip link, the sign-out button and the navigation.
    for (let press = 0; press < index + 4; press += 1) await page.keyboard.press('Tab');
    const focused = page.locator('a:focus');
    expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe(
      'solid',
    );
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText(title);
    await expect(heading(page)).toBeFocused();
    await expect(page).toHaveTitle(`${title} – Dashboard`);
    await expect(
      page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]'),
    ).toHaveCount(1);
    await loaded(page);
    await page.reload();
    await expect(heading(page)).toHaveText(title);
  }
  await page.goBack();
  await expect(heading(page)).toHaveText('Callbacks');
  // The first Tab stop of a page is the skip link.
  await page.reload();
  await loaded(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toBeFocused();
  await openView(page, 'invoices/');
  await page.getByRole('link', { name: id.slice(0, 8) }).focus();
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText(`Invoice ${id.slice(0, 8)}`);
  await expect(heading(page)).toBeFocused();
  await expect(
    page.getByRole('table', { name: 'Transactions that paid this invoice' }),
  ).toBeVisible();
  await page.goto('/dashboard/nothing/');
  await expect(heading(page)).toHaveText('Nothing here');
});

test('lists keep filter and page in the URL and announce the count', async ({ page, gateway }) => {
  // In sequence, because a key's nonces must increase.
  for (let made = 0; made < 29; made += 1)
    await createInvoice(gateway, { kind: 'LTC', amount: made < 3 ? '80' : '5' });
  await signIn(page, gateway.stack);
  await openView(page, 'invoices/');
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/?p=2');
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('Page 2 of');
  await page.getByLabel('Status').selectOption('expired');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/?status=expired');
  await expect(announcement(page)).toHaveText('0 invoices.');
  await expect(page.getByRole('button', { name: 'Filter' })).toBeFocused();
  await expect(page.getByText('No entry matches the filters.')).toBeVisible();
  await page.getByRole('link', { name: 'Show everything' }).click();
  await page.getByLabel('Status').selectOption('new');
  await page.getByLabel('Transaction ID').fill('x'.repeat(64));
  await page.getByLabel('Transaction ID').press('Enter');
  await expect(page).toHaveURL(`/dashboard/invoices/?status=new&txid=${'x'.repeat(64)}`);
  await page.reload();
  await expect(page.getByLabel('Status')).toHaveValue('new');
  await openView(page, 'invoices/?status=lost');
  await expect(page.getByRole('alert')).toHaveText(
    'The filter status must be one of new, pending, paid, complete, expired, not "lost".',
  );
  await page.getByRole('link', { name: 'Show everything' }).click();
  await expect(page.getByRole('table')).toBeVisible();
  await openView(page, 'invoices/00000000-0000-4000-8000-000000000000/');
  await expect(page.getByRole('alert')).toHaveText('There is no invoice with this id.');
  await page.getByRole('link', { name: 'Show everything' }).click();
  await expect(page).toHaveURL('/dashboard/invoices/');
});

test('balances are labelled charts and tables', async ({ page, gateway }) => {
  for (const amount of ['12.34', '5']) {
    const id = await createInvoice(gateway, { kind: 'DOGE', amount });
    await gateway.stack.sandbox('pay', { invoice_id: id });
  }
  await signIn(page, gateway.stack);
  await openView(page, 'balances/');
  const picture = page.getByRole('img', {
    name: /^DOGE in Dogecoin wallet: [\d.,]+ on .*, [\d.,]+ on .*, [\d.,]+ at most\.$/,
  });
  await expect(picture).toBeVisible();
  await page.getByText('As a table: DOGE in Dogecoin wallet').click();
  await expect(
    page.getByRole('table', { name: 'DOGE in Dogecoin wallet' }).getByRole('row'),
  ).toHaveCount(3);
  await page.getByRole('link', { name: '1 day' }).click();
  await expect(page).toHaveURL('/dashboard/balances/?days=1');
  await expect(page.getByRole('link', { name: '1 day' })).toHaveAttribute('aria-current', 'true');
});

test('all views are accessible on desktop and phone, in light and dark', async ({
  page,
  gateway,
}) => {
  test.setTimeout(120_000);
  const payout = await createDraft(gateway, { reference_id: 'looks' });
  const paid = await createInvoice(gateway, { notes: 'Order 1', kind: 'ETH_USDT' });
  await gateway.stack.sandbox('pay', { invoice_id: paid });
  await signIn(page, gateway.stack);
  await openView(page, 'callbacks/');
  const callback = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  await openView(page, 'transactions/');
  const transaction = await page
    .getByRole('rowheader')
    .getByRole('link')
    .first()
    .getAttribute('href');
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
  for (const path of [
    ...paths,
    callback!.replace('/dashboard/', ''),
    transaction!.replace('/dashboard/', ''),
    'sign-in/#x',
  ]) {
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
  await openView(page, `payouts/${payout}/`);
  await page.getByRole('button', { name: 'Approve …' }).click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page), `the question in ${colorScheme}`).toEqual([]);
  }
});

test("the dashboard's script is small, compressed, immutable, and free of server code", async ({
  gateway,
}) => {
  const { gatewayUrl } = gateway.stack;
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
