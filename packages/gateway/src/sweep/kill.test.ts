import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxPayoutAddress } from '../sandbox/send.ts';
import type { BroadcastResult, ChainSender } from '@crypto-checkout/chains/sender';
import { payInvoice } from '../sandbox/pay.ts';
import { endLeases } from '../database/lease.ts';
import { killableProcess, type KillableProcess } from '../../test/support/kill.ts';
import { verifyBooks } from '../ledger/verify.ts';
import { collectDeposits } from './collect-deposits.ts';
import { sweepDeposits } from './sweep.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

let shop: SweepShop;
let killable: KillableProcess;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['ton'] });
  killable = killableProcess(shop.context);
  await shop.fund('TON', '100');
});
afterAll(async () => {
  await killable.close();
  await shop.close();
});

/** Upper bound of the steps of one piece of work. */
const MOST_STEPS = 120;
/** With two deposits, the crash comes one step later. */
const STRIDE = 2;
const TEN_MINUTES = 600;

/**
 * Runs the work in a process that crashes after a number of steps, then starts the next one.
 * @returns whether the work was completed
 */
async function workAndCrash(steps: number): Promise<boolean> {
  killable.surviveFor(steps);
  await sweepDeposits(killable.context).catch(() => {});
  const survived = !killable.isKilled();
  killable.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(shop.context.db);
  expect(await verifyBooks(shop.context.db)).toEqual([]);
  return survived;
}

/** Transactions that arrived, by coin. */
async function arrivals(amount: string): Promise<number> {
  const sent = await shop.sent(sandboxPayoutAddress('ton'));
  return sent.filter((output) => output.amount === amount).length;
}

/** Final token deposits on addresses of their own, which are released one by one. */
async function manyDeposits(count: number): Promise<{ id: string; amount: string }[]> {
  const { context, world } = shop;
  const created: { id: string; amount: string }[] = [];
  for (let at = 1; at <= count; at += 1) {
    const { id } = await shop.create({ kind: 'TON', amount: undefined });
    const amount = formatAmount(parseAmount('100') + BigInt(at) * 10n ** 12n);
    await payInvoice(context, world, { invoiceId: id, amount, kind: 'USDT-TON' });
    created.push({ id, amount });
  }
  await shop.mine('TON');
  await collectDeposits(context);
  await sql`update deposit set not_before = '2100-01-01'`.execute(context.db);
  await shop.advance(TEN_MINUTES);
  return created;
}

describe('crash', () => {
  it('between any two steps: a deposit is swept once, with one gas top-up', async () => {
    const deposits = await manyDeposits(MOST_STEPS / STRIDE);
    for (const [at, { id, amount }] of deposits.entries()) {
      await sql`update deposit set not_before = null where invoice_id = ${id}`.execute(
        shop.context.db,
      );
      const survived: boolean[] = [];
      for (let round = 0; round < 3; round += 1) {
        // The rounds crash at different steps, so that every step is covered.
        survived.push(await workAndCrash(at * STRIDE + round));
        await sweepDeposits(shop.context);
        await shop.world.mine('ton', 1);
      }
      await shop.sweep();
      expect(await arrivals(amount)).toBe(1);
      expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from outgoing o join sweep s on o.id in (s.id, s.top_up_id) where s.invoice_id = ${id}`.execute(
        shop.context.db,
      );
      expect(rows[0]!.count).toBe(2);
      expect([await shop.onChain(id, 'TON'), await shop.onChain(id, 'USDT-TON')]).toEqual([
        '0',
        '0',
      ]);
      if (survived.every(Boolean)) {
        expect(at * STRIDE).toBeGreaterThan(20);
        return;
      }
    }
    expect.unreachable('a sweep takes too many steps');
  }, 60_000);
});

describe('two processes', () => {
  it('sweep each deposit once, beside payouts', async () => {
    const amounts = Array.from({ length: 6 }, (_, at) => `${20 + at}.5`);
    for (const amount of amounts) await shop.deposit('TON', amount);
    await shop.advance(TEN_MINUTES);
    await shop.payOut({
      kind: 'TON',
      recipients: [
        {
          amount: '5',
          currency: 'USD',
          address: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8',
        },
      ],
    });
    killable.surviveFor(Number.POSITIVE_INFINITY);
    await Promise.all([
      sweepDeposits(shop.context),
      sweepDeposits(killable.context),
      shop.work(),
      sweepDeposits(shop.context),
      sweepDeposits(killable.context),
    ]);
    for (const amount of amounts)
      expect(await arrivals(formatAmount(parseAmount(amount) - parseAmount('0.006')))).toBe(1);
    await shop.world.mine('ton', 1);
    await shop.sweep();
    expect((await shop.sweeps()).slice(-6).map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => 'complete'),
    );
  });
});

describe('unknown outcome of a broadcast', () => {
  it('the sweep is found on the chain', async () => {
    const senders = shop.context.senders as Map<string, ChainSender>;
    const real = senders.get('ton')!;
    const withoutResult = (sender: ChainSender): ChainSender => ({
      ...sender,
      broadcast: async (raw): Promise<BroadcastResult> => {
        await sender.broadcast(raw);
        return { result: 'unknown', reason: 'time ran out' };
      },
    });
    const sweeping = real.sweeping!;
    senders.set('ton', {
      ...withoutResult(real),
      sweeping: { ...sweeping, from: (deposit) => withoutResult(sweeping.from(deposit)) },
    });
    const id = await shop.deposit('TON', '40.25');
    await shop.advance(TEN_MINUTES);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'sending', invoice_id: id });
    senders.set('ton', real);
    await shop.world.mine('ton', 1);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    expect(await arrivals('40.244')).toBe(1);
  });
});
