import type { Page } from '@playwright/test';
import { violationsOf } from '../support/axe.ts';
import { Buyer } from '../support/buyer.ts';
import { expect, order, orderWithoutReturn, test } from '../support/fixtures.ts';
import { viewOf } from '../support/read-payment.ts';
import { call } from '../support/signed-call.ts';
import type { Stack } from '../support/stack.ts';

// A buyer gets money back: late money on the hosted page, by script and without one.

const OWN = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const TOKEN_OWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SIZES = [
  { width: 360, height: 640 },
  { width: 1440, height: 900 },
];
const SCREENS = 'test-results/screens/refund';

/** Pays a checkout after its price has expired, until the payment is final. */
async function payLate(stack: Stack, id: string): Promise<void> {
  const { payment } = await viewOf(stack, id);
  await stack.sandbox('clock', { advance_seconds: 3_700 });
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 7 });
  await expect
    .poll(async () => (await viewOf(stack, id)).refundable?.[0]?.ready, { timeout: 15_000 })
    .toBe(true);
}

/** The same screen in both colour schemes, at both sizes, without an accessibility violation. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const path = `${SCREENS}/${name}-${colorScheme}-${size.width}.png`;
      await page.screenshot({ path });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        path,
      ).toBe(true);
    }
    expect(await violationsOf(page), `${name} ${colorScheme}`).toEqual([]);
  }
}

test('late money comes back: the buyer asks in the page, in two languages and both themes', async ({
  page,
  stack,
}) => {
  // Sixteen pictures, each examined by axe.
  test.slow();
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  await payLate(stack, id);
  for (const lang of ['en', 'ar']) {
    await page.goto(`${stack.publicUrl}/pay/${id}/?lang=${lang}`);
    await buyer.reaches('late');
    await expect(page.locator('[part~="refund-link"]')).toBeVisible();
    await look(page, `late-${lang}`);
    await page.locator('[part~="refund-link"]').click();
    await page.locator('[name=address]').fill('not an address');
    await page.locator('crypto-refund [part~="submit"]').click();
    await expect(page.locator('[name=address]')).toHaveAttribute('aria-invalid', 'true');
    await look(page, `invalid-${lang}`);
    await page.setViewportSize(SIZES[0]!);
    await page.locator('[name=address]').fill(OWN);
    await page.locator('crypto-refund [part~="submit"]').click();
    await expect(page.locator('input[name=checked]')).toHaveCount(1);
    await expect(page.locator('[part~="refund-check"]')).toBeFocused();
    // The address, what arrives, and the button are on one screen of a small phone.
    for (const part of ['refund-check', 'facts', 'submit'])
      await expect(page.locator(`crypto-refund [part~="${part}"]`)).toBeInViewport({ ratio: 1 });
    await look(page, `checked-${lang}`);
  }
  await page.locator('crypto-refund [part~="submit"]').click();
  await expect(page.locator('[part~="refund"]')).toBeVisible();
  await look(page, 'requested-ar');
  expect((await viewOf(stack, id)).refunds).toMatchObject([{ status: 'requested' }]);
});

test('money in another coin: the page says so first, and the refund is its main action', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await page.setViewportSize(SIZES[0]!);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('ETH_USDT');
  const { invoice_id } = (await viewOf(stack, id)).payment;
  await stack.sandbox('pay', { invoice_id, amount: '60', kind: 'ETH_USDC' });
  const heading = page.locator('crypto-status [part~="heading"]').first();
  await expect(heading).toHaveText('You sent 60 USDC, not USDT');
  await expect(page.locator('crypto-checkout')).toContainText(
    'You can ask for a refund once the payment is final.',
  );
  await look(page, 'wrong-coin-seen');
  await stack.sandbox('mine', { kind: 'ETH_USDC', blocks: 20 });
  await stack.sandbox('clock', { advance_seconds: 3_700 });
  await expect
    .poll(async () => (await viewOf(stack, id)).refundable?.[0]?.ready, { timeout: 15_000 })
    .toBe(true);
  await page.setViewportSize(SIZES[0]!);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await buyer.reaches('expired');
  await expect(heading).toHaveText('You sent 60 USDC, not USDT');
  await expect(page.locator('[part~="refund-link"]')).toBeInViewport({ ratio: 1 });
  await look(page, 'wrong-coin-expired');
  await page.setViewportSize(SIZES[0]!);
  await page.locator('[part~="refund-link"]').click();
  await page.locator('[name=address]').fill(TOKEN_OWN);
  await look(page, 'wrong-coin-form');
  await page.locator('crypto-refund [part~="submit"]').click();
  await expect(page.locator('input[name=checked]')).toHaveCount(1);
  await expect(page.locator('crypto-refund .sum')).toContainText(/^\s*~[\d.]+ USDC\s*$/);
  await look(page, 'wrong-coin-checked');
  await page.locator('crypto-refund [part~="submit"]').click();
  await expect(page.locator('[part~="refund"] b')).toBeVisible();
  await look(page, 'wrong-coin-requested');
  const [refund] = (await viewOf(stack, id)).refunds ?? [];
  expect(Number(refund?.received)).toBeLessThan(Number(refund?.amount));
});

test('a refund is followed from the form to its transaction', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  await payLate(stack, id);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await page.locator('[part~="refund-link"]').click();
  await page.locator('[name=address]').fill(OWN);
  await page.locator('crypto-refund [part~="submit"]').click();
  await expect(page.locator('input[name=checked]')).toHaveCount(1);
  await page.locator('crypto-refund [part~="submit"]').click();
  await expect(page.locator('[part~="refund"]')).toContainText('The shop will review it.');

  const { body } = await call(stack, 'GET', '/v1/refunds/');
  const [refund] = body.result as { id: string; is_proven: boolean; address: string }[];
  expect(refund).toMatchObject({ address: OWN, is_proven: true });
  const { approve_key: api_key, approve_secret: api_secret, ...others } = stack.credentials;
  const approver = {
    gatewayUrl: stack.gatewayUrl,
    credentials: { ...others, api_key, api_secret },
  };
  const approved = await call(approver, 'PUT', `/v1/refunds/${refund!.id}/`, { is_approved: true });
  expect(approved.status).toBe(200);
  await expect
    .poll(
      async () => {
        await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
        return (await viewOf(stack, id)).refunds?.[0]?.status;
      },
      // A block of each look, and the payout needs several.
      { timeout: 30_000 },
    )
    .toBe('paid');
  const txid = (await viewOf(stack, id)).refunds?.[0]?.txid ?? 'none';
  await expect(page.locator('[part~="refund"]')).toContainText('Refund sent.');
  await expect(page.locator('[part~="refund"]')).toContainText(txid.slice(0, 6));
  await look(page, 'paid-en');
});

test('the element keeps the claim secret, and a stranger with the link gets none', async ({
  page,
  stack,
  browser,
}) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { id } = (await buyer.view())!;
  // The element in the shop's page keeps the secret; another browser has none.
  const kept = await page.evaluate(() => localStorage.getItem('crypto-checkout-claims'));
  expect(JSON.parse(kept ?? '[]')).toEqual([
    [id, expect.stringMatching(/^[\w-]{43}$/), expect.any(Number)],
  ]);
  const stranger = await browser.newPage();
  await stranger.goto(`${stack.publicUrl}/pay/${id}/`);
  expect(await stranger.context().cookies()).toEqual([]);
  expect(await stranger.evaluate(() => localStorage.length)).toBe(0);
  await stranger.close();
});

test('a stranger with the link asks first, and the buyer takes the refund back', async ({
  page,
  stack,
  browser,
}) => {
  test.slow();
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await new Buyer(page).choose('BTC');
  await payLate(stack, id);
  const foreign = 'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy';
  const ask = async (at: Page, address: string): Promise<void> => {
    await at.locator('[name=address]').fill(address);
    await at.locator('crypto-refund [part~="submit"]').click();
  };
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(`${stack.publicUrl}/pay/${id}/`);
  await stranger.locator('[part~="refund-link"]').click();
  await ask(stranger, foreign);
  await stranger.getByRole('button', { name: 'Confirm refund' }).click();
  const refund = (at: Page) => at.locator('[part~="refund"]');
  await expect(refund(stranger)).toContainText('The shop will review it.');

  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await expect(refund(page)).toContainText('tb1qqq');
  await look(page, 'taken-en');
  await page.locator('[part~="refund-replace"]').click();
  await expect(refund(page)).toContainText('tb1qqq');
  await look(page, 'replace-en');
  await ask(page, OWN);
  await page.getByRole('button', { name: 'Confirm refund' }).click();
  await expect(refund(page)).toContainText('tb1qw5');
  await expect(page.locator('[part~="refund-replace"]')).toHaveCount(0);

  // The stranger cannot take it back again: the page offers no way, and the server refuses.
  await stranger.reload();
  await expect(refund(stranger)).toContainText('tb1qw5');
  await expect(stranger.locator('[part~="refund-replace"]')).toHaveCount(0);
  const transaction = (await viewOf(stack, id)).refunds?.[0]?.transaction;
  const again = await context.request.post(`${stack.publicUrl}/checkouts/${id}/refund`, {
    data: { transaction, address: foreign },
  });
  expect([again.status(), await again.json()]).toMatchObject([409, { reason: 'AlreadyExists' }]);
  const { body } = await call(stack, 'GET', '/v1/refunds/');
  const all = body.result as { transaction_id: string }[];
  const ours = all.filter((one) => one.transaction_id === all[0]?.transaction_id);
  expect(ours).toMatchObject([
    { address: OWN, status: 'requested', is_proven: true },
    { address: foreign, status: 'rejected', is_proven: false },
  ]);
  await context.close();
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('late money comes back by two forms', async ({ page, stack }) => {
    const id = await orderWithoutReturn(stack);
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    const coin = page.locator('input[type=radio][value="BTC"]');
    const fold = page.locator('[part~="asset"] details:not([open])').filter({ has: coin });
    if ((await coin.isHidden()) && (await fold.count()))
      await fold.locator('> summary').first().click();
    await coin.check();
    await page.locator('[part~="submit"]').click();
    await expect(page.locator('crypto-qr').first()).toBeVisible();
    const cookies = await page.context().cookies(`${stack.publicUrl}/checkouts/${id}/refund`);
    expect(cookies).toMatchObject([{ name: 'claim', httpOnly: true, sameSite: 'Lax' }]);
    await payLate(stack, id);
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    await page.locator('[part~="refund-link"]').click();
    await expect(page.getByRole('heading')).toHaveText('Get a refund');
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.screenshot({ path: `${SCREENS}/no-script-${size.width}.png` });
    }
    await page.locator('[name=address]').fill('nowhere');
    await page.locator('[part~="submit"]').click();
    await expect(page.getByText('That is not a valid BTC address on Bitcoin.')).toBeVisible();
    await page.locator('[name=address]').fill(OWN);
    await page.locator('[part~="submit"]').click();
    await expect(page.getByRole('heading', { name: 'Check before you confirm' })).toBeVisible();
    await expect(page.getByText('A refund can’t be reversed.')).toBeVisible();
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page.locator('[name=address]')).toHaveValue(OWN);
    await page.locator('[part~="submit"]').click();
    await page.screenshot({ path: `${SCREENS}/no-script-checked.png` });
    await page.locator('[part~="submit"]').click();
    await expect(page.getByText('Refund requested. The shop will review it.')).toBeVisible();
  });
});
