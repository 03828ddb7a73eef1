import { resendLastCallback, type Resent } from '../callback/resend.ts';
import type { Context } from '../context.ts';
import { presentPayout } from './present.ts';
import type { PayoutView } from './store.ts';

/** As for transactions, except that the details are named `response`. */
export async function resendCallback(
  context: Context,
  payout: PayoutView,
): Promise<Omit<Resent, 'delivery'> & { response: Resent['delivery'] }> {
  const { account_id: accountId, profile_id: profileId, id, events } = payout;
  const { delivery, ...resent } = await resendLastCallback(context, {
    accountId,
    profileId,
    id,
    events,
    shown: presentPayout(payout),
  });
  return { ...resent, response: delivery };
}
