import type { Page } from '@playwright/test';
import { Buyer } from './buyer.ts';
import { expect, orderWithoutReturn, test } from './fixtures.ts';
import { openHostPage, scriptTag } from './host-page.ts';
import { readQr } from './qr.ts';
import type { Stack } from './stack.ts';
import { type PaymentView, WATCH_CLIPBOARD, expectCode, expectOneAddress, readEverything, viewOf } from './told.ts';

// What a buyer is told in five places is one payment: text, QR code, wallet link, clipboard, and what the server says.

/** The kinds are shared out among so many tests, which run side by side. */
const SLICES = 2;
/** Other forms of a coin that is offered already: paid where an order names them. */
const UNOFFERED = ['BTC_P2SH', 'BTC_BECH32', 'BTC_LIGHTNING_LNURL'];

test.describe.configure({ mode: 'parallel', timeout: 120_000 });
test.use({ trace: 'off' });

/** Opens the page that the kinds are shown in, one after the other. */
async function open(page: Page, stack: Stack, attributes = ''): Promise<void> {
  await page.setViewportSize({ width: 720, height: 1100 });
  await page.addInitScript({ content: WATCH_CLIPBOARD });
  const body = `<crypto-checkout server="${stack.publicUrl}" ${attributes}></crypto-checkout>`;
  await openHostPage(page, stack, { head: scriptTag(stack), body });
}

/** Lets the page show a new payment of that kind, and waits until everything of it is there. */
async function show(page: Page, stack: Stack, kind: string, from: 'wallet' | 'exchange'): Promise<{ id: string; payment: PaymentView }> {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
  const { payment } = await viewOf(stack, id);
  expect(payment.from, kind).toBe(from);
  await page.evaluate((next) => document.querySelector('crypto-checkout')!.setAttribute('checkout', next), id);
  const target = payment.lightning ? (payment.lightning.payment_request ?? payment.lightning.lnurl) : payment.address;
  const places = page.locator('crypto-checkout crypto-address [part~="value"]');
  await expect.poll(async () => (await places.allTextContents()).map((text) => text.trim()), { message: kind }).toContain(target);
  // The plain address and the way that an exchange needs it are fetched.
  if (payment.public_address) await expect(places, kind).toHaveCount(2);
  if (from === 'exchange') await expect(page.locator('crypto-checkout .copies'), kind).toBeVisible();
  return { id, payment };
}

/** Reads a code as a camera does; the first one is in the checkout, the other on the whole screen. */
async function scan(page: Page, at = 0): Promise<string> {
  const code = page.locator('crypto-qr').nth(at);
  let qr: string | null = null;
  await expect.poll(async () => (qr = await readQr(code))).not.toBeNull();
  return qr ?? '';
}

const told = async (page: Page): Promise<Parameters<typeof expectOneAddress>[0]> => {
  const qr = await scan(page);
  return { ...(await page.evaluate(readEverything, undefined)), qr };
};

for (const from of ['wallet', 'exchange'] as const)
  for (let slice = 0; slice < SLICES; slice += 1)
    test(`text, QR, link and clipboard name the same payment for every kind, paid from ${from === 'wallet' ? 'a wallet' : 'an exchange'}, ${slice + 1}/${SLICES}`, async ({
      page,
      stack,
    }) => {
      const { coins } = await viewOf(stack, await orderWithoutReturn(stack));
      expect(coins.length).toBeGreaterThan(40);
      await open(page, stack);
      const kinds = [...coins.map(({ kind }) => kind), ...UNOFFERED];
      for (const [index, kind] of kinds.entries()) {
        if (index % SLICES !== slice) continue;
        const { payment } = await show(page, stack, kind, from);
        expectOneAddress(await told(page), payment);
      }
    });

/** A code of every size: a bare address, one with the amount, with the tag, of Liquid, and a lightning request. */
const SIZES = ['ETH', 'BTC', 'XRP', 'L-BTC', 'BTC_LIGHTNING'];

for (const theme of ['light', 'dark'])
  test(`in the ${theme} theme a code is dark on white and names the payment, also on the whole screen`, async ({ page, stack }) => {
    await open(page, stack, `theme="${theme}"`);
    for (const kind of SIZES) {
      const { payment } = await show(page, stack, kind, 'wallet');
      expectOneAddress(await told(page), payment);
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

test('after a part was paid, text, QR, link and clipboard name what is left', async ({ page, stack }) => {
  await open(page, stack);
  for (const kind of ['BTC', 'USDC-SOL', 'XRP']) {
    const { id, payment } = await show(page, stack, kind, 'wallet');
    expectOneAddress(await told(page), payment);
    await stack.sandbox('pay', { invoice_id: payment.invoice_id, amount: halfOf(payment.due!) });
    await new Buyer(page).reaches('underpaid');
    const { payment: left } = await viewOf(stack, id);
    expect(left.remaining).not.toBe(payment.due);
    await expect(page.locator('crypto-amount [part~="value"]'), kind).toHaveText(`${left.remaining} ${left.symbol}`);
    expectOneAddress(await told(page), left);
  }
});

/** Half of a decimal, no finer than it. */
function halfOf(amount: string): string {
  const [whole = '', part = ''] = amount.split('.');
  const half = String(BigInt(whole + part) / 2n).padStart(part.length + 1, '0');
  return part ? `${half.slice(0, -part.length)}.${half.slice(-part.length)}` : half;
}
