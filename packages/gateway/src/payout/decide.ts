import { approvePayout as schema } from '@crypto-checkout/protocol/schema/payout';
import { readLying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFunds, releaseFunds } from './hold.ts';
import { movePayout } from './move.ts';
import { requireRefillable } from './refill.ts';
import { isWaiting } from './state.ts';
import { findPayouts, isPlanned, lockPayout, reserveWalletOf, type PayoutView } from './store.ts';

export interface Approver {
  accountId: string;
  username: string;
  email: string | null;
}

/**
 * Approves a draft, or rejects it (§4.3); a payout that waits for its time, for money or for a policy can be rejected too, and no
 * policy holds what is approved (both a choice). Of several decisions at once, and of one and the worker that begins it, one comes
 * first. What is approved is held back in the same moment, and what is rejected gives back what was held.
 * @throws ServiceError `NotFound`, `InvalidState` when it is too late for that, `InsufficientFunds` (it stays a draft)
 */
export async function decidePayout(context: Context, approver: Approver, id: string, input: unknown): Promise<PayoutView> {
  const { approve } = validate(schema, input);
  const known = isUuid(id) ? (await findPayouts(context.db, [id]))[0] : undefined;
  if (known === undefined || known.account_id !== approver.accountId)
    throw new ServiceError('NotFound', 'There is no payout with this id.');
  if (approve) await approvePayout(context, approver, known);
  else await reject(context, approver, id);
  return (await findPayouts(context.db, [id]))[0]!;
}

async function approvePayout(context: Context, { username, email }: Approver, known: PayoutView): Promise<void> {
  const lying = known.status === 'draft' ? await readLying(context, known.chain, known.wallet_id) : null;
  const approved = (hold: boolean): Promise<void> =>
    transact(context.db, async (trx) => {
      const payout = (await lockPayout(trx, known.id))!;
      if (payout.status !== 'draft' && payout.status !== 'awaiting_policies') {
        const message = `The payout is ${payout.status}: only a draft, or one that waits for a policy, can be approved.`;
        throw new ServiceError('InvalidState', message);
      }
      const approved_at = timestamp(context.clock.now());
      const approval = { approved_at, approved_by: { username, email } };
      // A policy is asked when the money is held already.
      if (payout.status === 'awaiting_policies') return movePayout(trx, context, payout, ['new'], approval);
      if (hold && lying !== null) await holdFunds(trx, payout, approved_at, lying);
      return movePayout(trx, context, payout, ['new'], { ...approval, hold: hold && lying !== null ? 'held' : 'none' });
    });
  try {
    await approved(true);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // With a reserve wallet it waits for the money, as one that is created does.
    await requireRefillable(context, known, await reserveWalletOf(context.db, known.profile_id), lying!);
    await approved(false);
  }
}

/** Whoever begins it locks it first, finds it ended, and leaves it alone; what was begun before is not rejected any more. */
async function reject(context: Context, { username }: Approver, id: string): Promise<void> {
  await transact(context.db, async (trx) => {
    const payout = (await lockPayout(trx, id))!;
    if (!isWaiting(payout, context.clock.now()) || (await isPlanned(trx, id)))
      throw new ServiceError(
        'InvalidState',
        `The payout is ${payout.status}: only a draft, or one that waits for its time, for money or for a policy, can be rejected.`,
      );
    const isHeld = payout.hold === 'held';
    if (isHeld) await releaseFunds(trx, payout, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, ['rejected'], isHeld ? { hold: 'released' } : {});
  });
  context.log.info({ payout_id: id, by: username }, 'a payout was rejected');
}
