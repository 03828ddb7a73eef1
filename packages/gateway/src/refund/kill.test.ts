import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLeases } from '../database/lease.ts';
import { requireBooks } from '../../test/support/shop.ts';
import { killableProcess, type KillableProcess } from '../../test/support/kill.ts';
import { BUYER, OTHER_BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { createRefund } from './create.ts';
import { decideRefund } from './decide.ts';
import { followRefunds } from './follow.ts';
import type { RefundCaller } from './request.ts';
import { refundsOf } from './store.ts';

let shop: RefundShop;
let killable: KillableProcess;
let caller: RefundCaller;
/** Final late payments without a refund. */
const transactions: string[] = [];

beforeAll(async () => {
  shop = await refundShop();
  killable = killableProcess(shop.context);
  const key = { id: shop.account.bff_key_id, maxPayout: null, maxPayoutDaily: null };
  caller = { accountId: shop.accountId, key, canPayOut: false };
  const invoices: string[] = [];
  for (let number = 0; number < 4 * MOST_STEPS; number += 1)
    invoices.push((await shop.create()).id);
  await shop.advance(3_600);
  for (const invoiceId of invoices) {
    const { address, amount } = await shop.get(invoiceId);
    const watch = await shop.context.db
      .selectFrom('deposit_target')
      .select('watch_key')
      .where('invoice_id', '=', invoiceId)
      .executeTakeFirstOrThrow();
    await shop.world.pay('bitcoin', [
      {
        asset: 'BTC',
        address: address!,
        watchKey: watch.watch_key,
        amount: BigInt(Number(amount.invoiced.amount) * 1e8) * 10n ** 10n,
      },
    ]);
  }
  await shop.mine('BTC', 6);
  const { rows } = await sql<{ id: string }>`select id from transaction order by number`.execute(
    shop.context.db,
  );
  transactions.push(...rows.map(({ id }) => id));
}, 240_000);
afterAll(async () => {
  await killable.close();
  await shop.close();
});

/** More steps than any piece of work has. */
const MOST_STEPS = 40;

/** Runs work in a process that dies after a number of steps. True if it finished. */
async function dies(steps: number, work: () => Promise<unknown>): Promise<boolean> {
  killable.surviveFor(steps);
  await work().catch(() => {});
  const survived = !killable.isKilled();
  await killable.waitUntilIdle();
  killable.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(shop.context.db);
  await requireBooks(shop.context);
  return survived;
}

const next = (): string => transactions.pop()!;
const payload = (transaction_id: string) => ({ transaction_id, address: BUYER });
const request = (context: RefundShop['context'], transactionId: string) =>
  createRefund(context, caller, payload(transactionId));
const approver = () => ({ accountId: shop.accountId, username: 'operator', email: null });

describe('a process that crashes', () => {
  it('at any step of a request leaves one refund or none', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const id = next();
      const survived = await dies(steps, () =>
        request(killable.context as RefundShop['context'], id),
      );
      const { type } = await request(shop.context, id);
      const refunds = await refundsOf(shop.context.db, id);
      expect(refunds).toHaveLength(1);
      expect(await shop.events(refunds[0]!.id)).toEqual(['refund_requested']);
      if (survived) {
        expect(type).toBe('existing');
        expect(steps).toBeGreaterThan(10);
        return;
      }
    }
    expect.unreachable('a request takes too many steps');
  }, 240_000);

  it('at any step of a replacement leaves one open refund', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const id = next();
      await createRefund(shop.context, caller, { transaction_id: id, address: OTHER_BUYER });
      const replace = (context: RefundShop['context']) =>
        createRefund(context, caller, { ...payload(id), is_proven: true });
      const survived = await dies(steps, () => replace(killable.context as RefundShop['context']));
      const before = await refundsOf(shop.context.db, id);
      expect(before.filter(({ status }) => status === 'requested')).toHaveLength(1);
      await replace(shop.context);
      const [first, second, ...others] = await refundsOf(shop.context.db, id);
      expect([first!, second!].map(({ address, status }) => [address, status])).toEqual([
        [OTHER_BUYER, 'rejected'],
        [BUYER, 'requested'],
      ]);
      expect(others).toEqual([]);
      expect(await shop.events(first!.id)).toEqual(['refund_requested', 'refund_rejected']);
      expect(await shop.events(second!.id)).toEqual(['refund_requested']);
      if (survived) {
        expect(steps).toBeGreaterThan(10);
        return;
      }
    }
    expect.unreachable('a replacement takes too many steps');
  }, 240_000);

  it('at any step of an approval leaves one payout or none', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const id = next();
      await request(shop.context, id);
      const [refund] = await refundsOf(shop.context.db, id);
      const decide = (context: RefundShop['context']) =>
        decideRefund(context, approver(), refund!.id, { is_approved: true });
      const survived = await dies(steps, () => decide(killable.context as RefundShop['context']));
      // A second approval is refused, and makes no second payout.
      await decide(shop.context).catch(() => {});
      await decide(shop.context).catch(() => {});
      const payouts = await shop.context.db
        .selectFrom('payout')
        .select('id')
        .where('reference_id', '=', `refund ${refund!.id}`)
        .execute();
      expect(payouts).toHaveLength(1);
      expect((await shop.refund(refund!.id)).status).toBe('approved');
      if (survived) {
        expect(steps).toBeGreaterThan(10);
        return;
      }
    }
    expect.unreachable('an approval takes too many steps');
  }, 240_000);

  it('at any step of following the payout reports the payment once', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const id = next();
      await request(shop.context, id);
      const [refund] = await refundsOf(shop.context.db, id);
      await decideRefund(shop.context, approver(), refund!.id, { is_approved: true });
      const { payout_id } = await shop.refund(refund!.id);
      // Only the refund's own steps: those of the payout have their test.
      await sql`update payout set status = 'complete' where id = ${payout_id}`.execute(
        shop.context.db,
      );
      killable.surviveFor(steps);
      await followRefunds(killable.context).catch(() => {});
      const survived = !killable.isKilled();
      await killable.waitUntilIdle();
      killable.surviveFor(Number.POSITIVE_INFINITY);
      await followRefunds(shop.context);
      await followRefunds(shop.context);
      expect((await shop.refund(refund!.id)).status).toBe('paid');
      expect(await shop.events(refund!.id)).toEqual(['refund_requested', 'refund_paid']);
      if (survived) {
        expect(steps).toBeGreaterThan(5);
        return;
      }
    }
    expect.unreachable('following takes too many steps');
  }, 240_000);
});
