import { approvePayout as schema } from '@crypto-checkout/protocol/schema/payout';
import { readUnswept } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { timestamp, transact } from '../../database/database.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { validate } from '../../http/payload.ts';
import { LedgerError } from '../../ledger/post.ts';
import { requireReturnable } from '../../refund/returnable.ts';
import { holdFunds, releaseFunds } from '../hold.ts';
import { movePayout } from '../transition.ts';
import { requireRefillable } from '../sending/refill.ts';
import { isStuck, isWaiting } from '../state.ts';
import { findPayouts, isPlanned, lockPayout, reserveWalletOf, type PayoutView } from '../store.ts';

export interface Approver {
  accountId: string;
  username: string;
  email: string | null;
}

/**
 * Approves or rejects a draft. A payout that waits for its date, for funds or for a policy can be
 * rejected too, and an approved payout skips the policy (extensions, see docs/interface.md,
 * "Approve and reject"). The row lock makes concurrent decisions and the worker exclusive. Approval
 * holds the funds; rejection releases them.
 * @throws ServiceError `NotFound`; `InvalidState` if the status does not allow it;
 * `InsufficientFunds`, and the payout stays a draft
 */
export async function decidePayout(
  context: Context,
  approver: Approver,
  id: string,
  input: unknown,
): Promise<PayoutView> {
  const { approve } = validate(schema, input);
  const current = isUuid(id) ? (await findPayouts(context.db, [id]))[0] : undefined;
  if (current === undefined || current.account_id !== approver.accountId)
    throw new ServiceError('NotFound', 'No payout has this id.');
  if (approve) await approvePayout(context, approver, current);
  else await reject(context, approver, id);
  return (await findPayouts(context.db, [id]))[0]!;
}

async function approvePayout(
  context: Context,
  { username, email }: Approver,
  current: PayoutView,
): Promise<void> {
  const unswept =
    current.status === 'draft'
      ? await readUnswept(context, current.chain, current.wallet_id)
      : null;
  const commit = (hold: boolean): Promise<void> =>
    transact(context.db, async (trx) => {
      const payout = (await lockPayout(trx, current.id))!;
      if (payout.status !== 'draft' && payout.status !== 'awaiting_policies') {
        const message = `The payout is ${payout.status}: only a draft, or one that waits for a policy, can be approved.`;
        throw new ServiceError('InvalidState', message);
      }
      await requireReturnable(trx, payout.id);
      const approved_at = timestamp(context.clock.now());
      const approval = { approved_at, approved_by: { username, email } };
      // Policies are checked after the funds are held.
      if (payout.status === 'awaiting_policies')
        return movePayout(trx, context, payout, ['new'], approval);
      if (hold && unswept !== null) await holdFunds(trx, payout, approved_at, unswept);
      return movePayout(trx, context, payout, ['new'], {
        ...approval,
        hold: hold && unswept !== null ? 'held' : 'none',
      });
    });
  try {
    await commit(true);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // With a reserve wallet the payout waits for funds, as a new one does.
    await requireRefillable(
      context,
      current,
      await reserveWalletOf(context.db, current.profile_id),
      unswept!,
    );
    await commit(false);
  }
}

/** The lock orders this with the worker; a planned payout can no longer be rejected. */
async function reject(context: Context, { username }: Approver, id: string): Promise<void> {
  await transact(context.db, async (trx) => {
    const payout = (await lockPayout(trx, id))!;
    const now = context.clock.now();
    const waits = isWaiting(payout, now) || isStuck(payout, now);
    if (!waits || (await isPlanned(trx, id)))
      throw new ServiceError(
        'InvalidState',
        `The payout is ${payout.status}: only a draft, or one that waits for its date, for funds, for a policy, or for more than ten minutes to be sent, can be rejected.`,
      );
    const isHeld = payout.hold === 'held';
    if (isHeld) await releaseFunds(trx, payout, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, ['rejected'], isHeld ? { hold: 'released' } : {});
  });
  context.log.info({ event: 'payout_rejected', payout_id: id, by: username }, 'payout rejected');
}
