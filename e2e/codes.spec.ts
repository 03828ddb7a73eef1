import type { Page } from '@playwright/test';
import { expect, orderWithoutReturn, test } from './fixtures.ts';
import { openHostPage, scriptTag } from './host-page.ts';
import { readQr } from './qr.ts';
import type { Stack } from './stack.ts';
import { WATCH_CLIPBOARD, expectOneAddress, readEverything, viewOf } from './told.ts';

// What a buyer is told in five places is one payment: text, QR code, wallet link, clipboard, and what the server says.

/** The kinds are shared out among so many tests, which run side by side. */
const SLICES = 2;
/** Other forms of a coin that is offered already: paid where an order names them. */
const UNOFFERED = ['BTC_P2SH', 'BTC_BECH32', 'BTC_LIGHTNING_LNURL'];

test.describe.configure({ mode: 'parallel', timeout: 120_000 });
test.use({ trace: 'off' });

/** Opens the page that the kinds are shown in, one after the other. */
async function open(page: Page, stack: Stack): Promise<void> {
  await page.setViewportSize({ width: 720, height: 1100 });
  await page.addInitScript({ content: WATCH_CLIPBOARD });
  await openHostPage(page, stack, { head: scriptTag(stack), body: `<crypto-checkout server="${stack.publicUrl}"></crypto-checkout>` });
}

async function check(page: Page, stack: Stack, kind: string, from: 'wallet' | 'exchange'): Promise<void> {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
  const { payment } = await viewOf(stack, id);
  expect(payment.from, kind).toBe(from);
  await page.evaluate((next) => {
    (globalThis as unknown as { copiedTexts: string[] }).copiedTexts.length = 0;
    document.querySelector('crypto-checkout')!.setAttribute('checkout', next);
  }, id);
  const target = payment.lightning ? (payment.lightning.payment_request ?? payment.lightning.lnurl) : payment.address;
  const places = page.locator('crypto-checkout crypto-address [part~="value"]');
  await expect.poll(async () => (await places.allTextContents()).map((text) => text.trim()), { message: kind }).toContain(target);
  // The plain address and the way that an exchange needs it are fetched.
  if (payment.public_address) await expect(places, kind).toHaveCount(2);
  if (from === 'exchange') await expect(page.locator('crypto-checkout .copies'), kind).toBeVisible();
  const code = page.locator('crypto-qr').first();
  let qr: string | null = null;
  await expect.poll(async () => (qr = await readQr(code)), { message: kind }).not.toBeNull();
  expectOneAddress({ ...(await page.evaluate(readEverything)), qr: qr ?? '' }, payment, from);
}

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
      for (const [index, kind] of kinds.entries()) if (index % SLICES === slice) await check(page, stack, kind, from);
    });
