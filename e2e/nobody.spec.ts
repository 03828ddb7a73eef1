import { createHash } from 'node:crypto';
import { expect, orderWithoutReturn, test } from './fixtures.ts';
import { manifest, openHostPage, scriptTag } from './host-page.ts';

// What no checkout that we compared does, and no other file here shows; README.md has the list.

test('the hash of every script is published, holds, and stops a script that somebody changed', async ({ page, stack, pageErrors }) => {
  const published = (await (await fetch(`${stack.publicUrl}/elements/${manifest().version}/manifest.json`)).json()) as {
    version: string;
    sri: Record<string, string>;
  };
  for (const file of ['crypto-checkout.mjs', 'crypto-checkout.js']) {
    const body = Buffer.from(await (await fetch(`${stack.publicUrl}/elements/${published.version}/${file}`)).arrayBuffer());
    expect(published.sri[file]).toBe(`sha384-${createHash('sha384').update(body).digest('base64')}`);
  }
  await page.route('**/elements/**/crypto-checkout.mjs', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${await answer.text()}\n// one byte more` });
  });
  const id = await orderWithoutReturn(stack);
  const refused = page.waitForEvent('console', (message) => message.text().includes('integrity'));
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout server="${stack.publicUrl}" checkout="${id}"></crypto-checkout>`,
  });
  await refused;
  expect(await page.evaluate(() => customElements.get('crypto-checkout') === undefined)).toBe(true);
  pageErrors.length = 0;
});

test('what was copied is read back, and a changed clipboard is told', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  // A program that changes addresses on the clipboard.
  await page.addInitScript(() => {
    navigator.clipboard.readText = () => Promise.resolve('tb1qsomebody0else0somebody0else0somebody0el');
  });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await page.locator('crypto-address [part~="copy-button"]').first().click();
  await expect(page.locator('crypto-address')).toContainText(/clipboard/i);
});

test('each stage is said in one polite live region', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'LTC' });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
  const voice = page.locator('crypto-checkout [aria-live="polite"]');
  await expect(voice).toHaveCount(1);
  const { payment } = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as { payment: { invoice_id: string } };
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await expect(voice).toContainText('We see your payment', { timeout: 15_000 });
  await stack.sandbox('mine', { kind: 'LTC', blocks: 12 });
  await expect(voice).toContainText('Paid', { timeout: 15_000 });
});

test('nothing moves for who asked for less motion', async ({ page, stack }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: '<crypto-checkout demo="complete#last"></crypto-checkout><crypto-checkout-button demo="pay#1"></crypto-checkout-button>',
  });
  await expect(page.locator('[part~="receipt-link"]')).toBeVisible();
  await page.locator('crypto-checkout-button [part~="button"]').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});
