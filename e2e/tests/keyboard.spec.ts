import type { Page } from '@playwright/test';
import { Buyer } from '../support/buyer.ts';
import { expect, order, orderWithoutReturn, test } from '../support/fixtures.ts';
import { type Focus, expectReadingOrder, focusOf, tabTo, tabToPart } from '../support/focus.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import { eventsOf, watch } from '../support/record-events.ts';

// Without a pointer: Tab, Space, Enter, arrows, Escape.

const inside = (places: readonly Focus[]): Focus[] => places.filter(({ inCheckout }) => inCheckout);
test.use({ viewport: { width: 400, height: 900 } });

/** Searches for a coin, selects it and clears the search. */
async function searchAndClear(page: Page, buyer: Buyer): Promise<void> {
  await tabToPart(page, 'search');
  await page.keyboard.type('litecoin');
  const coins = buyer.checkout.locator('input[type=radio]:visible');
  await expect(coins).toHaveCount(1);
  await tabTo(page, ({ value }) => value === 'LTC');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+Tab');
  expect((await focusOf(page)).part).toBe('search');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await expect(coins).not.toHaveCount(1);
}

/** Opens the fold with a coin's other networks, then moves through the list with the arrows. */
async function useFoldAndArrows(page: Page, buyer: Buyer): Promise<void> {
  const fold = buyer.checkout.locator('[part~="asset"] details').first();
  const isOpen = (): Promise<boolean> =>
    fold.evaluate((details: HTMLDetailsElement) => details.open);
  expect(await isOpen()).toBe(false);
  await tabTo(page, ({ tag }) => tag === 'summary');
  await page.keyboard.press('Space');
  expect(await isOpen()).toBe(true);
  await tabTo(page, ({ value }) => value === 'LTC', 'Shift+Tab').catch(() =>
    tabTo(page, ({ value }) => value === 'LTC'),
  );
  const before = (await focusOf(page)).value;
  await page.keyboard.press('ArrowUp');
  const above = await focusOf(page);
  expect(above.value).not.toBe(before);
  await page.keyboard.press('ArrowDown');
  expect((await focusOf(page)).value).toBe(before);
}

/** Copies amount and address; the focus follows the reading order up to the link to other coins. */
async function copyAmountAndAddress(page: Page, buyer: Buyer): Promise<void> {
  const { address } = await buyer.payment();
  const way = await tabToPart(page, 'copy-button', /copy/i);
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe((await buyer.payment()).due);
  way.push(...(await tabToPart(page, 'copy-button', /copy/i)));
  await page.keyboard.press('Space');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  way.push(...(await tabToPart(page, 'other-coin')));
  expectReadingOrder(inside(way));
}

/** Opens the other coins, leaves them (the focus returns to the link), and chooses one. */
async function chooseOtherCoin(page: Page, buyer: Buyer): Promise<void> {
  const coins = buyer.checkout.locator('input[type=radio]:visible');
  await page.keyboard.press('Enter');
  await expect(buyer.checkout.locator('crypto-coin-picker')).toBeVisible();
  await tabToPart(page, 'close-link');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focusOf(page)).part).toBe('other-coin');
  await page.keyboard.press('Enter');
  await tabToPart(page, 'search');
  await page.keyboard.type('dogecoin');
  await expect(coins).toHaveCount(1);
  await tabTo(page, ({ value }) => value === 'DOGE');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await buyer.view())?.payment?.kind).toBe('DOGE');
}

test(
  'a purchase by keyboard alone, from the shop and back',
  { tag: '@firefox' },
  async ({ page, stack }) => {
    await page.goto(stack.shopUrl);
    await tabTo(page, ({ tag, text }) => tag === 'button' && /buy|pay/i.test(text));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/orders\/A-/);
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    const buyer = new Buyer(page);
    await buyer.reaches('choose');

    await searchAndClear(page, buyer);

    await useFoldAndArrows(page, buyer);

    const places = await tabToPart(page, 'submit');
    expectReadingOrder(inside(places));
    await page.keyboard.press('Enter');
    await buyer.reaches('pay');
    expect((await buyer.payment()).kind).toBe('LTC');

    // The focused button is gone: the focus is on the stage's heading.
    await expect.poll(async () => (await focusOf(page)).tag).toBe('h2');
    await copyAmountAndAddress(page, buyer);

    await chooseOtherCoin(page, buyer);

    await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
    await buyer.reaches('seen');
    await stack.sandbox('mine', { kind: 'DOGE', blocks: 1 });
    await expect.poll(() => stack.orderStatus(id)).toBe('paid');
    await buyer.reaches('paid');
    await tabToPart(page, 'success-link');
    await page.keyboard.press('Enter');
    await page.waitForURL(/thanks|thank/);
  },
);

test('wallet, exchange and receipt by keyboard', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.reaches('choose');
  await tabTo(page, ({ value }) => value === 'BTC');
  await page.keyboard.press('Enter');
  await buyer.reaches('pay');
  const way = await tabToPart(page, 'option', 'Exchange');
  expectReadingOrder(inside(way));
  await page.keyboard.press('Space');
  const from = async (): Promise<unknown> =>
    (await buyer.view())?.payment && ((await buyer.payment()) as unknown as { from: string }).from;
  await expect.poll(from).toBe('exchange');
  // The focus continues from the pressed button.
  await expect.poll(async () => (await focusOf(page)).text).toBe('Exchange');
  expectReadingOrder(inside(await tabToPart(page, 'other-coin')));
  // Amount and address stand above the choice.
  const isCopy = ({ part }: Focus): boolean => part === 'copy-button';
  for (let button = 0; button < 2; button += 1) await tabTo(page, isCopy, 'Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  const copies = await tabTo(page, ({ text }) => text === 'Wallet');
  expect(copies.filter(isCopy)).toHaveLength(2);
  expectReadingOrder(inside(copies));
  await page.keyboard.press('Enter');
  await expect.poll(from).toBe('wallet');

  // The code is folded on a phone. Then the full-screen code: Escape leads back.
  await tabTo(page, ({ tag, text, part }) => tag === 'input' && !text && !part);
  await page.keyboard.press('Space');
  await expect(page.locator('crypto-qr').first()).toBeVisible();
  await tabToPart(page, 'large');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focusOf(page)).inDialog).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await focusOf(page)).part).toBe('large');

  await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  await buyer.reaches('complete');
  expectReadingOrder(inside(await tabToPart(page, 'receipt-link')));
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focusOf(page)).text).toBe('Receipt');
  expectReadingOrder(inside(await tabToPart(page, 'close-link')));
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focusOf(page)).part).toBe('receipt-link');
});

test('the dialog traps the focus; Escape closes it, reports the stage and restores the focus', async ({
  page,
  stack,
}) => {
  await watch(page);
  const id = await orderWithoutReturn(stack);
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<a href="#before">Before</a> <crypto-checkout-button server="${stack.publicUrl}" checkout="${id}"></crypto-checkout-button> <a href="#after">After</a>`,
  });
  await expect(page.locator('crypto-checkout-button [part~="button"]')).toBeVisible();
  await tabToPart(page, 'button');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page.getByRole('dialog').locator('input[type=radio]').first()).toBeVisible();
  const places: Focus[] = [];
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    places.push(await focusOf(page));
  }
  // After the last position the browser's own controls may come, never the page below.
  expect(
    places.filter(({ inDialog, tag }) => !inDialog && tag !== 'body' && tag !== 'html'),
  ).toEqual([]);
  expect(places.filter(({ part }) => part === 'close').length).toBeGreaterThan(0);
  expect(places.filter(({ part }) => part === 'submit').length).toBeGreaterThan(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  expect((await focusOf(page)).part.split(' ')).toContain('button');
  expect(await eventsOf(page)).toContain('close choose');

  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await tabTo(page, ({ value }) => value === 'BTC');
  await page.keyboard.press('Enter');
  // A phone cannot scan its own screen: the code is folded there.
  const code = page.getByRole('dialog').locator('crypto-qr').first();
  await expect(page.getByRole('dialog').getByText('Show QR code')).toBeVisible();
  await expect(code).toBeHidden();
  await tabTo(page, ({ tag }) => tag === 'input');
  await page.keyboard.press('Space');
  await expect(code).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  expect((await eventsOf(page)).at(-1)).toBe('close pay');
  expect((await focusOf(page)).part.split(' ')).toContain('button');
});

test('Tab reaches every link in the dialog, also in the shop', async ({ page, stack }) => {
  await order(page, stack);
  await page.goto(`${page.url()}?form=button`);
  await expect(page.locator('crypto-checkout-button [part~="button"]')).toBeVisible();
  await tabToPart(page, 'button');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog').locator('input[type=radio]').first()).toBeVisible();
  const places = await tabToPart(page, 'shop-link');
  expectReadingOrder(inside(places));
});

test('Enter in the search field never selects a hidden coin', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.reaches('choose');
  await tabToPart(page, 'search');
  await page.keyboard.type('dogecoin');
  await expect(buyer.checkout.locator('input[type=radio]:visible')).toHaveCount(1);
  const posted = page
    .waitForRequest((request) => request.method() === 'POST', { timeout: 1500 })
    .catch(() => null);
  await page.keyboard.press('Enter');
  await posted;
  expect([undefined, 'DOGE']).toContain((await buyer.view())?.payment?.kind);
});
