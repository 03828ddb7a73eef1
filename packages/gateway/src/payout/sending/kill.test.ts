import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BroadcastResult, ChainSender } from '@crypto-checkout/chains/sender';
import { endLeases } from '../../database/lease.ts';
import { createPayout } from '../create.ts';
import { processPayouts } from './process.ts';
import { killableProcess, type KillableProcess } from '../../../test/support/kill.ts';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../../test/support/payouts.ts';

let shop: PayoutShop;
let killable: KillableProcess;
beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin', 'ton'] });
  killable = killableProcess(shop.context);
  await shop.fund('BTC', '1000');
  await shop.fund('TON', '1000');
});
afterAll(async () => {
  await killable.close();
  await shop.close();
});

/** More steps than any piece of work has. */
const MOST_STEPS = 200;

/**
 * Runs the work in a process that dies after a number of steps, then in a new one.
 * @returns true if the first process finished
 */
async function workAndCrash(steps: number): Promise<boolean> {
  killable.surviveFor(steps);
  await processPayouts(killable.context).catch(() => {});
  const survived = !killable.isKilled();
  killable.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(shop.context.db);
  await requirePayoutBooks(shop);
  return survived;
}

async function transactionsOf(amount: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct txid) as count from sandbox_output where address = ${ADDRESS.BTC} and amount = ${amount}`.execute(
    shop.context.db,
  );
  return rows[0]!.count;
}

describe('a process that crashes', () => {
  it('at any step of creating leaves a complete payout or none', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const amount = formatAmount(parseAmount('0.05') + BigInt(steps + 1) * 10n ** 10n);
      const payload = {
        kind: 'BTC',
        profile_id: shop.profileId,
        reference_id: `create-${steps}`,
        recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }],
      };
      killable.surviveFor(steps);
      const first = await createPayout(killable.context, shop.creator, payload).catch(() => null);
      killable.surviveFor(Number.POSITIVE_INFINITY);
      await requirePayoutBooks(shop);
      const repeated = await createPayout(shop.context, shop.creator, payload);
      if (first !== null) {
        expect(repeated).toMatchObject({ type: 'existing', payout: { id: first.payout.id } });
        expect(steps).toBeGreaterThan(5);
        return;
      }
    }
    expect.unreachable('creating takes too many steps');
  });

  it('at any step of sending never sends twice, and the next process finishes', async () => {
    await shop.work();
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const amount = formatAmount(parseAmount('0.1') + BigInt(steps + 1) * 10n ** 10n);
      const { id } = await shop.payOut({
        recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }],
      });
      const survived = [await workAndCrash(steps)];
      expect(await transactionsOf(amount)).toBeLessThanOrEqual(1);
      await shop.work();
      expect((await shop.payout(id)).status).toBe('pending');
      expect(await transactionsOf(amount)).toBe(1);
      await shop.world.mine('bitcoin', 1);
      survived.push(await workAndCrash(steps));
      await shop.work();
      expect((await shop.payout(id)).status).toBe('confirmed');
      await shop.world.mine('bitcoin', 5);
      survived.push(await workAndCrash(steps));
      await shop.work();
      expect(await shop.payout(id)).toMatchObject({ status: 'complete', confirmations: 6 });
      expect(await shop.events(id)).toEqual([
        'payout_pending',
        'payout_confirmed',
        'payout_complete',
      ]);
      expect(await transactionsOf(amount)).toBe(1);
      await requirePayoutBooks(shop);
      if (survived.every(Boolean)) {
        expect(steps).toBeGreaterThan(20);
        return;
      }
    }
    expect.unreachable('sending takes too many steps');
  }, 240_000);

  it('repeatedly ends with one transaction', async () => {
    const amount = '0.2';
    const { id } = await shop.payOut({
      recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }],
    });
    // Each process lives one step longer than the last.
    for (let steps = 0; steps < 60; steps += 1) await workAndCrash(steps);
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await transactionsOf(amount)).toBe(1);
  }, 120_000);
});

describe('two processes', () => {
  it('on one database send each payout once', async () => {
    const before = (await shop.sent(ADDRESS.BTC)).length;
    for (let number = 0; number < 10; number += 1)
      await shop.payOut({ recipients: [{ amount: '0.3', currency: 'BTC', address: ADDRESS.BTC }] });
    killable.surviveFor(Number.POSITIVE_INFINITY);
    await Promise.all([
      processPayouts(shop.context),
      processPayouts(killable.context),
      processPayouts(shop.context),
      processPayouts(killable.context),
    ]);
    expect((await shop.sent(ADDRESS.BTC)).length).toBe(before + 10);
    await requirePayoutBooks(shop);
  });
});

describe('a broadcast without a result', () => {
  /** Returns the given result, and broadcasts or not. */
  function withBroadcast(
    answer: (sender: ChainSender, raw: string) => Promise<BroadcastResult>,
  ): void {
    const real = original.get('bitcoin')!;
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', {
      ...real,
      broadcast: (raw) => answer(real, raw),
    });
  }
  let original: ReadonlyMap<string, ChainSender>;
  beforeAll(() => {
    original = new Map(shop.context.senders);
  });
  const restoreSender = (): void =>
    void (shop.context.senders as Map<string, ChainSender>).set(
      'bitcoin',
      original.get('bitcoin')!,
    );
  const payout = async (amount: string): Promise<string> =>
    (await shop.payOut({ recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }] })).id;

  it('that arrived is found on the chain', async () => {
    withBroadcast(async (sender, raw) => {
      await sender.broadcast(raw);
      return { result: 'unknown', reason: 'timeout' };
    });
    const id = await payout('0.41');
    const held = (await shop.holdings('BTC')).reserved;
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    expect((await shop.holdings('BTC')).reserved).toBe(held);
    expect(await shop.events(id)).toEqual([]);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await transactionsOf('0.41')).toBe(1);
    restoreSender();
  });

  it('that did not arrive is repeated with the same bytes', async () => {
    const sent: string[] = [];
    withBroadcast(async (_, raw) => {
      sent.push(raw);
      return { result: 'unknown', reason: 'no connection' };
    });
    const id = await payout('0.42');
    const workAfterPause = (): Promise<void> => {
      shop.context.clock.advance(60_000);
      return shop.work();
    };
    for (let round = 0; round < 5; round += 1) await workAfterPause();
    expect((await shop.payout(id)).status).toBe('new');
    expect([new Set(sent).size, sent.length]).toEqual([1, 5]);
    expect(await transactionsOf('0.42')).toBe(0);
    restoreSender();
    await workAfterPause();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await transactionsOf('0.42')).toBe(1);
  });

  it('does not fail when the second attempt is rejected: the first may have arrived', async () => {
    let first = true;
    withBroadcast(async () => {
      if (!first) return { result: 'failed', reason: 'no' };
      first = false;
      return { result: 'unknown', reason: 'no answer' };
    });
    const id = await payout('0.43');
    const held = (await shop.holdings('BTC')).reserved;
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    expect((await shop.holdings('BTC')).reserved).toBe(held);
    restoreSender();
    await shop.work();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('fails and releases the funds when the first attempt is rejected', async () => {
    withBroadcast(async () => ({ result: 'failed', reason: 'min relay fee not met' }));
    const before = await shop.holdings('BTC');
    const id = await payout('0.44');
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'min relay fee not met',
      txid: '',
    });
    expect(await shop.holdings('BTC')).toEqual(before);
    expect(await shop.events(id)).toEqual(['payout_failed']);
    restoreSender();
    await shop.work();
    expect(await transactionsOf('0.44')).toBe(0);
    expect((await shop.payout(id)).status).toBe('failed');
  });
});
