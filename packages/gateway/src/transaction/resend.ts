import { resendLastCallback, type Resent } from '../callback/resend.ts';
import type { Context } from '../context.ts';
import { presentTransaction } from './present.ts';
import type { TransactionView } from './views.ts';

/** Sends the last callback of a transaction again. */
export async function resendCallback(
  context: Context,
  transaction: TransactionView,
): Promise<Omit<Resent, 'delivery'> & { callback_response: Resent['delivery'] }> {
  const { account_id: accountId, profile_id: profileId, id, events } = transaction;
  const { delivery, ...resent } = await resendLastCallback(context, {
    accountId,
    profileId,
    id,
    events,
    shown: presentTransaction(transaction),
  });
  return { ...resent, callback_response: delivery };
}
