import type { Page } from '@playwright/test';
import { Buyer } from '../support/buyer.ts';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import { readQr } from '../support/qr.ts';
import type { Stack } from '../support/stack.ts';
import { turnOf } from '../../tools/sampled-files.mjs';
import {
  type PaymentView,
  WATCH_CLIPBOARD,
  expectCode,
  expectOneAddress,
  readEverything,
  viewOf,
  writtenSum,
} from '../support/read-payment.ts';

// The same payment in five places: text, QR code, wallet link, clipboard, and the server's data.

/** The kinds are split into this many tests, which run in parallel. */
const SLICES = 2;
/** Alternative forms of a coin that is offered already; accepted where an order names them. */
const UNOFFERED = ['BTC_P2SH', 'BTC_BECH32', 'BTC_LIGHTNING_LNURL'];

/** All kinds in Chromium; in Firefox each time another quarter of them, and all at night. */
const SEED = Number(process.env['SAMPLE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const isTested = (browserName: string, index: number): boolean =>
  browserName === 'chromium' ||
  process.env['NIGHTLY'] === '1' ||
  (Math.floor(index / SLICES) + turnOf(SEED)) % 4 === 0;

test.describe.configure({ mode: 'parallel', timeout: 120_000 });
test.use({ trace: 'off' });

/** Opens the page that shows the kinds one after the other. */
async function open(page: Page, stack: Stack, attributes = ''): Promise<void> {
  await page.setViewportSize({ width: 720, height: 1100 });
  await page.addInitScript({ content: WATCH_CLIPBOARD });
  const body = `<crypto-checkout server="${stack.publicUrl}" ${attributes}></crypto-checkout>`;
  await openHostPage(page, stack, { head: scriptTag(stack), body });
}

/** Switches the page to a new payment of that kind, and waits until it is complete. */
async function show(
  page: Page,
  stack: Stack,
  kind: string,
  from: 'wallet' | 'exchange',
): Promise<{ id: string; payment: PaymentView }> {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
  const { payment } = await viewOf(stack, id);
  expect(payment.from, kind).toBe(from);
  await page.evaluate(
    (next) => document.querySelector('crypto-checkout')!.setAttribute('checkout', next),
    id,
  );
  const target = payment.lightning
    ? (payment.lightning.payment_request ?? payment.lightning.lnurl)
    : payment.address;
  const places = page.locator('crypto-checkout crypto-address [part~="value"]');
  await expect
    .poll(async () => (await places.allTextContents()).map((text) => text.trim()), {
      message: kind,
    })
    .toContain(target);
  // The plain address and the exchange mode have loaded.
  if (payment.public_address) await expect(places, kind).toHaveCount(2);
  if (from === 'exchange')
    await expect(page.locator('[part~="exchange-network"]'), kind).toBeVisible();
  return { id, payment };
}

/** Reads a code as a camera does: the first one in the checkout, the other full-screen. */
async function scan(page: Page, at = 0): Promise<string> {
  const code = page.locator('crypto-qr').nth(at);
  let qr: string | null = null;
  await expect.poll(async () => (qr = await readQr(code))).not.toBeNull();
  return qr ?? '';
}

const displayed = async (page: Page): Promise<Parameters<typeof expectOneAddress>[0]> => {
  const qr = await scan(page);
  return { ...(await page.evaluate(readEverything, undefined)), qr };
};

for (const from of ['wallet', 'exchange'] as const)
  for (let slice = 0; slice < SLICES; slice += 1)
    test(`text, QR, link and clipboard contain the same payment for every kind, paid from ${from === 'wallet' ? 'a wallet' : 'an exchange'}, ${slice + 1}/${SLICES}`, async ({
      page,
      stack,
      browserName,
    }) => {
      const { coins } = await viewOf(stack, await orderWithoutReturn(stack));
      expect(coins.length).toBeGreaterThan(40);
      await open(page, stack);
      const kinds = [...coins.map(({ kind }) => kind), ...UNOFFERED];
      for (const [index, kind] of kinds.entries()) {
        if (index % SLICES !== slice) continue;
        if (!isTested(browserName, index)) continue;
        const { payment } = await show(page, stack, kind, from);
        expectOneAddress(await displayed(page), payment);
      }
    });

/**
 * A code of every size: a bare address, one with the amount, with the tag, of Liquid, and a
 * lightning request.
 */
const SIZES = ['ETH', 'BTC', 'XRP', 'L-BTC', 'BTC_LIGHTNING'];

for (const theme of ['light', 'dark'])
  test(`in the ${theme} theme the QR code is dark on white and encodes the payment, also full screen`, async ({
    page,
    stack,
  }) => {
    await open(page, stack, `theme="${theme}"`);
    for (const kind of SIZES) {
      const { payment } = await show(page, stack, kind, 'wallet');
      expectOneAddress(await displayed(page), payment);
      await page.locator('crypto-hand-off [part~="large"]').click();
      const large = page.locator('crypto-hand-off dialog crypto-qr');
      await expect(large).toBeVisible();
      expect((await large.boundingBox())!.width, kind).toBeGreaterThan(600);
      expectCode(await scan(page, 1), payment);
      await page.keyboard.press('Escape');
      await expect(large).toBeHidden();
    }
    const background = await page
      .locator('crypto-checkout [part~="base"]')
      .evaluate((base) => /\d+/.exec(getComputedStyle(base).backgroundColor)?.[0]);
    expect(Number(background) < 128).toBe(theme === 'dark');
  });

test('after a partial payment, text, QR, link and clipboard contain the remaining amount', async ({
  page,
  stack,
}) => {
  await open(page, stack);
  for (const kind of ['BTC', 'USDC-SOL', 'XRP']) {
    const { id, payment } = await show(page, stack, kind, 'wallet');
    expectOneAddress(await displayed(page), payment);
    await stack.sandbox('pay', { invoice_id: payment.invoice_id, amount: halfOf(payment.due!) });
    await new Buyer(page).reaches('underpaid');
    const { payment: left } = await viewOf(stack, id);
    expect(left.remaining).not.toBe(payment.due);
    await expect(page.locator('crypto-amount [part~="value"]'), kind).toHaveText(
      `${writtenSum(left.remaining ?? '', left.symbol)} ${left.symbol}`,
    );
    expectOneAddress(await displayed(page), left);
  }
});

/** Half of a decimal, rounded to its last digit. */
function halfOf(amount: string): string {
  const [whole = '', part = ''] = amount.split('.');
  const half = String(BigInt(whole + part) / 2n).padStart(part.length + 1, '0');
  return part ? `${half.slice(0, -part.length)}.${half.slice(-part.length)}` : half;
}
