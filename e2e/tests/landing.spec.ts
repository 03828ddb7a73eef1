import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';

/** Small and large phones, one of them on its side. */
const SIZES = [
  [320, 568],
  [360, 640],
  [430, 932],
  [667, 375],
] as const;

/** Whole but for the rounding of a scroll position. */
async function expectWhole(what: Locator, page: Page): Promise<void> {
  const { height } = page.viewportSize()!;
  await expect
    .poll(async () => {
      const box = await what.boundingBox();
      return box !== null && box.y > -1 && box.y + box.height < height + 1;
    }, String(what))
    .toBe(true);
}

for (const tag of ['crypto-checkout', 'crypto-checkout-button'])
  for (const [width, height] of SIZES)
    test(`${width}×${height}: a choice shows heading and amount, and a tap the whole code: ${tag} in a long page`, async ({
      page,
      stack,
    }) => {
      await page.setViewportSize({ width, height });
      const { id } = await stack.asShop('/checkouts', {
        order: { order_id: `${tag}-${width}`, amount: '18.50', currency: 'USD' },
      });
      await openHostPage(page, stack, {
        head: scriptTag(stack),
        body: `<div style="block-size: 700px">The order</div><${tag} server="${stack.publicUrl}" checkout="${id}"></${tag}><div style="block-size: 1500px">More of the shop</div>`,
        policy: null,
      });
      if (tag === 'crypto-checkout-button') await page.locator(tag).click();
      const checkout = page.locator('crypto-checkout');
      await checkout.locator('label', { has: page.locator('[value="BTC"]') }).click();
      await expectWhole(checkout.locator('crypto-amount').first(), page);
      await expectWhole(checkout.locator('h2').first(), page);
      const show = checkout.getByText('Show QR code');
      if (await show.isVisible()) await show.click();
      await expectWhole(checkout.locator('crypto-qr').first(), page);
    });
