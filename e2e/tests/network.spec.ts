import type { Locator, Page } from '@playwright/test';
import { Buyer } from '../support/buyer.ts';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { readQr } from '../support/qr.ts';
import type { Stack } from '../support/stack.ts';
import { viewOf } from '../support/read-payment.ts';

// A connection that is slow, lost or asleep; a wrong clock.

const lost = /No connection since \d{1,2}:\d{2}/;

async function openPayment(
  page: Page,
  stack: Stack,
  kind = 'BTC',
): Promise<{ id: string; buyer: Buyer }> {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.reaches('pay');
  // Everything needed for paying has loaded.
  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
  return { id, buyer };
}

/** Seconds on the countdown. */
async function secondsLeft(page: Page): Promise<number> {
  const [minutes = 0, seconds = 0] = ((await page.locator('[part~="clock"]').textContent()) ?? '')
    .trim()
    .split(':')
    .map(Number);
  return minutes * 60 + seconds;
}

test('offline: shows since when and until when paying is safe, keeps the view, and recovers', async ({
  page,
  stack,
}) => {
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

test('a resumed tab shows the correct time and payments received meanwhile', async ({
  page,
  stack,
}) => {
  await page.clock.install();
  const { id, buyer } = await openPayment(page, stack);
  const before = await secondsLeft(page);
  await page.context().setOffline(true);
  await stack.sandbox('clock', { advance_seconds: 600 });
  await page.clock.fastForward(600_000);
  await page.context().setOffline(false);
  // While the page connects again it may show no time.
  const isRight = async (): Promise<boolean> => {
    const left = await secondsLeft(page);
    return left > 0 && left <= before - 600;
  };
  await expect.poll(isRight).toBe(true);
  await stack.sandbox('pay', { invoice_id: (await viewOf(stack, id)).payment.invoice_id });
  await page.clock.fastForward(60_000);
  await buyer.reaches('seen');
});

for (const [which, hours] of [
  ['ahead', 25],
  ['behind', -25],
] as const)
  test(`the countdown ignores a device clock that is a day ${which}`, async ({ page, stack }) => {
    await page.clock.install({ time: Date.now() + hours * 3_600_000 });
    const { id } = await openPayment(page, stack);
    const view = (await viewOf(stack, id)) as unknown as {
      server_time: string;
      payment: { expires_at: string };
    };
    const truth = (Date.parse(view.payment.expires_at) - Date.parse(view.server_time)) / 1000;
    expect(truth).toBeGreaterThan(800);
    expect(Math.abs((await secondsLeft(page)) - truth)).toBeLessThan(4);
    await page.reload();
    await expect(page.locator('[part~="clock"]')).toBeVisible();
    expect(Math.abs((await secondsLeft(page)) - truth)).toBeLessThan(10);
  });

test(
  'two tabs of one checkout stay in step',
  { tag: '@firefox' },
  async ({ page, context, stack }) => {
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
  },
);

test(
  'on a slow connection the first response shows what to pay before scripts load',
  { tag: '@firefox' },
  async ({ page, stack }) => {
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
    await expect
      .poll(() => readQr(page.locator('crypto-qr').first()))
      .toContain(payment.address?.toUpperCase());
    const before = await page.locator('crypto-qr').first().boundingBox();
    await expect.poll(() => asked).toBeGreaterThan(0);
    release();
    await new Buyer(page).reaches('pay');
    await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
    // Nothing moved in front of the buyer's camera.
    expect(await page.locator('crypto-qr').first().boundingBox()).toEqual(before);
  },
);

/** Reads all announcements from now on: two can follow each other within a poll. */
async function announcementsOf(region: Locator): Promise<() => Promise<string[]>> {
  const announcements = await region.evaluateHandle((node) => {
    const texts: string[] = [];
    new MutationObserver(() => texts.push(node.textContent)).observe(node, { childList: true });
    return texts;
  });
  return () => announcements.jsonValue();
}

/** Slow 4G as in browsers' developer tools, in bytes a second. */
const SLOW_4G = {
  latency: 562.5,
  downloadThroughput: (1474.56 * 1024) / 8,
  uploadThroughput: (675 * 1024) / 8,
};

test('on Slow 4G with a slow processor a buyer chooses, scans and pays, also when the connection drops', async ({
  page,
  stack,
}) => {
  test.slow();
  const line = await page.context().newCDPSession(page);
  const be = (offline: boolean) =>
    line.send('Network.emulateNetworkConditions', { offline, ...SLOW_4G });
  await line.send('Network.enable');
  await be(false);
  await line.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const id = await orderWithoutReturn(stack);
  const buyer = new Buyer(page);
  await page.goto(`${stack.publicUrl}/pay/${id}/`, { waitUntil: 'commit' });
  // The form works whether or not a script has loaded.
  await buyer.choose('ETH');
  const { payment } = await viewOf(stack, id);
  await expect(page.locator('crypto-address')).toContainText(payment.address ?? '');
  const code = page.locator('crypto-qr').first();
  await expect.poll(() => readQr(code)).toContain(payment.address);

  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible({ timeout: 20_000 });
  await be(true);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.locator('[part~="note"]').filter({ hasText: lost })).toBeVisible({
    timeout: 30_000,
  });
  expect(await readQr(code)).toContain(payment.address);
  const voice = page.locator('crypto-checkout [aria-live="polite"]');
  const announcements = await announcementsOf(voice);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await be(false);
  await buyer.reaches('seen');
  await expect.poll(announcements).toContainEqual(expect.stringContaining('Payment detected'));
  await stack.sandbox('mine', { kind: 'ETH', blocks: 40 });
  await buyer.reaches('complete');
  await expect(voice).toContainText('Payment complete');
  await expect(page.locator('[part~="note"]').filter({ hasText: lost })).toBeHidden();
});
