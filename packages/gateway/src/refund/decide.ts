import { approveRefund as schema } from '@crypto-checkout/protocol/schema/refund';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { decidePayout, type Approver } from '../payout/approval/decide.ts';
import { approveRefund, rejectRefund } from './approve.ts';
import { followRefund } from './follow.ts';
import { getRefund } from './get.ts';
import type { RefundView } from './store.ts';

/**
 * Approves or rejects a refund: one that was requested, or one whose payout is a draft.
 * @throws ServiceError `NotFound`; `InvalidState` if the status does not allow it;
 * `InsufficientFunds`, and the refund waits
 */
export async function decideRefund(
  context: Context,
  approver: Approver,
  id: string,
  input: unknown,
): Promise<RefundView> {
  const { is_approved } = validate(schema, input);
  const { accountId, username, email } = approver;
  const refund = await getRefund(context, accountId, id);
  const by = { username, email };
  if (refund.payout_id !== null) {
    const decision = decidePayout(context, approver, refund.payout_id, { approve: is_approved });
    await decision.catch(async (error: unknown) => {
      throw inOwnWords(error, await getRefund(context, accountId, id), is_approved);
    });
    await followRefund(context, refund);
  } else if (is_approved) await approveRefund(context, refund, { by });
  else await rejectRefund(context, refund, by);
  return getRefund(context, accountId, id);
}

/** A refund that is decided already is named, and not its payout. */
function inOwnWords(
  error: unknown,
  { status, payout_status }: RefundView,
  isApproval: boolean,
): unknown {
  if (!(error instanceof ServiceError) || error.reason !== 'InvalidState') return error;
  // Such a payout can be approved: the error is about its money.
  if (isApproval && (payout_status === 'draft' || payout_status === 'awaiting_policies'))
    return error;
  const message = isApproval
    ? 'only one that is requested, a draft, or waits for a policy can be approved'
    : 'it can no longer be rejected';
  return new ServiceError('InvalidState', `The refund is ${status}: ${message}.`, { cause: error });
}
