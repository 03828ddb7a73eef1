import { approvePayout as schema } from '@crypto-checkout/protocol/schema/payout';
import { hasUnknownFee, readUnsweptInTime, type UnsweptFunds } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { timestamp, transact } from '../../database/database.ts';
import { ServiceError, UnavailableError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { validate } from '../../http/payload.ts';
import { LedgerError } from '../../ledger/post.ts';
import { requireReturnable } from '../../refund/returnable.ts';
import { holdFunds, releaseFunds } from '../hold.ts';
import { shortfallOf } from '../required-funds.ts';
import { movePayout } from '../transition.ts';
import { feeAtApproval, LONGEST_WAIT_MS, withReserveOf, type PayoutFee } from './fee.ts';
import { requireRefillable } from '../sending/refill.ts';
import { isStuck, isWaiting } from '../state.ts';
import {
  availableIn,
  findPayouts,
  isPlanned,
  lockPayout,
  reserveWalletOf,
  type PayoutView,
} from '../store.ts';

export interface Approver {
  accountId: string;
  username: string;
  email: string | null;
}

/**
 * Approves or rejects a draft. A payout that waits for its date, for funds or for a policy can be
 * rejected too, and an approved payout skips the policy (extensions, see docs/interface.md,
 * "Approve and reject"). The row lock makes concurrent decisions and the worker exclusive. Approval
 * estimates the network fee anew and holds the funds; rejection releases them.
 * @throws ServiceError `NotFound`; `InvalidState` if the status does not allow it;
 * `InsufficientFunds`, and the payout stays a draft
 * @throws UnavailableError if a draft may need unswept funds, and the node does not answer
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
  const terms = current.status === 'draft' ? await termsOf(context, current) : null;
  const commit = (fee: PayoutFee | undefined, hold: boolean): Promise<void> =>
    transact(context.db, async (trx) => {
      const payout = (await lockPayout(trx, current.id))!;
      if (payout.status !== 'draft' && payout.status !== 'awaiting_policies') {
        const message = `The payout is ${payout.status}: only a draft, or one that waits for a policy, can be approved.`;
        throw new ServiceError('InvalidState', message);
      }
      await requireReturnable(trx, payout.id);
      const approved_at = timestamp(context.clock.now());
      const approval = { approved_at, approved_by: { username, email } };
      // Policies are checked after the funds are held, and its fee is followed until it is sent.
      if (payout.status === 'awaiting_policies' || terms === null)
        return movePayout(trx, context, payout, ['new'], approval);
      if (hold) await holdFunds(trx, { ...payout, ...fee }, approved_at, terms.unswept);
      const held = hold ? ('held' as const) : ('none' as const);
      return movePayout(trx, context, payout, ['new'], { ...approval, ...fee, hold: held });
    });
  if (await isFunded(commit(terms?.fee, true))) return;
  const { fee } = terms!;
  const ofDraft = withReserveOf(current, fee);
  if (ofDraft !== null && (await isFunded(commit(ofDraft, true)))) return;
  await requireFundable(context, current, terms!);
  await commit(fee, false);
}

async function isFunded(commit: Promise<void>): Promise<boolean> {
  try {
    await commit;
    return true;
  } catch (error) {
    if (error instanceof LedgerError) return false;
    throw error;
  }
}

/** The facts of the chain that approval needs. */
interface Terms {
  fee: PayoutFee;
  unswept: UnsweptFunds;
}

async function termsOf(context: Context, draft: PayoutView): Promise<Terms> {
  const [fee, unswept] = await Promise.all([
    feeAtApproval(context, draft),
    readUnsweptInTime(context, draft.chain, draft.wallet_id, LONGEST_WAIT_MS),
  ]);
  return { fee, unswept };
}

/**
 * With a reserve wallet the payout waits for funds, as a new one does.
 * @throws ServiceError `InsufficientFunds`
 * @throws UnavailableError if unswept funds are needed, and no node says what their sweep costs
 */
async function requireFundable(
  context: Context,
  draft: PayoutView,
  { fee, unswept }: Terms,
): Promise<void> {
  const wanted = { ...draft, ...fee };
  const isUnknown = hasUnknownFee(unswept);
  const known = isUnknown ? { ...unswept, sweepFee: 0n } : unswept;
  const available = await availableIn(context.db, draft.account_id, draft.wallet_id);
  if (isUnknown && shortfallOf(wanted, available, known).size === 0)
    throw new UnavailableError(`The chain ${draft.chain} does not answer`);
  const reserve = await reserveWalletOf(context.db, draft.profile_id);
  await requireRefillable(context, wanted, reserve, known);
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
