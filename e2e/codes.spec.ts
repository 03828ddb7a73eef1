import { expect, orderWithoutReturn, test } from './fixtures.ts';
import { readQr } from './qr.ts';
import { type Told, WATCH_CLIPBOARD, expectOneAddress, readEverything, viewOf } from './told.ts';

// What a buyer is told in five places is one payment: text, QR code, wallet link, clipboard, and what the server says.

test.describe.configure({ timeout: 240_000 });

for (const from of ['wallet', 'exchange'] as const)
  test(`text, QR, link and clipboard name the same payment for every kind, paid from ${from === 'wallet' ? 'a wallet' : 'an exchange'}`, async ({
    page,
    stack,
  }) => {
    await page.setViewportSize({ width: 1000, height: 1400 });
    await page.addInitScript({ content: WATCH_CLIPBOARD });
    const { coins } = await viewOf(stack, await orderWithoutReturn(stack));
    expect(coins.length).toBeGreaterThan(40);
    let seen = 0;
    for (const { kind } of coins) {
      const id = await orderWithoutReturn(stack);
      await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
      const view = await viewOf(stack, id);
      expect(view.payment.from, kind).toBe(from);
      await page.goto(`${stack.publicUrl}/pay/${id}/`);
      await page.waitForFunction(() => document.querySelector('crypto-checkout:not([defer-hydration])')?.shadowRoot !== null);
      const code = page.locator('crypto-qr').first();
      await expect.poll(() => readQr(code), { message: kind }).not.toBeNull();
      const told: Told = { ...(await page.evaluate(readEverything)), qr: (await readQr(code)) ?? '' };
      expectOneAddress(told, view.payment, from);
      seen += 1;
    }
    expect(seen).toBe(coins.length);
  });
