import type { Page } from '@playwright/test';
import { Buyer } from '../support/buyer.ts';
import { expect, order, orderWithoutReturn, test as base } from '../support/fixtures.ts';
import { readQr } from '../support/qr.ts';
import { viewOf } from '../support/read-payment.ts';
import {
  missingPrograms,
  startRealNodes,
  type RealNodes,
  type ScannedCode,
} from '../support/real-nodes.ts';
import { call } from '../support/signed-call.ts';
import { Stack } from '../support/stack.ts';

// The way of docs/run/networks.md: settings alone point the gateway at a Bitcoin-like node and at a
// lightning node. Debian's Electrum scans the hosted page's code, pays, and is paid out to.

const test = base.extend<object, { nodes: RealNodes; stack: Stack }>({
  nodes: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const nodes = await startRealNodes();
      await use(nodes);
      await nodes.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  stack: [
    async ({ nodes }, use) => {
      const stack = await Stack.start(nodes.settings);
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

test.skip(missingPrograms.length > 0, `not installed: ${missingPrograms.join(', ')}`);
test.describe.configure({ timeout: 90_000 });

/** Chooses the coin, and gives the picture of its code to Electrum. */
async function scan(page: Page, nodes: RealNodes, kind: string): Promise<ScannedCode> {
  await new Buyer(page).choose(kind);
  let text: string | null = null;
  await expect
    .poll(async () => (text = await readQr(page.locator('crypto-qr').first())))
    .not.toBeNull();
  return nodes.read(text!);
}

/** Waits on the page until it is paid; then the shop's order completes. */
async function expectPaid(page: Page, stack: Stack, id: string): Promise<void> {
  await page.waitForURL(`${stack.shopUrl}/orders/${id}/thanks`, { timeout: 40_000 });
  await expect.poll(() => stack.orderStatus(id), { timeout: 20_000 }).toBe('complete');
}

/** Leaves the paid page as a buyer does, without waiting for the redirect. */
const goOn = (page: Page): Promise<void> =>
  page.locator('crypto-checkout [part~="success-link"]').click({ timeout: 20_000 });

/** Pays out an amount, and waits until the payout is complete. */
async function payOut(
  stack: Stack,
  kind: string,
  recipient: { address: string; amount: string },
): Promise<() => Promise<string>> {
  const { profile_id } = stack.credentials;
  const recipients = [{ ...recipient, currency: 'BTC' }];
  const created = await call(stack, 'POST', '/v1/payouts/', { kind, profile_id, recipients });
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 });
  const { id } = created.body.result as { id: string };
  return async () => (await call(stack, 'GET', `/v1/payouts/${id}/`)).body.result.status as string;
}

test('Electrum scans the code of an order, pays it on the chain, and is paid out to', async ({
  page,
  stack,
  nodes,
}) => {
  const id = await order(page, stack);
  const scanned = await scan(page, nodes, 'BTC');
  const signed = await nodes.electrum<string>('payto', {
    destination: scanned.address,
    amount: String(scanned.amount! / 1e8),
    feerate: 5,
  });
  await nodes.electrum('broadcast', { tx: signed });
  const buyer = new Buyer(page);
  await buyer.reaches('seen');
  await nodes.mine(1);
  await goOn(page);
  await nodes.mine(5);
  await expectPaid(page, stack, id);

  const address = await nodes.electrum<string>('createnewaddress');
  const status = await payOut(stack, 'BTC', { address, amount: '0.0001' });
  const held = (): Promise<[string, string][]> =>
    nodes.electrum('listaddresses', { receiving: true, funded: true, balance: true });
  await expect.poll(held, { timeout: 20_000 }).toContainEqual([address, '0.0001']);
  await nodes.mine(6);
  await expect.poll(status, { timeout: 20_000 }).toBe('complete');
  expect(await held()).toContainEqual([address, '0.0001']);
});

test('Electrum reads one code for bitcoin and lightning, and pays its request', async ({
  stack,
  nodes,
}) => {
  const id = await orderWithoutReturn(stack);
  const choice = { kind: 'BTC', with_lightning: true };
  await stack.asShop(`/checkouts/${id}/payment`, choice);
  const { payment } = await viewOf(stack, id);
  const text = (payment as unknown as { strings: { qr: string } }).strings.qr;
  const scanned = await nodes.read(text);
  expect(scanned.address?.toLowerCase()).toBe(payment.address);
  expect(scanned.amount).toBe(Math.round(Number(payment.due) * 1e8));
  const paid = await nodes.electrum<{ success: boolean }>('lnpay', { invoice: scanned.lightning });
  expect(paid.success).toBe(true);
  await expect
    .poll(async () => (await viewOf(stack, id)).stage, { timeout: 20_000 })
    .toBe('complete');
});

/** Chooses bitcoin and then lightning for one order; returns the address and the request. */
async function chooseBoth(
  stack: Stack,
  id: string,
): Promise<{ address: string; due: string; request: string }> {
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const { address, due } = (await viewOf(stack, id)).payment;
  const { payment } = await stack.asShop<{
    payment: { lightning: { payment_request: string } };
  }>(`/checkouts/${id}/payment`, { kind: 'BTC_LIGHTNING' });
  return { address: address!, due: due!, request: payment.lightning.payment_request };
}

async function payOnChain(
  nodes: RealNodes,
  { address, due }: { address: string; due: string },
): Promise<void> {
  const parameters = { destination: address, amount: due, feerate: 5 };
  const tx = await nodes.electrum<string>('payto', parameters);
  await nodes.electrum('broadcast', { tx });
}

test('a payment on the chain ends the lightning request of the same order', async ({
  stack,
  nodes,
}) => {
  const id = await orderWithoutReturn(stack);
  const chosen = await chooseBoth(stack, id);
  await payOnChain(nodes, chosen);
  await expect.poll(() => nodes.stateOf(chosen.request), { timeout: 20_000 }).toBe('CANCELED');
  const refused = await nodes.electrum<{ success: boolean }>('lnpay', { invoice: chosen.request });
  expect(refused.success).toBe(false);
  await nodes.mine(6);
  await expect
    .poll(async () => (await viewOf(stack, id)).stage, { timeout: 20_000 })
    .toBe('complete');
});

test('an order that is paid over lightning and then on the chain is overpaid', async ({
  stack,
  nodes,
}) => {
  const id = await orderWithoutReturn(stack);
  const chosen = await chooseBoth(stack, id);
  const paid = await nodes.electrum<{ success: boolean }>('lnpay', { invoice: chosen.request });
  expect(paid.success).toBe(true);
  await payOnChain(nodes, chosen);
  await nodes.mine(6);
  const notes = async (): Promise<string[]> => (await viewOf(stack, id)).notes;
  await expect.poll(notes, { timeout: 20_000 }).toContain('paid_twice');
  expect(await notes()).toContain('overpaid');
});

test('Electrum scans the code of an order, pays it over lightning, and is paid out to', async ({
  page,
  stack,
  nodes,
}) => {
  const id = await order(page, stack);
  const scanned = await scan(page, nodes, 'BTC_LIGHTNING');
  const paid = await nodes.electrum<{ success: boolean }>('lnpay', { invoice: scanned.lightning });
  expect(paid.success).toBe(true);
  await new Buyer(page).reaches('complete');
  await goOn(page);
  await expectPaid(page, stack, id);

  const { lightning_invoice: address } = await nodes.electrum<{ lightning_invoice: string }>(
    'add_request',
    { amount: '0.0001', memo: 'paid out' },
  );
  const status = await payOut(stack, 'BTC_LIGHTNING_TO_LIGHTNING', { address, amount: '0.0001' });
  await expect.poll(status, { timeout: 20_000 }).toBe('complete');
  const requests = await nodes.electrum<{ status_str: string }[]>('list_requests');
  expect(requests.map(({ status_str }) => status_str)).toEqual(['Paid']);
  expect(await nodes.violations()).toEqual([]);
});
