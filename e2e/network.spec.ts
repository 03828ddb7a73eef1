import type { Page } from '@playwright/test';
import { Buyer } from './buyer.ts';
import { expect, orderWithoutReturn, test } from './fixtures.ts';
import { readQr } from './qr.ts';
import type { Stack } from './stack.ts';
import { viewOf } from './told.ts';

// A connection that is slow, lost, or asleep; a clock that is wrong.

const lost = /No connection since \d{1,2}:\d{2}/;

async function openPayment(page: Page, stack: Stack, kind = 'BTC'): Promise<{ id: string; buyer: Buyer }> {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.reaches('pay');
  // Everything that paying takes is fetched.
  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
  return { id, buyer };
}

/** Seconds on the countdown. */
async function secondsLeft(page: Page): Promise<number> {
  const [minutes = 0, seconds = 0] = ((await page.locator('[part~="clock"]').textContent()) ?? '').trim().split(':').map(Number);
  return minutes * 60 + seconds;
}

test('offline says since when and until when paying is safe, keeps everything on the screen, and catches up', async ({ page, stack }) => {
  const { buyer } = await openPayment(page, stack);
  const { invoice_id, address, due } = await buyer.payment();
  const code = await readQr(page.locator('crypto-qr').first());
  await page.context().setOffline(true);
  const note = page.locator('[part~="note"]').filter({ hasText: lost });
  await expect(note).toBeVisible({ timeout: 20_000 });
  await expect(note).toContainText(/You can still pay until \d{1,2}:\d{2}/);
  await expect(page.locator('crypto-address')).toContainText(address);
  await expect(page.locator('crypto-amount')).toContainText(due);
  expect(await readQr(page.locator('crypto-qr').first())).toBe(code);
  const left = await secondsLeft(page);
  await expect.poll(() => secondsLeft(page)).toBeLessThan(left);
  await stack.sandbox('pay', { invoice_id });
  await page.context().setOffline(false);
  await buyer.reaches('seen');
  await expect(note).toBeHidden();
});

test('a tab that slept shows the true time at once, and a payment that came meanwhile', async ({ page, stack }) => {
  await page.clock.install();
  const { id, buyer } = await openPayment(page, stack);
  const before = await secondsLeft(page);
  await page.context().setOffline(true);
  await stack.sandbox('clock', { advance_seconds: 600 });
  await page.clock.fastForward(600_000);
  await page.context().setOffline(false);
  await expect.poll(() => secondsLeft(page)).toBeLessThanOrEqual(before - 600);
  expect(await secondsLeft(page)).toBeGreaterThan(0);
  await stack.sandbox('pay', { invoice_id: (await viewOf(stack, id)).payment.invoice_id });
  await page.clock.fastForward(60_000);
  await buyer.reaches('seen');
});

for (const [which, hours] of [
  ['ahead', 25],
  ['behind', -25],
] as const)
  test(`a device whose clock is a day ${which} shows the same countdown`, async ({ page, stack }) => {
    await page.clock.install({ time: Date.now() + hours * 3_600_000 });
    const { id } = await openPayment(page, stack);
    const view = (await viewOf(stack, id)) as unknown as { server_time: string; payment: { expires_at: string } };
    const truth = (Date.parse(view.payment.expires_at) - Date.parse(view.server_time)) / 1000;
    expect(truth).toBeGreaterThan(800);
    expect(Math.abs((await secondsLeft(page)) - truth)).toBeLessThan(4);
    await page.reload();
    await expect(page.locator('[part~="clock"]')).toBeVisible();
    expect(Math.abs((await secondsLeft(page)) - truth)).toBeLessThan(10);
  });

test('two tabs of one checkout both move on, whichever of them acts', { tag: '@firefox' }, async ({ page, context, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const other = await context.newPage();
  await other.goto(`${stack.publicUrl}/pay/${id}/`);
  const [one, two] = [new Buyer(page), new Buyer(other)];
  await Promise.all([one.reaches('choose'), two.reaches('choose')]);
  await two.choose('ETH');
  await one.reaches('pay');
  expect((await one.payment()).address).toBe((await two.payment()).address);
  await expect(page.locator('crypto-address')).toContainText((await two.payment()).address);
  await stack.sandbox('pay', { invoice_id: (await one.payment()).invoice_id });
  await Promise.all([one.reaches('seen'), two.reaches('seen')]);
  await stack.sandbox('mine', { kind: 'ETH', blocks: 12 });
  await Promise.all([one.reaches('complete'), two.reaches('complete')]);
});

test('on a slow line the first answer alone shows what to pay: scripts only add to it', { tag: '@firefox' }, async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const { payment } = await viewOf(stack, id);
  let release = (): void => {};
  const line = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  await page.route('**/elements/**', async (route) => {
    asked += 1;
    await line;
    await route.continue();
  });
  await page.goto(`${stack.publicUrl}/pay/${id}/`, { waitUntil: 'commit' });
  await expect(page.locator('crypto-address')).toContainText(payment.address ?? '');
  await expect.poll(() => readQr(page.locator('crypto-qr').first())).toContain(payment.address?.toUpperCase());
  const before = await page.locator('crypto-qr').first().boundingBox();
  await expect.poll(() => asked).toBeGreaterThan(0);
  release();
  await new Buyer(page).reaches('pay');
  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
  // Nothing has moved under the buyer's camera.
  expect(await page.locator('crypto-qr').first().boundingBox()).toEqual(before);
});

/** Slow 4G as browsers' own tools imitate it: in bytes a second. */
const SLOW_4G = { latency: 562.5, downloadThroughput: (1474.56 * 1024) / 8, uploadThroughput: (675 * 1024) / 8 };

test('on Slow 4G with a slow processor a buyer picks, scans and pays, and hears of it, also when the line fails meanwhile', async ({
  page,
  stack,
}) => {
  test.slow();
  const line = await page.context().newCDPSession(page);
  const be = (offline: boolean) => line.send('Network.emulateNetworkConditions', { offline, ...SLOW_4G });
  await line.send('Network.enable');
  await be(false);
  await line.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const id = await orderWithoutReturn(stack);
  const buyer = new Buyer(page);
  await page.goto(`${stack.publicUrl}/pay/${id}/`, { waitUntil: 'commit' });
  // Whether a script is there by then or not: the form works.
  await buyer.choose('ETH');
  const { payment } = await viewOf(stack, id);
  await expect(page.locator('crypto-address')).toContainText(payment.address ?? '');
  const code = page.locator('crypto-qr').first();
  await expect.poll(() => readQr(code)).toContain(payment.address);

  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible({ timeout: 20_000 });
  await be(true);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.locator('[part~="note"]').filter({ hasText: lost })).toBeVisible({ timeout: 30_000 });
  expect(await readQr(code)).toContain(payment.address);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await be(false);
  await buyer.reaches('seen');
  const voice = page.locator('crypto-checkout [aria-live="polite"]');
  await expect(voice).toContainText('We see your payment');
  await stack.sandbox('mine', { kind: 'ETH', blocks: 40 });
  await buyer.reaches('complete');
  await expect(voice).toContainText('Paid and final');
  await expect(page.locator('[part~="note"]').filter({ hasText: lost })).toBeHidden();
});
