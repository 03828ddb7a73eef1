import { type Address, parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { answering, startRpcProxy, type RpcProxy } from '../../../chains/test/support/rpc-proxy.ts';
import { contracts, ethereumAt } from '../../test/support/ethereum.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

let anvil: Anvil;
let proxy: RpcProxy;
let shop: SweepShop;

beforeAll(async () => {
  anvil = await startAnvil();
  const token = await deploy(anvil, contracts['Token']!);
  proxy = await startRpcProxy(anvil.url);
  shop = await sweepShop({ chains: ['ethereum'] });
  const { adapter, sender } = await ethereumAt(proxy.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
  await shop.settle();
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

it('a sweep that the provider no longer finds does not fail while it used its own number', async () => {
  const { address } = await shop.create({ kind: 'ETH', amount: undefined });
  const deposited = { to: address as Address, value: parseEther('2'), gas: 21_000n };
  await anvil.wallet.sendTransaction(deposited);
  await anvil.wallet.mine({ blocks: 12 });
  await shop.settle();
  shop.context.clock.advance(600_000);
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'sending' }]);
  proxy.change(answering(/^eth_getTransaction(Receipt|ByHash)$/, null));
  await anvil.wallet.mine({ blocks: 20 });
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'sending' }]);
  proxy.change(null);
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
});
