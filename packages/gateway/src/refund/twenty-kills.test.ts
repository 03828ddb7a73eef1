import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../context.ts';
import { endLeases } from '../database/lease.ts';
import { settle } from '../worker/settle.ts';
import { seeded } from '../../test/simulation/random.ts';
import { killableProcess, type KillableProcess } from '../../test/support/kill.ts';
import { requirePayoutBooks } from '../../test/support/payouts.ts';
import { BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { createRefund } from './create.ts';
import { decideRefund } from './decide.ts';
import type { RefundCaller } from './request.ts';
import { refundsOf } from './store.ts';

const KILLS = 20;
/** More operations than one pass of the worker has. */
const MOST_STEPS = 120;
/** One history in `npm test`, by the printed seed; more of them at night. */
const SEED = Number(process.env['SAMPLE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const HISTORIES = process.env['NIGHTLY'] === '1' ? 12 : 1;
console.log(`a refund with ${KILLS} kills: ${HISTORIES} of its histories, SAMPLE_SEED=${SEED}`);

let shop: RefundShop;
let killable: KillableProcess;
beforeAll(async () => {
  shop = await refundShop();
  killable = killableProcess(shop.context);
}, 120_000);
afterAll(async () => {
  await killable.close();
  await shop.close();
});

/** Everything that happens to a refund: the request, the approval, and the worker. */
async function proceed(context: Context, transactionId: string): Promise<void> {
  const key = { id: shop.account.bff_key_id, maxPayout: null, maxPayoutDaily: null };
  const caller: RefundCaller = { accountId: shop.accountId, key, canPayOut: false };
  const payload = { transaction_id: transactionId, address: BUYER };
  await createRefund(context, caller, payload).catch(unlessKilled);
  const [refund] = await refundsOf(context.db, transactionId);
  const approver = { accountId: shop.accountId, username: 'operator', email: null };
  if (refund?.status === 'requested')
    await decideRefund(context, approver, refund.id, { is_approved: true }).catch(unlessKilled);
  await settle(context);
}

/** A repeated request may be refused; a dead process does nothing more. */
function unlessKilled(error: unknown): void {
  if (killable.isKilled()) throw error;
}

describe.each(Array.from({ length: HISTORIES }, (_, at) => SEED + at))('history %i', (seed) => {
  it(`a refund survives ${KILLS} kills and repeats: one payout, one callback each`, async () => {
    const random = seeded(seed);
    const { transaction } = await shop.late();
    const before = (await shop.sent(BUYER)).length;
    for (let kills = 0; kills < KILLS;) {
      killable.surviveFor(random.below(MOST_STEPS));
      await proceed(killable.context, transaction.id).catch(() => {});
      if (killable.isKilled()) kills += 1;
      await killable.waitUntilIdle();
      killable.surviveFor(Number.POSITIVE_INFINITY);
      await endLeases(shop.context.db);
      await requirePayoutBooks(shop);
      if (random.chance(20)) await shop.world.mine('bitcoin', 1);
      if (random.chance(20)) await proceed(shop.context, transaction.id);
    }
    await proceed(shop.context, transaction.id);
    await shop.mine('BTC', 7);
    await proceed(shop.context, transaction.id);

    const refunds = await refundsOf(shop.context.db, transaction.id);
    expect(refunds).toHaveLength(1);
    const [refund] = refunds;
    const sent = (await shop.sent(BUYER)).slice(before);
    expect(sent).toHaveLength(1);
    expect([refund!.status, sent[0]!.txid]).toEqual(['paid', refund!.txid]);
    expect(await shop.events(refund!.id)).toEqual(['refund_requested', 'refund_paid']);
    expect(await payoutsOf(refund!.id)).toHaveLength(1);
    await requirePayoutBooks(shop);
  }, 240_000);
});

const payoutsOf = (refundId: string) =>
  shop.context.db
    .selectFrom('payout')
    .select('id')
    .where('reference_id', '=', `refund ${refundId}`)
    .execute();
