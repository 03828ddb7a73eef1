import { Buyer } from '../support/buyer.ts';
import { expect, order, test } from '../support/fixtures.ts';

test('a purchase in the shop: choose, pay, seen, paid, webhook, success page', async ({
  page,
  stack,
}, info) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  const stages: string[] = [];
  await page.exposeFunction('stageChanged', (stage: string) => stages.push(stage));
  await page.evaluate(() => {
    const report = (window as unknown as { stageChanged(stage: string): void }).stageChanged;
    const element = document.querySelector('crypto-checkout')!;
    element.addEventListener('checkout-change', (event) =>
      report((event as unknown as { to: string }).to),
    );
    element.addEventListener('checkout-paid', () => report('PAID EVENT'));
  });
  await buyer.reaches('choose');
  await page.screenshot({ path: info.outputPath('choose.png'), fullPage: true });
  await buyer.choose('BTC');
  await buyer.reaches('pay');
  await expect(buyer.checkout.locator('crypto-qr').first()).toBeVisible();
  await page.screenshot({ path: info.outputPath('pay.png'), fullPage: true });
  const { invoice_id } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id });
  await buyer.reaches('seen');
  await page.screenshot({ path: info.outputPath('seen.png'), fullPage: true });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await page.waitForURL(`${stack.shopUrl}/orders/${id}/thanks`, { timeout: 40_000 });
  await expect(page.locator('#order-status')).toHaveAttribute('data-status', 'paid');
  await page.screenshot({ path: info.outputPath('thanks.png'), fullPage: true });
  expect(stages.filter((stage) => stage === 'PAID EVENT')).toHaveLength(1);
  expect(stages.filter((stage) => stage !== 'PAID EVENT')).toEqual(['pay', 'seen', 'paid']);
  await page.goto(`${stack.shopUrl}/orders/${id}`);
  await expect(page.locator('#order-status')).toHaveText('Paid. We are packing it.');
});

test('a phone shows the order once, in a short card above the checkout', async ({
  page,
  stack,
}, info) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.reaches('choose');
  await page.screenshot({ path: info.outputPath('phone.png') });
  expect((await buyer.checkout.boundingBox())?.y).toBeLessThan(250);
  await expect(page.locator('[part~="merchant"], [part~="total"]')).toHaveCount(0);
});

test('the code is two clicks from the shop’s page, and three with a search, for every coin', async ({
  page,
  stack,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  let presses = 0;
  await page.exposeFunction('pressed', () => (presses += 1));
  await page.addInitScript(() =>
    addEventListener(
      'pointerdown',
      () => (globalThis as unknown as { pressed(): void }).pressed(),
      true,
    ),
  );
  const buyer = new Buyer(page);
  const rowOf = (kind: string) =>
    buyer.checkout.locator('label', { has: page.locator(`[type=radio][value="${kind}"]`) });
  const rows = buyer.checkout.locator('crypto-coin-picker label');
  const search = buyer.checkout.locator('crypto-coin-picker [type=search]');

  // A phone cannot scan its own screen.
  const foldedCode = buyer.checkout.getByText('Show QR code');

  await order(page, stack);
  await rowOf('USDT-TRX').click();
  await expect(foldedCode).toBeVisible();
  expect([presses, (await buyer.payment()).kind]).toEqual([2, 'USDT-TRX']);

  // Less common coins are further down, and cost no click more: the cheaper of two networks.
  presses = 0;
  await page.evaluate(() => localStorage.clear());
  await order(page, stack);
  await buyer.checkout.getByText('Shiba Inu').click();
  await expect(foldedCode).toBeVisible();
  expect([presses, (await buyer.payment()).kind]).toEqual([2, 'SHIB-BSC']);

  presses = 0;
  await page.evaluate(() => localStorage.clear());
  await order(page, stack);
  // Each asset has its usual networks in the list; a search finds each of the others alone.
  await expect(rowOf('USDT-TRX')).toBeVisible();
  const coins = await rows.evaluateAll((all) =>
    all.map((one) => one.querySelector<HTMLInputElement>('[type=radio]')!.value),
  );
  const shown = await rows.locator('visible=true').count();
  expect(shown).toBeGreaterThanOrEqual(10);
  expect(coins.length).toBeGreaterThan(30);
  const names = await buyer.checkout.evaluate((element) =>
    (
      element as unknown as {
        checkout: { coins: { kind: string; name: string; network: string }[] };
      }
    ).checkout.coins.map(({ kind, name, network }) => [kind, `${name} ${network}`] as const),
  );
  await search.click();
  for (const [kind, words] of names) {
    await search.fill(words);
    await expect(rowOf(kind), words).toBeVisible();
  }
  await search.fill('shiba bsc');
  await rowOf('SHIB-BSC').click();
  await expect(foldedCode).toBeVisible();
  expect([presses, (await buyer.payment()).kind]).toEqual([3, 'SHIB-BSC']);

  presses = 0;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(() => localStorage.clear());
  await order(page, stack);
  await rowOf('BTC').click();
  await expect(buyer.checkout.locator('crypto-qr')).toBeVisible();
  expect(presses).toBe(2);
});
