import type { Page } from '@playwright/test';
import { violationsOf } from '../support/axe.ts';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { readQr } from '../support/qr.ts';
import { viewOf } from '../support/read-payment.ts';
import type { Stack } from '../support/stack.ts';

// A whole checkout by links and forms: the browser runs no script.

test.use({ javaScriptEnabled: false, viewport: { width: 900, height: 1200 } });

interface Payment {
  invoice_id: string;
  kind: string;
  from: string;
  due: string;
  remaining: string;
  address: string;
  expires_at: string;
  extendable: boolean;
  strings: { qr: string };
  transactions: { txid: string }[];
}
const reaches = (stack: Stack, id: string, stage: string): Promise<void> =>
  expect.poll(async () => (await viewOf(stack, id)).stage, { timeout: 15_000 }).toBe(stage);
const checkout = (page: Page) => page.locator('crypto-checkout');

async function choose(page: Page, kind: string): Promise<void> {
  const coin = page.locator(`input[type=radio][value="${kind}"]`);
  // Opens folded content as a buyer does.
  const around = page.locator('[part~="asset"] details:not([open])').filter({ has: coin });
  if (await coin.isHidden()) await around.locator('> summary').click();
  await coin.check();
  await page.locator('[part~="submit"]').click();
  await expect(page.locator('crypto-qr').first()).toBeVisible();
}

/** Switches to paying from an exchange, and back to a wallet. */
async function switchToExchangeAndBack(page: Page, stack: Stack, id: string): Promise<void> {
  await page.getByRole('button', { name: 'Exchange' }).click();
  await expect(page.getByRole('button', { name: 'Exchange' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  const exchange = await viewOf<Payment>(stack, id);
  expect(exchange.payment.from).toBe('exchange');
  await expect(checkout(page)).toContainText('Withdrawal network: Bitcoin');
  expect(await readQr(page.locator('crypto-qr').first())).toBe(exchange.payment.address);
  await page.getByRole('button', { name: 'Wallet' }).click();
  await expect(page.getByRole('button', { name: 'Wallet' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  const wallet = await viewOf<Payment>(stack, id);
  expect(wallet.payment.from).toBe('wallet');
  expect(await readQr(page.locator('crypto-qr').first())).toBe(wallet.payment.strings.qr);
}

/** Lets the price expire and asks for a new one. */
async function renewAfterExpiry(
  page: Page,
  stack: Stack,
  id: string,
  address: string,
): Promise<void> {
  await stack.sandbox('clock', { advance_seconds: 2000 });
  await reaches(stack, id, 'expired');
  await page.reload();
  await expect(checkout(page)).toContainText('This price has expired');
  // The address stays, for buyers who have paid already.
  await expect(checkout(page)).toContainText(address);
  await page.getByRole('link', { name: 'Refresh' }).click();
  await page.getByRole('button', { name: 'Get a new price' }).click();
  await reaches(stack, id, 'pay');
  await expect(checkout(page)).toContainText('Send exactly');
}

test('scripts off: choose, exchange and back, another coin, more time, new price, remaining amount, receipt', async ({
  page,
  stack,
}) => {
  test.slow();
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await choose(page, 'BTC');

  await switchToExchangeAndBack(page, stack, id);

  await page.getByRole('button', { name: 'Lightning' }).click();
  await expect
    .poll(async () => (await viewOf<Payment>(stack, id)).payment.kind)
    .toBe('BTC_LIGHTNING');
  // The server is updated before the page: a link of the old page would race with the new one.
  await expect(page.getByRole('button', { name: 'Lightning', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );

  await page.getByRole('link', { name: 'Change coin' }).click();
  await page.waitForURL(/show=coins/);
  await page.locator('[part~="close-link"]').click();
  await page.waitForURL((url) => !url.search);
  await page.getByRole('link', { name: 'Change coin' }).click();
  await choose(page, 'LTC');
  expect(page.url()).toBe(`${stack.publicUrl}/pay/${id}/`);

  const before = await viewOf<Payment>(stack, id);
  expect(before.payment.extendable).toBe(true);
  await page.getByRole('button', { name: 'Hold this price longer' }).click();
  await expect(page.getByRole('button', { name: 'Hold this price longer' })).toHaveCount(0);
  const after = await viewOf<Payment>(stack, id);
  expect(Date.parse(after.payment.expires_at)).toBeGreaterThan(
    Date.parse(before.payment.expires_at),
  );
  expect(after.payment.address).toBe(before.payment.address);
  expect(after.payment.due).toBe(before.payment.due);

  await renewAfterExpiry(page, stack, id, before.payment.address);

  const { payment } = await viewOf<Payment>(stack, id);
  await stack.sandbox('pay', {
    invoice_id: payment.invoice_id,
    amount: (Number(payment.due) / 4).toFixed(8),
  });
  await reaches(stack, id, 'underpaid');
  await page.reload();
  const { remaining, strings } = (await viewOf<Payment>(stack, id)).payment;
  await expect(page.locator('crypto-amount')).toContainText(remaining);
  expect(await readQr(page.locator('crypto-qr').first())).toBe(strings.qr);
  expect(strings.qr).toContain(remaining);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await reaches(stack, id, 'seen');
  await stack.sandbox('mine', { kind: 'LTC', blocks: 12 });
  await reaches(stack, id, 'complete');
  await page.reload();
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.waitForURL(/show=receipt/);
  const proof = (await viewOf<Payment>(stack, id)).payment;
  for (const { txid } of proof.transactions)
    await expect(page.locator('[part~="receipt"]')).toContainText(txid);
  await expect(
    page.getByRole('link', { name: `${stack.publicUrl}/pay/${id}/?show=receipt` }),
  ).toBeVisible();
  await expect(page.locator('[part~="print-button"]')).toBeHidden();
  await page.locator('[part~="close-link"]').click();
  await expect(checkout(page)).toContainText('Payment complete');
});

test('scripts off: a row begins with its radio button, and nothing that needs a script shows', async ({
  page,
  stack,
  browserName,
}) => {
  test.skip(
    browserName === 'firefox',
    'Firefox still says "scripting" to style sheets when a test switches scripts off',
  );
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await expect(page.locator('[part~="search"]')).toBeHidden();
  // Marks come with a script, so that their places would stay empty.
  const places = await page
    .locator('[part~="mark"]:empty, label .spot:empty')
    .evaluateAll((spots) => spots.map((spot) => getComputedStyle(spot).display));
  expect(new Set(places)).toEqual(new Set(['none']));
  for (const kind of ['BTC', 'LTC']) {
    const radio = page.locator(`[name=kind][value=${kind}]`);
    const [edge, text] = await radio.evaluate((input) => {
      const name = input.closest('label')!.querySelector('.name')!;
      const words = document.createRange();
      // The words stand in the name itself, or in bold.
      words.selectNodeContents(
        name.querySelector('b') ??
          [...name.childNodes].find((node) => node instanceof Text && node.data.trim())!,
      );
      return [input, words].map((part) => part.getBoundingClientRect().left);
    });
    expect(edge, kind).toBeLessThan(text!);
  }
  await choose(page, 'BTC_LIGHTNING');
  const { lightning } = (await viewOf<{ lightning: { payment_request: string } }>(stack, id))
    .payment;
  const selected = await page.locator('code.long').evaluate((code) => {
    getSelection()!.selectAllChildren(code);
    return String(getSelection());
  });
  expect(selected).toBe(lightning.payment_request);
  await page.goto(`${stack.publicUrl}/pay/${id}/?show=coins`);
  await choose(page, 'XRP');
  await expect(page.locator('[part~="copy-button"]').first()).toBeHidden();
  await expect(page.locator('[part~="large"]')).toHaveCount(0);
  await expect(page.locator('a[part~="wallet-link"]')).toBeVisible();
});

test.describe('server-rendered pages', () => {
  test.use({ javaScriptEnabled: true });
  test('are accessible without scripts', async ({ page, stack, browserName }) => {
    test.skip(
      browserName === 'firefox',
      'Firefox checks the hash of a script that a test holds back, and reports it',
    );
    const id = await orderWithoutReturn(stack);
    await stack.asShop(`/checkouts/${id}/payment`, { kind: 'XRP' });
    // The page's own scripts are blocked; the checker's is not.
    await page.route('**/elements/**', (route) => route.abort());
    for (const show of ['', '?show=coins', '?lang=ar']) {
      await page.goto(`${stack.publicUrl}/pay/${id}/${show}`);
      expect(await violationsOf(page), show).toEqual([]);
    }
  });
});

test('scripts off: an order is paid, and the return link leads to the shop', async ({
  page,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await page
    .getByRole('button', { name: /^Buy for/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/orders\/[^/]+$/);
  const order = page.url();
  await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
  await expect(page).toHaveURL(new RegExp(`^${stack.publicUrl}/pay/\\w+/$`));
  const id = /\/pay\/(\w+)\//.exec(page.url())![1]!;
  await choose(page, 'LTC');
  const { payment } = await viewOf<Payment>(stack, id);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await stack.sandbox('mine', { kind: payment.kind, blocks: 12 });
  await reaches(stack, id, 'complete');
  await page.reload();
  await page.locator('a[part~="success-link"]').click();
  await expect(page).toHaveURL(`${order}/thanks`);
});
