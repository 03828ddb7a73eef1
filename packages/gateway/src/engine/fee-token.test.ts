import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { contracts, ethereumAt, tokensOf } from '../../test/support/ethereum.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';

let anvil: Anvil;
let shop: TestShop;
let token: Address;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, contracts['FeeToken']!);
  shop = await testShop({ chains: ['ethereum'] });
  const { adapter } = await ethereumAt(anvil.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  await shop.settle();
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await anvil?.stop();
});

it('a token that keeps a part of each transfer is credited with what arrived', async () => {
  const invoice = await shop.create({ kind: 'ETH_USDT', amount: '100', currency: 'USDT' });
  const address = invoice.address as Address;
  const { abi } = contracts['FeeToken']!;
  const args = [address, 100_000_000n];
  const data = encodeFunctionData({ abi, functionName: 'transfer', args });
  await anvil.wallet.sendTransaction({ to: token, data, gas: 200_000n });
  await shop.settle();
  await anvil.wallet.mine({ blocks: 12 });
  await shop.settle();
  expect(await tokensOf(anvil, token, address)).toBe(90_000_000n);
  expect(await shop.balance('ETH_USDT')).toMatchObject({ available: '90' });
  expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('90');
});

it('an amount that a waiting transfer announced is corrected by its block', async () => {
  const invoice = await shop.create({ kind: 'ETH_USDT', amount: '100', currency: 'USDT' });
  const before = await shop.balance('ETH_USDT');
  const address = invoice.address as Address;
  const { abi } = contracts['FeeToken']!;
  const args = [address, 100_000_000n];
  const data = encodeFunctionData({ abi, functionName: 'transfer', args });
  await anvil.wallet.sendTransaction({ to: token, data, gas: 200_000n });
  await shop.settle();
  // The mempool shows what the transaction asks for.
  expect(await shop.transactions(invoice.id)).toMatchObject([
    { status: 'pending', amount: { paid: { amount: '100' } } },
  ]);
  await anvil.wallet.mine({ blocks: 1 });
  await shop.settle();
  expect((await shop.transactions(invoice.id))[0]).toMatchObject({
    amount: { paid: { amount: '90' } },
  });
  expect(before.available).toBe('90');
});
