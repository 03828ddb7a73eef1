import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Buyer } from '../support/buyer.ts';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { readQr } from '../support/qr.ts';
import { Stack } from '../support/stack.ts';
import { viewOf } from '../support/read-payment.ts';
import { call } from '../support/signed-call.ts';

// Ways to finish a payment that other checkouts leave to the shop's support.

const run = promisify(execFile);
const curl = async (...args: string[]): Promise<string> =>
  (await run('curl', ['-sS', '--max-time', '10', ...args])).stdout;

interface Quote {
  invoice_id: string;
  address: string;
  due: string;
  expires_at: string;
  extendable: boolean;
}
const quoteOf = async (stack: Stack, id: string): Promise<Quote> =>
  (await viewOf<Quote>(stack, id)).payment;
const stageOf = async (stack: Stack, id: string): Promise<string> =>
  (await viewOf(stack, id)).stage;

test("for exchanges: plain address, separate values, the network's exchange name, and a longer quote", async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('ETH_USDT');
  const wallet = await quoteOf(stack, id);
  await page.getByRole('button', { name: 'Exchange' }).click();
  await expect(page.locator('[part~="exchange-network"]')).toContainText('ERC20');
  const exchange = await quoteOf(stack, id);
  expect(Date.parse(exchange.expires_at) - Date.parse(wallet.expires_at)).toBeGreaterThan(
    1_800_000,
  );
  expect(await readQr(page.locator('crypto-qr').first())).toBe(exchange.address);
  await expect(page.locator('crypto-amount')).toContainText(
    `${exchange.due} USDT must arrive after your exchange’s fee.`,
  );
  await expect(page.locator('[part~="wallet-link"]')).toHaveCount(0);
  await stack.sandbox('pay', { invoice_id: exchange.invoice_id });
  await buyer.reaches('seen');
});

test('more time is offered and announced before expiry, with the same price and address', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  await stack.sandbox('clock', { advance_seconds: 800 });
  const before = await quoteOf(stack, id);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const voice = page.locator('crypto-checkout [aria-live="polite"]');
  await expect(voice).toContainText('Need more time?');
  await expect(page.locator('[part~="more-button"]')).toBeVisible();
  await page.locator('[part~="more-button"]').click();
  await expect(voice).toContainText('You have more time now: until');
  await expect(page.locator('[part~="more-button"]')).toBeHidden();
  const after = await quoteOf(stack, id);
  expect(Date.parse(after.expires_at)).toBeGreaterThan(Date.parse(before.expires_at) + 600_000);
  expect([after.address, after.due]).toEqual([before.address, before.due]);
  expect(after.extendable).toBe(false);
});

test('a late payment shows the amount and the contact; another coin still pays', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('LTC');
  const { invoice_id, due, address } = await quoteOf(stack, id);
  await stack.sandbox('clock', { advance_seconds: 901 });
  await buyer.reaches('expired');
  // The address stays on the screen.
  await expect(buyer.checkout).toContainText(address);
  await stack.sandbox('pay', { invoice_id, amount: due });
  await buyer.reaches('late');
  await expect.poll(() => buyer.text()).toContain(due);
  await page.locator('[part~="other-coin"]').click();
  await buyer.choose('BTC');
  await stack.sandbox('pay', { invoice_id: (await quoteOf(stack, id)).invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  await buyer.reaches('paid');
});

for (const [paidBy, first, second] of [
  ['the chain', 'BTC_LIGHTNING', 'BTC'],
  ['lightning', 'BTC', 'BTC_LIGHTNING'],
] as const)
  test(`bitcoin and lightning are offered side by side: paid by ${paidBy}`, async ({
    page,
    stack,
  }) => {
    const id = await orderWithoutReturn(stack);
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    const buyer = new Buyer(page);
    await buyer.choose(first);
    const twins = page.locator('form[part~="twins"] button');
    await expect(twins).toHaveText(['Both', 'On-chain', 'Lightning']);
    await twins.nth(second === 'BTC' ? 1 : 2).click();
    await expect.poll(async () => (await buyer.view())?.payment?.kind).toBe(second);
    await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
    await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
    await buyer.reaches('complete');
    expect(await buyer.notes()).not.toContain('paid_twice');
  });

/**
 * An order with an invoice for each form of bitcoin, which a buyer may have open in two wallets.
 */
async function bothForms(
  stack: Stack,
): Promise<{ id: string; onChain: string; lightning: string }> {
  const id = await orderWithoutReturn(stack);
  const invoiceIn = async (kind: string): Promise<string> => {
    await stack.asShop(`/checkouts/${id}/payment`, { kind });
    return (await quoteOf(stack, id)).invoice_id;
  };
  const onChain = await invoiceIn('BTC');
  return { id, onChain, lightning: await invoiceIn('BTC_LIGHTNING') };
}

test('paying both, lightning first, completes one order and reports the second payment', async ({
  page,
  stack,
}) => {
  const { id, onChain, lightning } = await bothForms(stack);
  for (const invoice_id of [lightning, onChain]) await stack.sandbox('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
  const notesOf = async (): Promise<string[]> => (await viewOf(stack, id)).notes;
  await expect.poll(notesOf, { timeout: 20_000 }).toContain('paid_twice');
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.has('paid_twice');
  await expect.poll(() => buyer.text()).toContain('paid more than once');
  expect(['paid', 'complete']).toContain((await buyer.view())?.stage);
});

test('a payment on the chain ends the lightning request: no wallet can pay a second time', async ({
  page,
  stack,
}) => {
  const { id, onChain, lightning } = await bothForms(stack);
  await stack.sandbox('pay', { invoice_id: onChain });
  const path = `/v1/invoices/${lightning}/`;
  const statusOf = async (): Promise<unknown> =>
    (await call(stack, 'GET', path)).body.result.status;
  await expect.poll(statusOf, { timeout: 20_000 }).toBe('expired');
  await expect(stack.sandbox('pay', { invoice_id: lightning })).rejects.toThrow(
    'This lightning request was cancelled.',
  );
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.reaches('complete');
  expect(await buyer.notes()).not.toContain('paid_twice');
});

test('excess and replaced payments are shown to the buyer', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('BTC');
  const { invoice_id, due } = await quoteOf(stack, id);
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await buyer.reaches('seen');
  await expect(page.locator('[part~="confirmations"]').first()).toContainText(/0 of \d/);
  await stack.sandbox('replace', { txid, pays_us: false });
  await buyer.has('replaced');
  await expect.poll(() => buyer.text()).toContain('replaced this transaction');
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) * 1.5).toFixed(8) });
  await buyer.has('overpaid');
  await expect.poll(() => buyer.text()).toMatch(/You paid [\d.]+\sBTC too much/);
  await expect.poll(() => buyer.text()).toContain('once the payment is final. 0 of 6 conf');
});

test('the receipt proves the payment at a permanent link', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'LTC' });
  const { invoice_id, due, address } = await quoteOf(stack, id);
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id });
  await stack.sandbox('mine', { kind: 'LTC', blocks: 12 });
  await expect.poll(() => stageOf(stack, id)).toBe('complete');
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await page.locator('[part~="receipt-link"]').click();
  const receipt = page.locator('[part~="receipt"]');
  for (const text of [
    txid,
    due,
    address,
    invoice_id,
    '1 LTC =',
    '$18.50',
    'Quay & Co.',
    String(new Date().getFullYear()),
  ])
    await expect(receipt).toContainText(text);
  await page.goto(`${stack.publicUrl}/invoice/${invoice_id}/?show=receipt`);
  await expect(page.locator('[part~="receipt"]')).toContainText(txid);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('[part~="print-button"]')).toBeHidden();
  await expect(page.locator('[part~="receipt"]')).toBeVisible();
});

test('an order of which each half came in another coin has one signed receipt', async ({
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  const quotes: Quote[] = [];
  for (const kind of ['BTC', 'LTC']) {
    await stack.asShop(`/checkouts/${id}/payment`, { kind });
    quotes.push(await quoteOf(stack, id));
  }
  const link = `${stack.publicUrl}/pay/${id}/receipt?format=json`;
  expect((await fetch(link)).status).toBe(409);
  for (const { invoice_id, due } of quotes)
    await stack.sandbox('pay', { invoice_id, amount: (Number(due) / 2).toFixed(8) });
  for (const kind of ['BTC', 'LTC']) await stack.sandbox('mine', { kind, blocks: 1 });
  await expect.poll(() => stageOf(stack, id)).toBe('paid');
  const { claims } = await (await fetch(link)).json();
  expect(claims.payments.map(({ invoice_id }: Quote) => invoice_id)).toEqual(
    quotes.map(({ invoice_id }) => invoice_id),
  );
});

test('one link serves browsers, programs and terminals', async ({ stack }) => {
  const id = await orderWithoutReturn(stack);
  const link = `${stack.publicUrl}/pay/${id}/`;
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const { address, due } = await quoteOf(stack, id);
  const html = await curl('-H', 'accept: text/html', link);
  expect(html).toMatch(/^<!doctype html>/i);
  const json = JSON.parse(await curl('-H', 'accept: application/json', link)) as {
    id: string;
    payment: { address: string };
  };
  expect([json.id, json.payment.address]).toEqual([id, address]);
  const text = await curl(link);
  expect(text).toContain(address);
  expect(text).toContain(due);
  expect(text).toMatch(/[▀▄█]{10}/);
  expect(text).not.toContain('<');
  // The commands in the text work.
  const command = /curl -L -d extend=true (\S+)/.exec(text)?.[1] ?? '';
  expect(command).toContain(`/checkouts/${id}/renew`);
  expect(await curl('-L', '-d', 'extend=true', command)).toContain(address);
});

test.describe('with more settings of the operator', () => {
  let more: Stack;
  test.beforeAll(async () => {
    test.setTimeout(180_000);
    more = await Stack.start({
      LATE_PAYMENTS: 'accept',
      SUPPORT_URL: 'https://help.example/orders',
      ONRAMP_URL:
        'https://sell.example/?key={api_key}&to={address}&coins={amount}&coin={symbol}&chain={network}',
    });
    await more.sql("update profile set onramp_api_key = 'test-onramp-key'");
  });
  test.afterAll(() => more?.stop());

  test('a late payment counts at the rate of its arrival', async ({ page }) => {
    const id = await orderWithoutReturn(more);
    await page.goto(`${more.publicUrl}/pay/${id}/`);
    const buyer = new Buyer(page);
    await buyer.choose('BTC');
    const { invoice_id, due } = await quoteOf(more, id);
    await more.sandbox('clock', { advance_seconds: 901 });
    await buyer.reaches('expired');
    await more.sandbox('pay', { invoice_id, amount: (Number(due) * 1.01).toFixed(8) });
    await more.sandbox('mine', { kind: 'BTC', blocks: 2 });
    await buyer.reaches('paid');
    await buyer.has('late_accepted');
    // Acceptance is stored in the service, which signs it.
    await page.locator('[part~="receipt-link"]').click();
    await expect(page.locator('[part~="receipt-file"]')).toBeVisible();
    const receipt = await (await fetch(`${more.publicUrl}/pay/${id}/receipt?format=json`)).json();
    expect(receipt.claims).toMatchObject({ invoice_id, payments: [{ late: true }] });
  });

  test("the shop's contact is shown wherever a buyer may need it", async ({ page }) => {
    const id = await orderWithoutReturn(more);
    await more.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
    const { invoice_id, due } = await quoteOf(more, id);
    await more.sandbox('pay', { invoice_id, amount: (Number(due) / 2).toFixed(8) });
    await expect.poll(() => stageOf(more, id)).toBe('underpaid');
    await page.goto(`${more.publicUrl}/pay/${id}/`);
    await expect(page.locator('[part~="contact-link"]')).toHaveAttribute(
      'href',
      'https://help.example/orders',
    );
  });

  test('the card on-ramp opens in a frame only on request', async ({ page }) => {
    const id = await orderWithoutReturn(more);
    await more.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
    const { address } = await quoteOf(more, id);
    const asked: string[] = [];
    await page.route('https://sell.example/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><title>Buy</title><h1>Buy</h1>',
      });
    });
    await page.goto(`${more.publicUrl}/pay/${id}/`);
    await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
    expect(asked).toEqual([]);
    await page.locator('#onramp > summary').click();
    await expect(page.locator('#onramp')).toContainText('sell.example');
    await page.locator('#onramp a').click();
    await expect(
      page.frameLocator('#onramp iframe').getByRole('heading', { name: 'Buy' }),
    ).toBeVisible();
    expect(asked).toHaveLength(1);
    const query = new URL(asked[0] ?? '').searchParams;
    expect([query.get('to'), query.get('coin'), query.get('key')]).toEqual([
      address,
      'BTC',
      'test-onramp-key',
    ]);
  });
});
