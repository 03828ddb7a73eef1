import { Buyer } from './buyer.ts';
import { expect, order, orderWithoutReturn, test } from './fixtures.ts';

// Every way in which a payment goes other than planned, played on the sandbox and read from the shop's page.

test('an under-payment says what is still due, and the rest completes it', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) / 4).toFixed(8) });
  await buyer.reaches('underpaid');
  const { remaining } = await buyer.payment();
  expect(Number(remaining)).toBeLessThan(Number(due));
  await expect.poll(() => buyer.text()).toContain(remaining);
  await stack.sandbox('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('an over-payment is paid, and said', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) * 2).toFixed(8) });
  await buyer.has('overpaid');
  await stack.sandbox('mine', { kind: 'ETH', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('the wrong token at the address is noted and never counted', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, kind: 'ETH_USDT', amount: '1000' });
  await stack.sandbox('mine', { kind: 'ETH_USDT', blocks: 20 });
  await buyer.has('wrong_coin');
  expect((await buyer.view())?.stage).toBe('pay');
  expect(await stack.orderStatus(id)).toBe('open');
});

test('one order paid with two coins is told to the buyer and to the shop', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const first = await buyer.payment();
  await buyer.checkout.locator('[part~="other-coin"]').click();
  await buyer.choose('DOGE');
  const second = await buyer.payment();
  expect(second.invoice_id).not.toBe(first.invoice_id);
  // Out of two wallets, before either has been seen.
  for (const { invoice_id } of [first, second]) await stack.sandbox('pay', { invoice_id });
  await buyer.has('paid_twice');
  for (const kind of ['LTC', 'DOGE']) await stack.sandbox('mine', { kind, blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  await expect(page.locator('[part~="note"]').filter({ hasText: 'paid more than once' })).toBeVisible();
});

test('once a payment is on its way, no other coin is given', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
  await buyer.reaches('seen');
  await expect(buyer.checkout.locator('[part~="other-coin"]')).toHaveCount(0);
  const { id } = (await buyer.view())!;
  const other = await fetch(`${stack.publicUrl}/checkouts/${id}/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stack.shopUrl },
    body: JSON.stringify({ kind: 'DOGE' }),
  });
  expect(other.status).toBe(409);
  expect((await buyer.payment()).kind).toBe('LTC');
});

test('a second payment after the end is told to the buyer who comes back to the page, and no stream is held for it', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'ETH' });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'ETH', blocks: 40 });
  await buyer.reaches('complete');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await stack.sandbox('pay', { invoice_id, amount: due });
  const seen = async (): Promise<boolean> => {
    const view = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as { notes: string[] };
    return view.notes.includes('paid_twice');
  };
  await expect.poll(seen, { timeout: 20_000 }).toBe(true);
  expect(asked).toEqual([]);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await buyer.has('paid_twice');
  await expect(page.locator('[part~="note"]').filter({ hasText: 'paid more than once' })).toBeVisible();
  expect(asked).toEqual([`/checkouts/${id}`]);
});

test('part in one coin and the rest in another pays the order', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const first = await buyer.payment();
  await stack.sandbox('pay', { invoice_id: first.invoice_id, amount: (Number(first.due) / 2).toFixed(8) });
  await buyer.reaches('underpaid');
  const { id: checkoutId } = (await buyer.view())!;
  const other = await fetch(`${stack.publicUrl}/checkouts/${checkoutId}/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'LTC' }),
  });
  expect(other.status).toBe(200);
  const { payment } = (await other.json()) as { payment: { invoice_id: string; remaining: string } };
  const came = page.locator('[part~="transaction"]');
  const part = `${Number((Number(first.due) / 2).toFixed(8))} BTC`;
  await expect(page.getByText(`${part} has arrived. Please send the remaining ${payment.remaining} LTC.`)).toBeVisible();
  await expect(came).toContainText([`${part} = `]);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id, amount: payment.remaining });
  await expect(came).toContainText([`${part} = `, `${payment.remaining} LTC = `]);
  for (const kind of ['BTC', 'LTC']) await stack.sandbox('mine', { kind, blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  expect(await buyer.notes()).not.toContain('paid_twice');
});

test('a payment after expiry is told as late, to buyer and shop', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('clock', { advance_seconds: 901 });
  await buyer.reaches('expired');
  await stack.sandbox('pay', { invoice_id, amount: due });
  await buyer.reaches('late');
  await expect.poll(() => stack.orderStatus(id)).toBe('late');
});

test('an expired quote is renewed from the page and then paid', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const before = await buyer.payment();
  await stack.sandbox('clock', { advance_seconds: 901 });
  await buyer.reaches('expired');
  await buyer.checkout.locator('[part~="renew-button"]').click();
  await expect.poll(async () => (await buyer.payment()).expires_at).not.toBe(before.expires_at);
  await buyer.reaches('pay');
  const after = await buyer.payment();
  expect(after.address).toBe(before.address);
  await stack.sandbox('pay', { invoice_id: after.invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a replaced payment goes back to waiting and says so', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id } = await buyer.payment();
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('replace', { txid, pays_us: false });
  await buyer.reaches('pay');
  await buyer.has('replaced');
});

test('a dropped payment is asked for again, and not called replaced', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id } = await buyer.payment();
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('drop', { txid });
  await buyer.reaches('pay');
  await buyer.has('dropped');
  expect(await buyer.notes()).not.toContain('replaced');
  await expect(page.getByText('The network no longer knows your transaction').first()).toBeVisible();
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await buyer.reaches('paid').catch(() => buyer.reaches('complete'));
});

test('a failed payment counts for nothing', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id } = await buyer.payment();
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('fail', { txid });
  await buyer.reaches('failed');
  // The shop had heard that something is on its way, and hears of nothing paid.
  await expect.poll(() => stack.orderStatus(id)).toBe('seen');
  // The same address takes another try.
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'ETH', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a reorganisation takes "paid" back on the page, and the shop hears of it', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const { invoice_id } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'LTC', blocks: 1 });
  await buyer.reaches('paid');
  await stack.sandbox('reorg', { kind: 'LTC', depth: 1 });
  await buyer.reaches('seen');
  await expect(page.getByText('the network has taken that back').first()).toBeVisible();
  await stack.sandbox('mine', { kind: 'LTC', blocks: 6 });
  await buyer.reaches('complete');
});

test('the shop hears that a paid order was taken back, and of its return', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('DOGE');
  const { invoice_id } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'DOGE', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  await stack.sandbox('reorg', { kind: 'DOGE', depth: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('reversed');
  await stack.sandbox('mine', { kind: 'DOGE', blocks: 6 });
  await expect.poll(() => stack.orderStatus(id)).toBe('complete');
});

test('two payments of one invoice add up', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH_USDT');
  const { invoice_id, due } = await buyer.payment();
  const part = (Number(due) / 2).toFixed(2);
  await stack.sandbox('pay', { invoice_id, outputs: [part, part] });
  await stack.sandbox('pay', { invoice_id, amount: '0.01' });
  await stack.sandbox('mine', { kind: 'ETH_USDT', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a part that is being checked leaves only the rest to be paid', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) / 2).toFixed(8), risk: 'high' });
  await buyer.reaches('underpaid');
  const { remaining } = await buyer.payment();
  expect(Number(remaining)).toBeCloseTo(Number(due) / 2, 6);
  await expect(page.getByText('Your payment is being checked')).toBeVisible();
  await stack.sandbox('pay', { invoice_id, amount: remaining });
  await buyer.reaches('held');
});

test('a reload in mid-payment shows the same payment', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const before = await buyer.payment();
  await page.reload();
  await buyer.reaches('pay');
  expect((await buyer.payment()).invoice_id).toBe(before.invoice_id);
  await stack.sandbox('pay', { invoice_id: before.invoice_id });
  await buyer.reaches('seen');
  await page.reload();
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('two tabs show one payment', async ({ page, context, stack }) => {
  await order(page, stack);
  const other = await context.newPage();
  await other.goto(page.url());
  const [one, two] = [new Buyer(page), new Buyer(other)];
  await one.choose('BTC');
  await two.reaches('pay');
  const [first, second] = [await one.payment(), await two.payment()];
  expect(second.invoice_id).toBe(first.invoice_id);
  await stack.sandbox('pay', { invoice_id: first.invoice_id });
  await Promise.all([one.reaches('seen'), two.reaches('seen')]);
});

test('a lost connection is said, and the page catches up by itself', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id } = await buyer.payment();
  await page.context().setOffline(true);
  await expect(buyer.checkout.locator('[part~="note"]').filter({ hasText: /^\s*No connection since/ })).toBeVisible({ timeout: 20_000 });
  await stack.sandbox('pay', { invoice_id });
  await page.context().setOffline(false);
  await buyer.reaches('seen');
  await expect(buyer.checkout.locator('[part~="note"]').filter({ hasText: /^\s*No connection since/ })).toBeHidden();
});

test('polling carries the payment when event streams are blocked', async ({ page, stack }) => {
  await page.route('**/events', (route) => route.abort());
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});
