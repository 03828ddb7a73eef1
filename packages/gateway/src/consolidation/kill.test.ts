import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxPayoutAddress } from '../chain/sandbox/send.ts';
import type { BroadcastResult, ChainSender } from '../chain/sender.ts';
import { payInvoice } from '../chain/sandbox/pay.ts';
import { endLeases } from '../database/lease.ts';
import { mortal, type Mortal } from '../payout/test-kill.ts';
import { verifyBooks } from '../wallet/verify.ts';
import { collectDeposits } from './collect.ts';
import { consolidateDeposits } from './consolidate.ts';
import { sweepShop, type SweepShop } from './test-sweeps.ts';

let shop: SweepShop;
let doomed: Mortal;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['ton'] });
  doomed = mortal(shop.context);
  await shop.fund('TON', '100');
});
afterAll(async () => {
  await doomed.close();
  await shop.close();
});

/** More steps than any of the pieces of work has. */
const MOST_STEPS = 120;
/** Of two deposits one dies a step later. */
const STRIDE = 2;
const TEN_MINUTES = 600;

/** A process does the work and dies after so many steps; the next one starts. @returns whether it lived to the end */
async function workAndDie(steps: number): Promise<boolean> {
  doomed.live(steps);
  await consolidateDeposits(doomed.context).catch(() => {});
  const lived = !doomed.isDead();
  doomed.live(Number.POSITIVE_INFINITY);
  await endLeases(shop.context.db);
  expect(await verifyBooks(shop.context.db)).toEqual([]);
  return lived;
}

/** Transactions that arrived, by coin. */
async function arrivals(amount: string): Promise<number> {
  const sent = await shop.sent(sandboxPayoutAddress('ton'));
  return sent.filter((output) => output.amount === amount).length;
}

/** Final token deposits, each at an address of its own, that wait until they are let go one by one. */
async function manyDeposits(count: number): Promise<{ id: string; amount: string }[]> {
  const { context, world } = shop;
  const made: { id: string; amount: string }[] = [];
  for (let at = 1; at <= count; at += 1) {
    const { id } = await shop.create({ kind: 'TON', amount: undefined });
    const amount = formatAmount(parseAmount('100') + BigInt(at) * 10n ** 12n);
    await payInvoice(context, world, { invoiceId: id, amount, kind: 'USDT-TON' });
    made.push({ id, amount });
  }
  await shop.mine('TON');
  await collectDeposits(context);
  await sql`update deposit set not_before = '2100-01-01'`.execute(context.db);
  await shop.advance(TEN_MINUTES);
  return made;
}

describe('a process that dies', () => {
  it('between any two steps moves a deposit once, with gas that comes once', async () => {
    const deposits = await manyDeposits(MOST_STEPS / STRIDE);
    for (const [at, { id, amount }] of deposits.entries()) {
      await sql`update deposit set not_before = null where invoice_id = ${id}`.execute(shop.context.db);
      const lived: boolean[] = [];
      for (let round = 0; round < 3; round += 1) {
        // The rounds die at other steps, so that every step of everything is one.
        lived.push(await workAndDie(at * STRIDE + round));
        await consolidateDeposits(shop.context);
        await shop.world.mine('ton', 1);
      }
      await shop.consolidate();
      expect(await arrivals(amount)).toBe(1);
      expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from outgoing o join sweep s on o.id in (s.id, s.top_up_id) where s.invoice_id = ${id}`.execute(
        shop.context.db,
      );
      expect(rows[0]!.count).toBe(2);
      expect([await shop.onChain(id, 'TON'), await shop.onChain(id, 'USDT-TON')]).toEqual(['0', '0']);
      if (lived.every(Boolean)) {
        expect(at * STRIDE).toBeGreaterThan(20);
        return;
      }
    }
    expect.unreachable('consolidating takes too many steps');
  }, 60_000);
});

describe('two processes', () => {
  it('on one database move each deposit once, beside payouts', async () => {
    const amounts = Array.from({ length: 6 }, (_, at) => `${20 + at}.5`);
    for (const amount of amounts) await shop.deposit('TON', amount);
    await shop.advance(TEN_MINUTES);
    await shop.payOut({
      kind: 'TON',
      recipients: [{ amount: '5', currency: 'USD', address: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8' }],
    });
    doomed.live(Number.POSITIVE_INFINITY);
    await Promise.all([
      consolidateDeposits(shop.context),
      consolidateDeposits(doomed.context),
      shop.work(),
      consolidateDeposits(shop.context),
      consolidateDeposits(doomed.context),
    ]);
    for (const amount of amounts) expect(await arrivals(formatAmount(parseAmount(amount) - parseAmount('0.006')))).toBe(1);
    await shop.world.mine('ton', 1);
    await shop.consolidate();
    expect((await shop.sweeps()).slice(-6).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'complete'));
  });
});

describe('a network that does not say what it did', () => {
  it('and sent it: the sweep is found on the chain', async () => {
    const senders = shop.context.senders as Map<string, ChainSender>;
    const real = senders.get('ton')!;
    const silent = (sender: ChainSender): ChainSender => ({
      ...sender,
      broadcast: async (raw): Promise<BroadcastResult> => {
        await sender.broadcast(raw);
        return { result: 'unknown', reason: 'time ran out' };
      },
    });
    const consolidation = real.consolidation!;
    senders.set('ton', { ...silent(real), consolidation: { ...consolidation, from: (deposit) => silent(consolidation.from(deposit)) } });
    const id = await shop.deposit('TON', '40.25');
    await shop.advance(TEN_MINUTES);
    await shop.consolidate();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'sending', invoice_id: id });
    senders.set('ton', real);
    await shop.world.mine('ton', 1);
    await shop.consolidate();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    expect(await arrivals('40.244')).toBe(1);
  });
});
