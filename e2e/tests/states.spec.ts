import { Buyer } from '../support/buyer.ts';
import { expect, order, orderWithoutReturn, test } from '../support/fixtures.ts';

// Every way in which a payment deviates, played on the sandbox and read from the shop's page.

test('an underpayment shows the remaining amount; paying it completes the order', async ({
  page,
  stack,
}) => {
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

test('an overpayment completes the order and shows the excess', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) * 2).toFixed(8) });
  await buyer.has('overpaid');
  await stack.sandbox('mine', { kind: 'ETH', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a wrong token sent to the address is shown and never counted', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, kind: 'ETH_USDT', amount: '1000' });
  await stack.sandbox('mine', { kind: 'ETH_USDT', blocks: 20 });
  await buyer.has('wrong_coin');
  expect((await buyer.view())?.stage).toBe('pay');
  // The shop hears of it, and the order is not paid.
  await expect.poll(() => stack.orderStatus(id)).toBe('wrong_coin');
});

test('an order paid twice in two coins is reported to buyer and shop', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const first = await buyer.payment();
  await buyer.checkout.locator('[part~="other-coin"]').click();
  await buyer.choose('DOGE');
  const second = await buyer.payment();
  expect(second.invoice_id).not.toBe(first.invoice_id);
  // From two wallets, before either payment has been seen.
  for (const { invoice_id } of [first, second]) await stack.sandbox('pay', { invoice_id });
  await buyer.has('paid_twice');
  for (const kind of ['LTC', 'DOGE']) await stack.sandbox('mine', { kind, blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  await expect(page.locator('[part~="heading"]').first()).toHaveText('You paid twice');
  await expect.poll(() => buyer.text()).toContain('paid more than once');
});

test('a detected payment locks the coin', async ({ page, stack }) => {
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

test('a second payment after completion is shown on return, without an open stream', async ({
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
  // The texts of trouble load when it comes: only requests for the checkout count.
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/elements/')) asked.push(pathname);
  });
  await stack.sandbox('pay', { invoice_id, amount: due });
  const seen = async (): Promise<boolean> => {
    const view = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
      notes: string[];
    };
    return view.notes.includes('paid_twice');
  };
  await expect.poll(seen, { timeout: 20_000 }).toBe(true);
  expect(asked).toEqual([]);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await buyer.has('paid_twice');
  await expect(page.locator('[part~="heading"]').first()).toHaveText('You paid twice');
  await expect.poll(() => buyer.text()).toContain('ask for a refund once the payment is final');
  expect(asked).toEqual([`/checkouts/${id}`]);
});

test('partial payments in two coins complete the order', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const first = await buyer.payment();
  await stack.sandbox('pay', {
    invoice_id: first.invoice_id,
    amount: (Number(first.due) / 2).toFixed(8),
  });
  await buyer.reaches('underpaid');
  const { id: checkoutId } = (await buyer.view())!;
  const other = await fetch(`${stack.publicUrl}/checkouts/${checkoutId}/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'LTC' }),
  });
  expect(other.status).toBe(200);
  const { payment } = (await other.json()) as {
    payment: { invoice_id: string; remaining: string };
  };
  const came = page.locator('[part~="transaction"]');
  const part = `${Number((Number(first.due) / 2).toFixed(8))} BTC`;
  // Exactly: the live region announces it with the stage before it.
  await expect(
    page.getByText(`${part} received. Send ${payment.remaining} LTC more.`, {
      exact: true,
    }),
  ).toBeVisible();
  await expect(came).toContainText([`${part} = `]);
  await stack.sandbox('pay', { invoice_id: payment.invoice_id, amount: payment.remaining });
  await expect(came).toContainText([`${part} = `, `${payment.remaining} LTC = `]);
  for (const kind of ['BTC', 'LTC']) await stack.sandbox('mine', { kind, blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  expect(await buyer.notes()).not.toContain('paid_twice');
});

test('a payment after expiry is reported as late to buyer and shop', async ({ page, stack }) => {
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

test('an expired order is reported to the shop, then renewed on the page and paid', async ({
  page,
  stack,
}) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const before = await buyer.payment();
  await stack.sandbox('clock', { advance_seconds: 901 });
  await buyer.reaches('expired');
  expect(await stack.orderStatus(id)).toBe('open');
  await stack.sandbox('clock', { advance_seconds: 3600 });
  await expect.poll(() => stack.orderStatus(id)).toBe('expired');
  await buyer.checkout.locator('[part~="renew-button"]').click();
  await expect.poll(async () => (await buyer.payment()).expires_at).not.toBe(before.expires_at);
  await buyer.reaches('pay');
  const after = await buyer.payment();
  expect(after.address).toBe(before.address);
  await stack.sandbox('pay', { invoice_id: after.invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a replaced payment returns to the pay stage with a notice', async ({ page, stack }) => {
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

test('a dropped payment returns to the pay stage, not reported as replaced', async ({
  page,
  stack,
}) => {
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
  await expect(page.getByText('The network dropped your transaction').first()).toBeVisible();
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await buyer.reaches('paid').catch(() => buyer.reaches('complete'));
});

test('a failed payment is not counted', async ({ page, stack }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const { invoice_id } = await buyer.payment();
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('fail', { txid });
  await buyer.reaches('failed');
  // The shop received checkout.seen, and nothing about a payment.
  await expect.poll(() => stack.orderStatus(id)).toBe('seen');
  // The same address accepts another attempt.
  await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'ETH', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});

test('a reorganisation reverts paid on the page and notifies the shop', async ({ page, stack }) => {
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
  await expect(page.getByText('The network took a confirmation back').first()).toBeVisible();
  await stack.sandbox('mine', { kind: 'LTC', blocks: 6 });
  await buyer.reaches('complete');
});

test('the shop is notified of a reverted payment and of its return', async ({ page, stack }) => {
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

test('two payments of one invoice are summed', async ({ page, stack }) => {
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

test('a part in quarantine leaves only the remainder to pay', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) / 2).toFixed(8), risk: 'high' });
  await buyer.reaches('underpaid');
  const { remaining } = await buyer.payment();
  expect(Number(remaining)).toBeCloseTo(Number(due) / 2, 6);
  await expect(page.getByText('Your payment is being checked').first()).toBeVisible();
  await stack.sandbox('pay', { invoice_id, amount: remaining });
  await buyer.reaches('held');
});

test('a reload keeps the payment', async ({ page, stack }) => {
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

test('two tabs show the same payment', async ({ page, context, stack }) => {
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

test('a lost connection is announced; the page recovers by itself', async ({ page, stack }) => {
  await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id } = await buyer.payment();
  await page.context().setOffline(true);
  await expect(
    buyer.checkout.locator('[part~="note"]').filter({ hasText: /^\s*No connection since/ }),
  ).toBeVisible({ timeout: 20_000 });
  await stack.sandbox('pay', { invoice_id });
  await page.context().setOffline(false);
  await buyer.reaches('seen');
  await expect(
    buyer.checkout.locator('[part~="note"]').filter({ hasText: /^\s*No connection since/ }),
  ).toBeHidden();
});

test('polling replaces blocked event streams', async ({ page, stack }) => {
  await page.route(/\/events(\?|$)/, (route) => route.abort());
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await expect.poll(() => stack.orderStatus(id)).toBe('paid');
});
