import { sql } from 'kysely';
import { type Address, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mnemonicToSeedSync } from '@scure/bip39';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import { startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../chains/test/support/rpc-proxy.ts';
import { TEST_START } from '../../test/support/context.ts';
import { words } from '../../test/support/ethereum.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { createEvmChain, createEvmProviders } from './evm-chain.ts';

const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
const FINAL = 12;
const DIFFERENT =
  'The providers of the chain have different blocks at this payment: it waits until they agree';
const UNKNOWN = 'No second provider shows the block of this payment: it waits until one does';
const CLOSED: ChangeAnswer = () => {
  throw new Error('The proxy is closed');
};

let anvil: Anvil;
/** Has the same first blocks, and then others. */
let other: Anvil;
let proxies: RpcProxy[];
let shop: TestShop;

beforeEach(async () => {
  // The finalized block is two blocks behind the newest one.
  const start = ['--timestamp', String(TEST_START / 1000 - 600), '--slots-in-an-epoch', '1'];
  anvil = await startAnvil(...start);
  other = await startAnvil(...start);
  shop = await testShop({ chains: ['ethereum', 'bsc'] });
  proxies = [];
}, 60_000);
afterEach(async () => {
  await shop?.close();
  for (const proxy of proxies) await proxy.stop();
  await anvil?.stop();
  await other?.stop();
});

/** Ethereum over these nodes. */
const connect = (...nodes: Anvil[]): Promise<void> => connectChain('ethereum', nodes);

async function connectChain(chain: EvmChainId, nodes: readonly Anvil[]): Promise<void> {
  for (const node of nodes) proxies.push(await startRpcProxy(node.url));
  const providers = createEvmProviders(chain, {
    providers: proxies.map(({ url }) => ({ url, headers: {} })),
    tokens: {},
  });
  await providers.tryToOpen(null);
  const { adapter } = createEvmChain(providers, {
    network: 'testnet',
    keys,
    log: shop.context.log,
  });
  (shop.context.chains as Map<string, ChainAdapter>).set(chain, adapter);
  await mine();
}

async function mine(blocks = 1, node = anvil): Promise<void> {
  await node.wallet.mine({ blocks });
  await shop.settle();
}
const pay = ({ address }: ShownInvoice, ether: string) =>
  anvil.wallet.sendTransaction({ to: address as Address, value: parseEther(ether) });
const alarms = async (): Promise<string[]> =>
  (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
    ({ reason }) => reason,
  );
const statuses = async (...invoices: ShownInvoice[]): Promise<string[]> =>
  Promise.all(invoices.map(async ({ id }) => (await shop.get(id)).status));

/** 10,000 USD and 100 USD at the fixed rate, both paid in the next block. */
async function payBoth(): Promise<[ShownInvoice, ShownInvoice]> {
  const large = await shop.create({ kind: 'ETH', amount: '10000' });
  const small = await shop.create({ kind: 'ETH', amount: '100' });
  await pay(large, '4');
  await pay(small, '0.04');
  return [large, small];
}

describe('a payment above the limit', () => {
  it('is complete when two providers have its block', async () => {
    await connect(anvil, anvil);
    const both = await payBoth();
    await mine(FINAL - 1);
    expect(await statuses(...both)).toEqual(['paid', 'paid']);
    await mine();
    expect(await statuses(...both)).toEqual(['complete', 'complete']);
    expect(await alarms()).toEqual([]);
  });

  it('is not complete while the other provider has other blocks', async () => {
    await connect(anvil, other);
    const both = await payBoth();
    await mine(FINAL + 1);
    await mine(FINAL + 1, other);
    await mine();
    expect(await statuses(...both)).toEqual(['paid', 'complete']);
    expect(await alarms()).toEqual([DIFFERENT]);
    expect(await shop.events(both[0].id)).not.toContain('invoice_complete');
    await mine(30);
    expect(await statuses(...both)).toEqual(['paid', 'complete']);
    expect(await alarms()).toEqual([DIFFERENT]);
  });

  it('waits for the other provider to answer, and an alarm says so after a while', async () => {
    await connect(anvil, anvil);
    const both = await payBoth();
    await mine();
    proxies[1]!.change(CLOSED);
    await mine(FINAL);
    expect(await statuses(...both)).toEqual(['paid', 'complete']);
    expect(await alarms()).toEqual([]);
    await mine(10);
    expect(await alarms()).toEqual([UNKNOWN]);
    proxies[1]!.change(null);
    await mine();
    expect(await statuses(...both)).toEqual(['complete', 'complete']);
    expect(await alarms()).toEqual([]);
  });

  it('is not complete at the finalized block either, where that one ends the wait', async () => {
    await connectChain('bsc', [anvil, other]);
    const large = await shop.create({ kind: 'BNB', amount: '10000' });
    const small = await shop.create({ kind: 'BNB', amount: '100' });
    await pay(large, large.amount.invoiced.amount);
    await pay(small, small.amount.invoiced.amount);
    await mine(4);
    expect(await statuses(large, small)).toEqual(['paid', 'complete']);
  });

  it('is compared when it is first seen in a final block', async () => {
    await connect(anvil, other);
    const both = await payBoth();
    await anvil.wallet.mine({ blocks: FINAL + 5 });
    await other.wallet.mine({ blocks: FINAL + 5 });
    await mine();
    await mine();
    expect(await statuses(...both)).toEqual(['paid', 'complete']);
    expect(await alarms()).toEqual([DIFFERENT]);
  });

  it('is compared without a rate too', async () => {
    await connect(anvil, other);
    const both = await payBoth();
    shop.context.rates = { current: () => Promise.reject(new Error('no rates')) };
    await mine(FINAL + 1);
    await mine(FINAL + 1, other);
    await mine();
    expect(await statuses(...both)).toEqual(['paid', 'paid']);
  });

  it('is complete without a comparison when the chain has one provider', async () => {
    await connect(anvil);
    const both = await payBoth();
    await mine(FINAL);
    expect(await statuses(...both)).toEqual(['complete', 'complete']);
  });
});
