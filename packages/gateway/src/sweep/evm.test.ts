import { formatAmount, fromUnits, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { type Address, encodeFunctionData, parseEther, parseGwei } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploy,
  startAnvil,
  withoutMethods,
  type Anvil,
} from '../../../chains/test/support/anvil.ts';
import { contracts, ethereumAt, payoutAddress, tokensOf } from '../../test/support/ethereum.ts';
import { createAccount } from '../account/create.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { endLeases, releaseLease, takeLease } from '../database/lease.ts';
import { createInvoice } from '../invoice/create.ts';
import { killableProcess } from '../../test/support/kill.ts';
import { sendingLease } from '../engine/sending/send.ts';
import { sweepDeposits } from './sweep.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

const BUYER: Address = '0x000000000000000000000000000000000000b0b0';

let anvil: Anvil;
let token: Address;
let shop: SweepShop;
let proxy: { url: string; stop(): Promise<void> };

beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, contracts['Token']!);
  proxy = await withoutMethods(anvil.url, /debug_/);
  shop = await sweepShop({ chains: ['ethereum'] });
  await openNode(anvil.url);
  await shop.settle();
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

async function openNode(url: string): Promise<void> {
  const { adapter, sender } = await ethereumAt(url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
}

const mine = async (blocks = 12): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.settle();
};
const ether = async (address: Address): Promise<string> =>
  formatAmount(await anvil.wallet.getBalance({ address }));
const tokens = (address: Address): Promise<bigint> => tokensOf(anvil, token, address);

/** Creates an invoice that is paid and final. */
async function deposit(paid: {
  eth?: string;
  usdt?: bigint;
}): Promise<{ id: string; address: Address }> {
  const invoice = await shop.create({ kind: 'ETH', amount: undefined });
  const address = invoice.address as Address;
  if (paid.eth !== undefined)
    await anvil.wallet.sendTransaction({ to: address, value: parseEther(paid.eth), gas: 21_000n });
  if (paid.usdt !== undefined) {
    const data = encodeFunctionData({
      abi: contracts['Token']!.abi,
      functionName: 'transfer',
      args: [address, paid.usdt],
    });
    await anvil.wallet.sendTransaction({ to: token, data, gas: 200_000n });
  }
  await mine();
  shop.context.clock.advance(600_000);
  return { id: invoice.id, address };
}

/** Runs the worker's jobs and mines blocks until no sweep is open. */
async function sweepAll(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await shop.sweep();
    await mine();
  }
  await shop.sweep();
}

/** The balances on the chain equal the ledger, whatever was swept. */
async function requireSolvency(): Promise<void> {
  const { rows } = await sql<{
    address: Address;
  }>`select address from invoice where address is not null`.execute(shop.context.db);
  const addresses = [payoutAddress, ...rows.map(({ address }) => address)];
  const held = (
    await Promise.all(addresses.map((address) => anvil.wallet.getBalance({ address })))
  ).reduce((sum, wei) => sum + wei, 0n);
  const usdt = (await Promise.all(addresses.map(tokens))).reduce((sum, units) => sum + units, 0n);
  const booked = async (asset: string): Promise<string> => {
    const { rows: sums } = await sql<{ sum: string }>`
      select coalesce(sum(amount), 0)::text as sum from balance where currency = ${asset}`.execute(
      shop.context.db,
    );
    return formatAmount(parseAmount(sums[0]!.sum));
  };
  expect([await booked('ETH'), await booked('ETH_USDT')]).toEqual([
    formatAmount(held),
    formatAmount(fromUnits(usdt, 6)),
  ]);
}

async function nothingUnassigned(): Promise<void> {
  expect((await sql`select * from unassigned`.execute(shop.context.db)).rows).toEqual([]);
}

const alarms = async (): Promise<string[]> => {
  const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db);
  return rows.map(({ reason }) => reason);
};

describe('sweep on a real node', () => {
  it('sweeps a deposit, and a payout leaves from the payout address', async () => {
    const { id, address } = await deposit({ eth: '2' });
    const { id: payoutId } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.5', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    expect((await shop.payout(payoutId)).status).toBe('new');
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('2');
    await shop.sweep();
    await mine(1);
    expect(await alarms()).toEqual([]);
    await shop.sweep();
    const left = await ether(address);
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe(left);
    expect(parseAmount(left)).toBeLessThan(parseAmount('0.001'));
    await mine();
    await mine();
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    expect((await shop.payout(payoutId)).status).toBe('complete');
    expect(await ether(BUYER)).toBe('0.5');
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    await requireSolvency();
  });

  it('a payout that waits for its sweep is an alarm only when the sweep takes too long', async () => {
    const before = await anvil.wallet.getBalance({ address: payoutAddress });
    await anvil.wallet.setBalance({ address: payoutAddress, value: 0n });
    await deposit({ eth: '2' });
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.5', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    shop.context.clock.advance(39 * 60_000);
    await shop.work();
    expect([(await shop.payout(id)).status, await alarms()]).toEqual(['new', []]);
    shop.context.clock.advance(2 * 60_000);
    await shop.work();
    const alarm = `Payouts are waiting: the address ${payoutAddress} holds too little ETH`;
    expect(await alarms()).toEqual([alarm]);
    await anvil.wallet.setBalance({ address: payoutAddress, value: before });
    await sweepAll();
    await shop.work();
    expect((await shop.payout(id)).status).not.toBe('new');
    expect(await alarms()).toEqual([]);
  });

  it('a token sweep gets its gas from the payout address, and the remainder is recorded', async () => {
    const { id, address } = await deposit({ usdt: 40_000_000n });
    await sweepAll();
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      status: 'complete',
      invoice_id: id,
      asset: 'ETH_USDT',
    });
    expect([await tokens(address), await tokens(payoutAddress)]).toEqual([0n, 40_000_000n]);
    expect(await shop.transactions(id)).toHaveLength(1);
    expect(parseAmount(await ether(address))).toBeGreaterThan(0n);
    const { rows } = await sql<{
      sum: string;
    }>`select sum(amount)::text as sum from deposit where asset = 'ETH'`.execute(shop.context.db);
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe(
      formatAmount(parseAmount(rows[0]!.sum)),
    );
    await nothingUnassigned();
    await requireSolvency();
    const { id: payoutId } = await shop.payOut({
      kind: 'ETH_USDT',
      recipients: [{ amount: '25', currency: 'USD', address: BUYER }],
    });
    await shop.work();
    await mine();
    expect((await shop.payout(payoutId)).status).toBe('complete');
    expect(await tokens(BUYER)).toBe(25_000_000n);
    await requireSolvency();
  });

  it('the gas top-ups of several deposits leave with one block, beside a payout', async () => {
    const from = await anvil.wallet.getTransactionCount({ address: payoutAddress });
    const held = await tokens(payoutAddress);
    for (let count = 0; count < 3; count += 1) await deposit({ usdt: 40_000_000n });
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.01', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    await shop.sweep();
    await mine(1);
    expect(await anvil.wallet.getTransactionCount({ address: payoutAddress })).toBe(from + 4);
    await mine();
    await shop.sweep();
    const newest = (await shop.sweeps()).slice(-3);
    expect(newest.map(({ status }) => status)).toEqual(['sending', 'sending', 'sending']);
    await sweepAll();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    expect((await tokens(payoutAddress)) - held).toBe(120_000_000n);
    await nothingUnassigned();
    await requireSolvency();
  });

  it('a token uses the coin on its address as gas; the coin is swept afterwards', async () => {
    const from = (await shop.sweeps()).length;
    const { address } = await deposit({ eth: '1', usdt: 30_000_000n });
    await sweepAll();
    const sweeps = (await shop.sweeps()).slice(from);
    expect(sweeps.map(({ asset, status }) => `${asset} ${status}`)).toEqual([
      'ETH_USDT complete',
      'ETH complete',
    ]);
    expect(parseAmount(sweeps[0]!.top_up)).toBe(0n);
    expect(await tokens(address)).toBe(0n);
    expect(parseAmount(await ether(address))).toBeLessThan(parseAmount('0.001'));
    await requireSolvency();
  });

  it('dust is not swept', async () => {
    const from = (await shop.sweeps()).length;
    const { address } = await deposit({ eth: '0.00001', usdt: 10_000n });
    await sweepAll();
    expect((await shop.sweeps()).slice(from)).toEqual([]);
    expect(await ether(address)).toBe('0.00001');
  });

  it('a sweep starts again after a fee increase, at no cost but the gas top-up', async () => {
    const from = (await shop.sweeps()).length;
    const { address } = await deposit({ usdt: 90_000_000n });
    await shop.sweep();
    expect((await shop.sweeps()).slice(from)).toMatchObject([{ status: 'topping_up' }]);
    await mine(11);
    await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') });
    await mine(1);
    await shop.sweep();
    expect((await shop.sweeps()).slice(from)).toMatchObject([
      {
        status: 'failed',
        error: 'The network fee rose above what was held for it',
        hold: 'released',
      },
    ]);
    expect(await shop.holdings('ETH_USDT')).toMatchObject({ reserved: '0' });
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await mine();
    shop.context.clock.advance(600_000);
    await sweepAll();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', asset: 'ETH_USDT' });
    expect(await tokens(address)).toBe(0n);
    await requireSolvency();
  });

  it('our own transfers are recognized without tracing', async () => {
    await openNode(proxy.url);
    const { id, address } = await deposit({ eth: '0.7', usdt: 60_000_000n });
    const other = await deposit({ usdt: 70_000_000n });
    await sweepAll();
    expect([await tokens(address), await tokens(other.address)]).toEqual([0n, 0n]);
    expect(await shop.transactions(id)).toHaveLength(2);
    expect(await shop.transactions(other.id)).toHaveLength(1);
    await nothingUnassigned();
    await requireSolvency();
    await openNode(anvil.url);
  });

  it('the alarm of a sweep stays while payouts keep its cause from being looked at', async () => {
    const { context } = shop;
    const waits = () =>
      sql<{ id: string }>`select id from alarm where starts_with(reason, 'A sweep waits')`
        .execute(context.db)
        .then(({ rows }) => rows);
    await deposit({ usdt: 85_000_000n });
    const funds = await anvil.wallet.getBalance({ address: payoutAddress });
    await anvil.wallet.setBalance({ address: payoutAddress, value: 0n });
    await shop.sweep();
    const raised = await waits();
    expect(raised).toHaveLength(1);
    const payouts = (await takeLease(context.db, sendingLease('ethereum'), 'payouts', 60))!;
    const stop = new AbortController();
    const { ids } = context;
    let asked = 0;
    // The first lease is that of the sweeps, the second one is held by the payouts.
    const uuid = (): string => {
      asked += 1;
      if (asked === 2) stop.abort();
      return ids.uuid();
    };
    await sweepDeposits({ ...context, ids: { ...ids, uuid } }, stop.signal);
    await releaseLease(context.db, payouts);
    expect(asked).toBe(2);
    expect(await waits()).toEqual(raised);
    await anvil.wallet.setBalance({ address: payoutAddress, value: funds });
    await sweepAll();
    expect(await waits()).toEqual([]);
    await requireSolvency();
  });

  it('a blocked sweep releases its hold after an hour and is retried', async () => {
    const { id } = await deposit({ usdt: 95_000_000n });
    const funds = await anvil.wallet.getBalance({ address: payoutAddress });
    await anvil.wallet.setBalance({ address: payoutAddress, value: 0n });
    await shop.sweep();
    shop.context.clock.advance(3_600_000);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'topping_up', invoice_id: id });
    shop.context.clock.advance(1);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      status: 'failed',
      error: `the address ${payoutAddress} holds too little ETH`,
    });
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    await anvil.wallet.setBalance({ address: payoutAddress, value: funds });
    shop.context.clock.advance(600_000);
    await sweepAll();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    await requireSolvency();
  });

  it('accounts share the payout address but spend only their own funds', async () => {
    const { context } = shop;
    const { id: accountId, profiles } = await createAccount(
      context,
      { parentId: null },
      { name: 'Second' },
    );
    // The ledger check needs every event.
    await sql`update profile set callback_url = 'https://second.example/' where account_id = ${accountId}`.execute(
      context.db,
    );
    const firstAccount = async () =>
      (
        await sql`select currency, bucket, amount from balance where account_id = ${shop.accountId} order by 1, 2`.execute(
          context.db,
        )
      ).rows;
    const before = await firstAccount();
    const order = { profile_id: profiles[0]!, kind: 'ETH', currency: 'USD' };
    const { id, address } = await createInvoice(context, accountId, order);
    await anvil.wallet.sendTransaction({
      to: address as Address,
      value: parseEther('2'),
      gas: 21_000n,
    });
    await mine();
    const to: Address = '0x000000000000000000000000000000000000c0c0';
    const payOut = (amount: string) =>
      shop.payOut(
        { ...order, recipients: [{ amount, currency: 'ETH', address: to }] },
        { accountId, key: null },
      );
    // The payout address holds more, but none of it belongs to this account.
    await expect(payOut('2.1')).rejects.toMatchObject({ reason: 'InsufficientFunds' });
    // The whole balance is on a deposit address, and a sweep costs a fee.
    await expect(payOut('1.99999')).rejects.toMatchObject({
      reason: 'InsufficientFunds',
      message: expect.stringContaining('that sweeping its deposit addresses costs'),
    });
    await payOut('1.99');
    shop.context.clock.advance(600_000);
    for (let round = 0; round < 3; round += 1) {
      await shop.work();
      await sweepAll();
    }
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      status: 'complete',
      invoice_id: id,
      account_id: accountId,
    });
    expect(await ether(to)).toBe('1.99');
    const { rows } = await sql<{ status: string; left: string }>`
      select p.status, b.amount::text as left from payout p join balance b on b.wallet_id = p.wallet_id and b.bucket = 'available'
      where p.account_id = ${accountId}`.execute(context.db);
    expect(rows).toMatchObject([{ status: 'complete', left: expect.stringMatching(/^0\.00/) }]);
    // None of it belonged to the first account.
    expect(await firstAccount()).toEqual(before);
    await requireSolvency();
  });

  it('an address with an unknown key is skipped, with an alarm', async () => {
    const { id, address } = await deposit({ eth: '1.1' });
    await sql`update deposit_target set key_index = key_index + 1 where invoice_id = ${id}`.execute(
      shop.context.db,
    );
    await shop.sweep();
    const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(
      shop.context.db,
    );
    expect(rows.map(({ reason }) => reason)).toContain(
      `ETH on Ethereum can't be swept from the deposit address ${address}: its key or its fee is not known; the log has the error`,
    );
    await sql`update deposit_target set key_index = key_index - 1 where invoice_id = ${id}`.execute(
      shop.context.db,
    );
    shop.context.clock.advance(600_000);
    await sweepAll();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
  });
});

describe('crash', () => {
  // At every seventh step; the sandbox test stops at each step of the same code.
  it('never sweeps twice on a real node', async () => {
    const killable = killableProcess(shop.context);
    for (let steps = 10, lived = false; !lived; steps += 7) {
      expect(steps).toBeLessThan(200);
      const { address } = await deposit({ usdt: 80_000_000n });
      const before = await anvil.wallet.getTransactionCount({ address: payoutAddress });
      for (lived = true; (await tokens(address)) !== 0n;) {
        killable.surviveFor(steps);
        await sweepDeposits(killable.context).catch(() => {});
        lived &&= !killable.isKilled();
        killable.surviveFor(Number.POSITIVE_INFINITY);
        await endLeases(shop.context.db);
        await shop.sweep();
        await anvil.wallet.mine({ blocks: 12 });
      }
      await shop.settle();
      await shop.sweep();
      expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete' });
      const sent = [
        await anvil.wallet.getTransactionCount({ address: payoutAddress }),
        await anvil.wallet.getTransactionCount({ address }),
      ];
      expect(sent).toEqual([before + 1, 1]);
    }
    await requireSolvency();
    await killable.close();
  }, 120_000);
});
