import { sql } from 'kysely';
import { type Address, getAddress, type Hex, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../chains/test/support/rpc-proxy.ts';
import { TEST_START } from '../../test/support/context.ts';
import { contracts, ethereumAt } from '../../test/support/ethereum.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { rescanChain } from './rescan.ts';

let anvil: Anvil;
let proxy: RpcProxy;
let shop: TestShop;
let token: Address;

beforeEach(async () => {
  anvil = await startAnvil('--timestamp', String(TEST_START / 1000 - 600));
  token = await deploy(anvil, contracts['Token']!);
  proxy = await startRpcProxy(anvil.url);
  shop = await testShop({ chains: ['ethereum'] });
  await connect();
  await mine();
  await shop.settle();
}, 60_000);
afterEach(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

async function connect(): Promise<void> {
  const { adapter } = await ethereumAt(proxy.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
}

/** Mines a block at the time of the shop's clock. */
async function mine(): Promise<void> {
  await anvil.wallet.setNextBlockTimestamp({
    timestamp: BigInt(Math.floor(shop.context.clock.now() / 1000)),
  });
  await anvil.wallet.mine({ blocks: 1 });
}

it('an invoice names the chain and the contract of a development node', async () => {
  expect((await shop.create({ kind: 'ETH' })).evm).toEqual({ chain_id: 31_337, contract: null });
  const invoice = await shop.create({ kind: 'ETH_USDT' });
  expect(invoice.evm).toEqual({ chain_id: 31_337, contract: getAddress(token) });
  expect((await shop.get(invoice.id)).evm).toEqual(invoice.evm);
});

const advance = (seconds: number): void => shop.context.clock.advance(seconds * 1000);
/** The sum of an invoice over 100 USD at the fixed rate. */
const pay = ({ address }: ShownInvoice): Promise<Hex> =>
  anvil.wallet.sendTransaction({
    to: address as Address,
    value: parseEther('0.04'),
    gas: 21_000n,
  });
const payments = async (): Promise<{ late: boolean; seen: number }[]> =>
  (
    await sql<{ late: boolean; created_at: string }>`
      select late, created_at from transaction`.execute(shop.context.db)
  ).rows.map(({ late, created_at }) => ({ late, seen: Date.parse(created_at) }));
const alarms = async (): Promise<string[]> =>
  (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
    ({ reason }) => reason,
  );

describe('a payment that the provider did not report', () => {
  const withoutTransactions: ChangeAnswer = ({ method }, answer) =>
    method === 'eth_getBlockByNumber' && answer.result !== null
      ? { result: { ...(answer.result as object), transactions: [] } }
      : answer;

  it('is in time when a later rescan finds it', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    proxy.change(withoutTransactions);
    await pay(invoice);
    advance(60);
    await mine();
    const height = Number(await anvil.wallet.getBlockNumber());
    await shop.settle();
    advance(2 * 60 * 60);
    await mine();
    await shop.settle();
    expect((await shop.get(invoice.id)).status).toBe('expired');
    proxy.change(null);
    await rescanChain(shop.context, { chain: 'ethereum', from: height });
    await shop.settle();
    expect(await payments()).toEqual([{ late: false, seen: TEST_START + 60_000 }]);
    expect(await shop.events(invoice.id)).toEqual(['invoice_pending', 'invoice_confirmed']);
    expect(await alarms()).toEqual([]);
  });
});

/** The provider as it is now, without the next blocks. */
async function stoppedHere(): Promise<ChangeAnswer> {
  const header = { method: 'eth_getBlockByNumber', params: ['latest', false] } as const;
  const latest = (await anvil.wallet.request(header as never)) as { number: string };
  return ({ method, params }, answer) => {
    if (method === 'eth_getTransactionByHash') return { result: null };
    if (method !== 'eth_getBlockByNumber') return answer;
    if (params[0] === 'latest') return { result: latest };
    return params[0] === 'pending' || Number(params[0]) > Number(latest.number)
      ? { result: null }
      : answer;
  };
}

describe('a provider one block behind', () => {
  it('takes no payment back and is not asked in a loop', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    const before = await stoppedHere();
    await pay(invoice);
    advance(60);
    await mine();
    await shop.settle();
    const paid = await shop.get(invoice.id);
    expect(paid.status).toBe('paid');
    const events = await shop.events(invoice.id);
    for (const hasTip of [false, true]) {
      proxy.change((call, answer) =>
        hasTip && call.params[0] === 'latest' ? answer : before(call, answer),
      );
      const calls = proxy.calls('eth_getBlockByNumber');
      for (let look = 0; look < 3; look += 1) {
        advance(60);
        if (hasTip) await mine();
        await shop.settle();
      }
      expect(proxy.calls('eth_getBlockByNumber') - calls).toBeLessThan(30);
      expect((await shop.get(invoice.id)).status).toBe('paid');
      expect(await shop.events(invoice.id)).toEqual(events);
    }
  });
});

describe('a newest block that the provider does not have', () => {
  /** The answer of another chain, for example. */
  const FAR_AHEAD: ChangeAnswer = ({ method, params }, answer) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest'
      ? {
          result: {
            ...(answer.result as object),
            number: '0x3b9aca00',
            hash: `0x${'ab'.repeat(32)}`,
          },
        }
      : answer;

  it('confirms nothing: blocks count when they were read', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    await pay(invoice);
    advance(60);
    await mine();
    proxy.change(FAR_AHEAD);
    await shop.settle();
    const [payment] = await shop.transactions(invoice.id);
    expect(payment).toMatchObject({ status: 'confirmed', confirmations: 1 });
    expect(await shop.events(invoice.id)).not.toContain('invoice_complete');
    proxy.change(null);
    await mine();
    await shop.settle();
    expect(await shop.transactions(invoice.id)).toMatchObject([{ confirmations: 2 }]);
  });
});

describe('a chain that stands still', () => {
  const STALLED =
    'The newest block of the node is older than 2 minutes: it stands still or is still syncing';

  /** A network whose blocks come by themselves. */
  const asTestNetwork: ChangeAnswer = ({ method }, answer) =>
    method === 'eth_chainId' ? { result: '0xaa36a7' } : answer;

  async function frozenFor(minutes: number, work: (minute: number) => Promise<void>) {
    for (let minute = 1; minute <= minutes; minute += 1) {
      advance(60);
      await work(minute);
      await shop.settle();
    }
  }

  it('makes no payment late that was mined in time, and raises an alarm', async () => {
    proxy.change(asTestNetwork);
    await connect();
    await shop.settle();
    const invoice = await shop.create({ kind: 'ETH' });
    expect(await alarms()).toEqual([]);
    proxy.change(await stoppedHere());
    await frozenFor(20, async (minute) => {
      if (minute === 5) await pay(invoice);
      await mine();
    });
    expect((await shop.get(invoice.id)).status).toBe('new');
    expect(await alarms()).toEqual([STALLED]);
    proxy.change(null);
    await shop.settle();
    expect(await payments()).toEqual([{ late: false, seen: TEST_START + 300_000 }]);
    expect(await shop.events(invoice.id)).toContain('invoice_confirmed');
    expect(await alarms()).toEqual([]);
  });

  it('is no fault of a development chain, which mines on demand', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    await frozenFor(20, async () => {});
    expect((await shop.get(invoice.id)).status).toBe('expired');
    expect(await alarms()).toEqual([]);
  });

  it('that goes on expires its invoices', async () => {
    proxy.change(asTestNetwork);
    await connect();
    await shop.settle();
    const invoice = await shop.create({ kind: 'ETH' });
    await frozenFor(16, mine);
    expect((await shop.get(invoice.id)).status).toBe('expired');
    expect(await alarms()).toEqual([]);
  });
});

it('a block ahead of the clock raises an alarm until the clock has its time', async () => {
  const AHEAD =
    "The newest block of the node is more than a minute ahead of the gateway's clock: synchronize the clock, for example with chrony";
  const timestamp = BigInt(Math.floor(shop.context.clock.now() / 1000) + 90);
  await anvil.wallet.setNextBlockTimestamp({ timestamp });
  await anvil.wallet.mine({ blocks: 1 });
  proxy.change(({ method }, answer) =>
    method === 'eth_chainId' ? { result: '0xaa36a7' } : answer,
  );
  await connect();
  await shop.settle();
  await shop.settle();
  expect(await alarms()).toEqual([AHEAD]);
  advance(60);
  await shop.settle();
  expect(await alarms()).toEqual([]);
});
