import { sql } from 'kysely';
import { type Address, encodeFunctionData, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../../chains/test/support/rpc-proxy.ts';
import { TEST_START } from '../../../test/support/context.ts';
import { contracts, ethereumAt, payoutAddress } from '../../../test/support/ethereum.ts';
import { sweepShop, type SweepShop } from '../../../test/support/sweeps.ts';
import { checkBalances } from '../../balance-check/run.ts';
import { renderMetrics } from '../../http/monitoring/metrics.ts';
import { assignMoney, dismissMoney } from '../../unassigned/assign.ts';
import { countForInvoice } from '../../unassigned/count-for-invoice.ts';
import { listUnassigned, type Unassigned } from '../../unassigned/store.ts';
import { rescanChain } from '../rescan.ts';
import { traceWaitingBlocks } from './trace-later.ts';

const TRACE = 'debug_traceBlockByHash';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let anvil: Anvil;
let proxy: RpcProxy;
let shop: SweepShop;
let token: Address;
let forwarder: Address;

beforeEach(async () => {
  anvil = await startAnvil('--timestamp', String(TEST_START / 1000 - 600));
  token = await deploy(anvil, contracts['Token']!);
  forwarder = await deploy(anvil, contracts['Forwarder']!);
  proxy = await startRpcProxy(anvil.url);
  shop = await sweepShop({ chains: ['ethereum'] });
  await connect();
  await mine();
  await shop.settle();
}, 60_000);
afterEach(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

/** A new adapter, as after a restart. */
async function connect(): Promise<void> {
  const { adapter, sender } = await ethereumAt(proxy.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
}

const refused: ChangeAnswer = ({ method }, answer) =>
  method === TRACE ? { error: { code: -32_000, message: 'capacity exceeded' } } : answer;

const advance = (ms: number): void => shop.context.clock.advance(ms);
/** Mines a block at the time of the shop's clock, and more after it. */
async function mine(blocks = 1): Promise<void> {
  const timestamp = BigInt(Math.floor(shop.context.clock.now() / 1000));
  const { timestamp: last } = await anvil.wallet.getBlock();
  if (timestamp > last) await anvil.wallet.setNextBlockTimestamp({ timestamp });
  await anvil.wallet.mine({ blocks });
}
/** A block is read without its traces at the third look. */
async function readUntraced(): Promise<void> {
  for (let look = 0; look < 3; look += 1) await shop.settle();
}
/** Pays out of a contract, as exchanges and smart wallets do. */
async function payInside(address: string, ether: string): Promise<void> {
  const { abi } = contracts['Forwarder']!;
  const data = encodeFunctionData({ abi, functionName: 'pay', args: [address] });
  await anvil.wallet.sendTransaction({
    to: forwarder,
    data,
    value: parseEther(ether),
    gas: 100_000n,
  });
}
async function traceRound(): Promise<void> {
  await sql`delete from lease where name like 'traces:%'`.execute(shop.context.db);
  await traceWaitingBlocks(shop.context, new AbortController().signal);
}
/** Runs a round after the longest pause. */
async function traceLater(): Promise<void> {
  advance(HOUR);
  await traceRound();
}
async function check(): Promise<void> {
  await sql`delete from lease where name like 'balances:%'`.execute(shop.context.db);
  await checkBalances(shop.context, new AbortController().signal);
}
async function waiting(): Promise<{ height: number; hash: string; tries: number }[]> {
  const { rows } = await sql<{ height: number; hash: string; tries: number }>`
    select height, hash, tries from untraced_block order by height`.execute(shop.context.db);
  return rows;
}
const listed = (): Promise<Unassigned[]> =>
  listUnassigned(shop.context.db, { settled: false, limit: 100 });
const alarms = async (): Promise<string[]> =>
  (await shop.context.db.selectFrom('alarm').select('reason').execute()).map(
    ({ reason }) => reason,
  );
const available = async (): Promise<string> => (await shop.holdings('ETH')).available;
const reusable = async (): Promise<{ id: string; address: Address }> => {
  const { id, address } = await shop.create({ kind: 'ETH', amount: undefined });
  return { id, address: address as Address };
};
const waitingMetric = async (): Promise<string | undefined> =>
  /^crypto_checkout_chain_untraced_blocks\{chain="ethereum"\} (\d+)$/m.exec(
    await renderMetrics(shop.context),
  )?.[1];

describe('a block that was read without its traces', () => {
  it('is traced after a restart, and its payment is that of a scan that traced', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    proxy.change(refused);
    advance(MINUTE);
    await payInside(invoice.address!, '0.04');
    await mine();
    await readUntraced();
    advance(2 * HOUR);
    await mine(12);
    await shop.settle();
    expect((await shop.get(invoice.id)).status).toBe('expired');
    expect(await waiting()).toMatchObject([{ tries: 0 }]);
    expect(await waitingMetric()).toBe('1');
    proxy.change(null);
    await connect();
    const calls = proxy.calls(TRACE);
    await traceLater();
    await traceLater();
    expect(proxy.calls(TRACE) - calls).toBe(1);
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
    expect(await shop.events(invoice.id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
    expect(await waiting()).toEqual([]);
    expect(await waitingMetric()).toBe('0');
    const stored = await payments();
    expect(stored).toMatchObject([
      { late: false, created_at: new Date(TEST_START + MINUTE), amount: '0.04' },
    ]);
    await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
    await check();
    expect(await payments()).toEqual(stored);
    expect(await available()).toBe('0.04');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('is late by the time of its block', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    proxy.change(refused);
    advance(2 * HOUR);
    await payInside(invoice.address!, '0.04');
    await mine();
    await readUntraced();
    proxy.change(null);
    await traceLater();
    expect(await payments()).toMatchObject([{ late: true }]);
    expect((await shop.get(invoice.id)).status).toBe('expired');
  });

  it('is traced by a node that refused at the start', async () => {
    proxy.change(refused);
    await connect();
    const { address } = await reusable();
    await payInside(address, '0.04');
    await mine(12);
    await shop.settle();
    proxy.change(null);
    await traceLater();
    expect(await available()).toBe('0.04');
    expect(await waiting()).toEqual([]);
  });

  it('moves neither the cursor nor the age of the scan', async () => {
    const { address } = await reusable();
    proxy.change(refused);
    await payInside(address, '0.04');
    await mine();
    await readUntraced();
    proxy.change(null);
    const progress = async () =>
      (await sql`select * from chain_cursor where chain = 'ethereum'`.execute(shop.context.db))
        .rows;
    const before = await progress();
    await traceLater();
    expect(await payments()).toHaveLength(1);
    expect(await progress()).toEqual(before);
  });

  it('is off the list when a reorganisation replaced it, and the new block is read', async () => {
    const { address } = await reusable();
    const snapshot = await anvil.wallet.snapshot();
    proxy.change(refused);
    await payInside(address, '0.04');
    await mine();
    await readUntraced();
    const [old] = await waiting();
    await anvil.wallet.revert({ id: snapshot });
    await mine();
    await payInside(address, '0.04');
    await mine();
    // The old block is still on the list, and not on the chain of the node.
    proxy.change(null);
    await traceLater();
    expect(await payments()).toEqual([]);
    expect(await waiting()).toMatchObject([{ hash: old!.hash, tries: 1 }]);
    proxy.change(refused);
    await readUntraced();
    expect((await waiting()).map(({ hash }) => hash)).not.toContain(old!.hash);
    proxy.change(null);
    await traceLater();
    const block = await anvil.wallet.getBlock();
    expect(await payments()).toMatchObject([{ block_hash: block.hash }]);
    expect(await waiting()).toEqual([]);
  });

  it('brings nothing when a reorganisation takes it off the list while it is traced', async () => {
    const { address } = await reusable();
    const snapshot = await anvil.wallet.snapshot();
    proxy.change(refused);
    await payInside(address, '0.04');
    await mine();
    await readUntraced();
    proxy.change(null);
    const adapter = shop.context.chains.get('ethereum')!;
    const traceBlock: ChainAdapter['traceBlock'] = async (...question) => {
      const traced = await adapter.traceBlock!(...question);
      await anvil.wallet.revert({ id: snapshot });
      await mine(3);
      await shop.settle();
      return traced;
    };
    (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', { ...adapter, traceBlock });
    await traceLater();
    expect([await payments(), await waiting()]).toEqual([[], []]);
  });

  it('is traced again when the tracer gave up on one of its transactions', async () => {
    const [one, two] = [await reusable(), await reusable()];
    let gaveUp = '';
    proxy.change(({ method }, answer) => {
      if (method !== TRACE) return answer;
      const [first, ...others] = answer.result as { txHash: string }[];
      gaveUp = first?.txHash ?? '';
      return { result: [{ txHash: gaveUp, error: 'execution timeout' }, ...others] };
    });
    await payInside(one.address, '0.01');
    await payInside(two.address, '0.02');
    await mine();
    await shop.settle();
    expect(await payments()).toHaveLength(1);
    expect(await waiting()).toHaveLength(1);
    proxy.change(({ method }, answer) =>
      method === TRACE
        ? { result: (answer.result as { txHash: string }[]).filter((t) => t.txHash !== gaveUp) }
        : answer,
    );
    await traceLater();
    expect(await waiting()).toMatchObject([{ tries: 1 }]);
    proxy.change(null);
    await traceLater();
    expect((await payments()).map(({ amount }) => amount).toSorted()).toEqual(['0.01', '0.02']);
    expect(await waiting()).toEqual([]);
  });

  it('is given up after ten tries, while other blocks are traced', async () => {
    const { address } = await reusable();
    proxy.change(refused);
    await payInside(address, '0.01');
    await mine();
    await readUntraced();
    const [bad] = await waiting();
    const badOnly: ChangeAnswer = (call, answer) =>
      call.params[0] === bad!.hash ? refused(call, answer) : answer;
    for (let round = 1; round <= 10; round += 1) {
      expect(await waiting()).toMatchObject([{ hash: bad!.hash }]);
      proxy.change(refused);
      await payInside(address, '0.01');
      await mine();
      await shop.settle();
      proxy.change(badOnly);
      await traceLater();
      expect(await payments()).toHaveLength(round);
    }
    expect(await waiting()).toEqual([]);
  });

  it('is not given up while the node traces no other block', async () => {
    const { address } = await reusable();
    proxy.change(refused);
    await payInside(address, '0.01');
    await mine();
    await readUntraced();
    for (let round = 1; round <= 12; round += 1) await traceLater();
    expect(await waiting()).toMatchObject([{ tries: 12 }]);
    proxy.change(null);
    await traceLater();
    expect(await payments()).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });
});

async function payments() {
  const { rows } = await sql<{
    observation_key: string;
    late: boolean;
    created_at: Date;
    amount: string;
    block_hash: string;
  }>`
    select observation_key, late, created_at::timestamptz, trim_scale(amount)::text as amount, block_hash
    from transaction order by created_at, observation_key`.execute(shop.context.db);
  return rows.map(({ created_at, ...row }) => ({ ...row, created_at: new Date(created_at) }));
}

describe('a node that never traces', () => {
  it('is asked seldom, however many blocks wait', async () => {
    proxy.change(refused);
    await connect();
    const { address } = await reusable();
    for (let block = 0; block < 30; block += 1) {
      await payInside(address, '0.001');
      await mine();
    }
    await shop.settle();
    expect(await waiting()).toHaveLength(30);
    const minutes: number[] = [];
    for (let minute = 1; minute <= 60; minute += 1) {
      advance(MINUTE);
      const calls = proxy.calls(TRACE);
      await traceRound();
      for (let more = calls; more < proxy.calls(TRACE); more += 1) minutes.push(minute);
    }
    expect(minutes).toEqual([1, 1, 1, 2, 4, 8, 16, 31, 46]);
    expect(await waiting()).toHaveLength(30);
  });

  it('is asked seldom when it answers with nothing instead', async () => {
    const { address } = await reusable();
    proxy.change(({ method }, answer) => (method === TRACE ? { result: [] } : answer));
    for (let block = 0; block < 30; block += 1) {
      await payInside(address, '0.001');
      await mine();
    }
    await shop.settle();
    await shop.settle();
    expect(await waiting()).toHaveLength(30);
    const calls = proxy.calls(TRACE);
    for (let minute = 1; minute <= 60; minute += 1) {
      advance(MINUTE);
      await traceRound();
    }
    expect(proxy.calls(TRACE) - calls).toBe(9);
  });

  it('grows no list without bound', async () => {
    const add = (from: number, to: number, age: number) =>
      sql`
      insert into untraced_block (chain, height, hash, read_at_real, due_at_real)
      select 'ethereum', n, '0x' || n, to_timestamp(${(shop.context.clock.real() - age) / 1000}), to_timestamp(${shop.context.clock.real() / 1000 + 1e7})
      from generate_series(${from}::int, ${to}::int) n`.execute(shop.context.db);
    await add(1, 3, 7 * 24 * HOUR + HOUR);
    await add(4, 20_000, 6 * 24 * HOUR);
    await traceLater();
    expect(await waiting()).toHaveLength(19_997);
    await add(20_001, 21_004, 0);
    await traceLater();
    const rows = await waiting();
    expect([rows.length, rows[0]!.height]).toEqual([20_000, 1_005]);
  });
});

describe('money that a comparison found before its transaction', () => {
  beforeEach(() => proxy.change(refused));

  async function found(...amounts: string[]) {
    const { id, address } = await reusable();
    const txids: string[] = [];
    for (const ether of amounts) {
      await payInside(address, ether);
      await mine();
      txids.push((await anvil.wallet.getBlock()).transactions[0]!);
    }
    await mine(12);
    await readUntraced();
    await check();
    const [one] = await listed();
    return { id, address, txids, found: one! };
  }
  const decision = { reason: 'The buyer sent the transaction id', by: 'ada' };
  const assign = (id: string) =>
    assignMoney(shop.context, { id, accountId: shop.accountId, ...decision });
  async function traced(): Promise<void> {
    proxy.change(null);
    await traceLater();
    await check();
  }

  it('leaves the list also when as much came meanwhile', async () => {
    const { address, found: money, txids } = await found('0.04');
    await payInside(address, '0.04');
    await mine(13);
    await readUntraced();
    proxy.change((call, answer) => {
      const block = call.method === TRACE ? (answer.result as { txHash: string }[]) : [];
      return block.length > 0 && !block.some(({ txHash }) => txHash === txids[0])
        ? refused(call, answer)
        : answer;
    });
    await traceLater();
    await check();
    await check();
    const [other, ...more] = await listed();
    expect([other!.amount, other!.id === money.id, more]).toEqual(['0.04', false, []]);
    await assign(other!.id);
    await traced();
    expect(await available()).toBe('0.08');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('does not keep what was found later from being decided about', async () => {
    const { address, found: first, txids } = await found('0.04');
    await payInside(address, '0.05');
    await mine(13);
    await readUntraced();
    await check();
    expect((await listed()).map(({ amount }) => amount).toSorted()).toEqual(['0.04', '0.05']);
    proxy.change((call, answer) => {
      const block = call.method === TRACE ? (answer.result as { txHash: string }[]) : [];
      return block.length > 0 && !block.some(({ txHash }) => txHash === txids[0])
        ? refused(call, answer)
        : answer;
    });
    await traceLater();
    expect(await payments()).toMatchObject([{ amount: '0.04' }]);
    await check();
    await check();
    const rest = await listed();
    expect(rest.map(({ id }) => id)).not.toContain(first.id);
    for (const { id } of rest) await assign(id);
    expect(await available()).toBe('0.09');
    await traced();
    expect(await available()).toBe('0.09');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('is credited once when an operator assigned it, also after a rescan', async () => {
    const { found: money } = await found('0.04', '0.01');
    expect(money.amount).toBe('0.05');
    await assign(money.id);
    await traced();
    await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
    await check();
    expect(await available()).toBe('0.05');
    expect([await payments(), await listed(), await alarms()]).toEqual([[], [], []]);
  });

  it('is not credited when an operator dismissed it', async () => {
    const { found: money } = await found('0.04');
    await dismissMoney(shop.context, { id: money.id, ...decision });
    await traced();
    expect(await available()).toBe('0');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('does not swallow a payment after it', async () => {
    const { address, found: money } = await found('0.04');
    await assign(money.id);
    await payInside(address, '0.03');
    await mine(12);
    await shop.settle();
    await traced();
    expect(await available()).toBe('0.07');
    expect(await payments()).toMatchObject([{ amount: '0.03' }]);
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('counts once when an operator counted it for its invoice', async () => {
    const { id, txids, found: money } = await found('0.04', '0.01');
    await countForInvoice(shop.context, {
      id: money.id,
      invoiceId: id,
      txid: txids[0],
      ...decision,
    });
    expect(await available()).toBe('0.05');
    await traced();
    expect(await available()).toBe('0.05');
    expect(await payments()).toHaveLength(1);
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('leaves the list when it still waits, and what is left is listed anew', async () => {
    const { found: money, txids } = await found('0.04', '0.01');
    proxy.change((call, answer) => {
      const block = call.method === TRACE ? (answer.result as { txHash: string }[]) : [];
      return block.some(({ txHash }) => txHash === txids[1]) ? refused(call, answer) : answer;
    });
    await traceLater();
    expect(await payments()).toMatchObject([{ amount: '0.04' }]);
    await expect(assign(money.id)).rejects.toThrow(/are explained by a transaction now/);
    await check();
    await check();
    expect(await listed()).toMatchObject([{ amount: '0.01' }]);
    await assign((await listed())[0]!.id);
    await traced();
    expect(await available()).toBe('0.05');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it.each(['assigned', 'counted'])(
    'cannot be %s once its payment is credited, also at the same moment',
    async (how) => {
      const { id: invoiceId, txids, found: money } = await found('0.04');
      proxy.change(null);
      // The decision has compared the balance before the payment is credited.
      const adapter = shop.context.chains.get('ethereum')!;
      const balancesAt: ChainAdapter['balancesAt'] = async (...question) => {
        const balances = await adapter.balancesAt!(...question);
        await traceLater();
        return balances;
      };
      (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', {
        ...adapter,
        balancesAt,
      });
      const { id } = money;
      await expect(
        how === 'assigned'
          ? assign(id)
          : countForInvoice(shop.context, { id, invoiceId, txid: txids[0], ...decision }),
      ).rejects.toThrow(/are explained by a transaction now/);
      expect(await available()).toBe('0.04');
      await expect(dismissMoney(shop.context, { id, ...decision })).rejects.toThrow(
        /are explained/,
      );
    },
  );

  it('is not explained by a payment that was listed itself', async () => {
    await anvil.wallet.sendTransaction({
      to: payoutAddress,
      value: parseEther('0.3'),
      gas: 21_000n,
    });
    await mine(12);
    await readUntraced();
    await assign((await listed())[0]!.id);
    await payInside(payoutAddress, '0.3');
    await mine(12);
    await readUntraced();
    await check();
    await assign((await listed())[0]!.id);
    await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
    await traced();
    expect(await available()).toBe('0.6');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('on the payout address is listed and assigned once', async () => {
    await payInside(payoutAddress, '0.3');
    await mine(13);
    await readUntraced();
    await check();
    const [money] = await listed();
    expect(money).toMatchObject({ amount: '0.3', txid: null });
    await assign(money!.id);
    await traced();
    expect(await available()).toBe('0.3');
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });
});
