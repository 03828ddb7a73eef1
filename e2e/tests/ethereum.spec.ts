import { type Address, parseEther, parseUnits } from 'viem';
import { type Ethereum, anvilBinary, startEthereum } from '../support/anvil.ts';
import { Buyer } from '../support/buyer.ts';
import { expect, order, orderWithoutReturn, test as base } from '../support/fixtures.ts';
import { Stack } from '../support/stack.ts';

// The same shop with a real Ethereum node behind the gateway; an independent wallet pays the
// address that it reads from the page.

const test = base.extend<object, { ethereum: Ethereum; stack: Stack }>({
  ethereum: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const ethereum = await startEthereum();
      await use(ethereum);
      await ethereum.stop();
    },
    { scope: 'worker' },
  ],
  stack: [
    async ({ ethereum }, use) => {
      const stack = await Stack.start({
        ETH_RPC_URL: ethereum.url,
        ETH_TOKENS: JSON.stringify({ ETH_USDT: ethereum.dollar }),
      });
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

test.skip(anvilBinary() === null, 'no Ethereum node for this platform; set ANVIL to the program');

test('an order is paid with ETH', async ({ page, stack, ethereum }) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const address = (await buyer.readAddress()) as Address;
  await ethereum.sendEther(address, parseEther((await buyer.payment()).due));
  await buyer.reaches('seen');
  await ethereum.mine(1);
  await buyer.checkout.locator('[part~="success-link"]').click({ timeout: 20_000 });
  await page.waitForURL(`${stack.shopUrl}/orders/${id}/thanks`);
  await expect(page.locator('#order-status')).toHaveAttribute('data-status', /paid|complete/);
  await ethereum.mine(12);
  await expect.poll(() => stack.orderStatus(id), { timeout: 20_000 }).toBe('complete');
});

test('an order is paid with a token of 6 decimals; a fake token is ignored', async ({
  page,
  stack,
  ethereum,
}) => {
  const id = await order(page, stack);
  const buyer = new Buyer(page);
  await buyer.choose('ETH_USDT');
  const address = (await buyer.readAddress()) as Address;
  const { due } = await buyer.payment();
  await ethereum.sendLookAlike(address, parseUnits(due, 6));
  await ethereum.mine(3);
  // A later payment proves that the scan has passed the look-alike's block.
  await ethereum.sendDollars(address, parseUnits(due, 6) / 2n);
  await ethereum.mine(1);
  await buyer.reaches('underpaid');
  expect((await buyer.payment()).transactions).toHaveLength(1);
  expect(await buyer.notes()).not.toContain('wrong_coin');
  await ethereum.sendDollars(address, parseUnits(due, 6) - parseUnits(due, 6) / 2n);
  await ethereum.mine(1);
  await expect.poll(() => stack.orderStatus(id), { timeout: 20_000 }).toBe('paid');
});

test('a reorganisation reverts paid to seen on the page', async ({ page, stack, ethereum }) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const buyer = new Buyer(page);
  await buyer.choose('ETH');
  const address = (await buyer.readAddress()) as Address;
  const raw = await ethereum.signEther(address, parseEther((await buyer.payment()).due));
  await ethereum.broadcast(raw);
  await ethereum.mine(1);
  await buyer.reaches('paid');
  await ethereum.reorganise(1);
  // The other branch does not hold the payment; like any wallet, the buyer's sends it again.
  await ethereum.broadcast(raw);
  await buyer.reaches('seen');
  expect(
    (await buyer.payment()).transactions.filter(({ status }) => status !== 'replaced'),
  ).toHaveLength(1);
  await ethereum.mine(1);
  await buyer.reaches('paid');
});
