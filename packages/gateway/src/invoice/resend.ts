import { resendLastCallback, type Resent } from '../callback/resend.ts';
import type { Context } from '../context.ts';
import { presentInvoice } from './present.ts';
import type { InvoiceView } from './store.ts';

/** Sends the last callback of an invoice again. */
export async function resendCallback(
  context: Context,
  invoice: InvoiceView,
): Promise<Omit<Resent, 'delivery'> & { callback_response: Resent['delivery'] }> {
  const { account_id: accountId, profile_id: profileId, id, events } = invoice;
  const { delivery, ...resent } = await resendLastCallback(context, {
    accountId,
    profileId,
    id,
    events,
    shown: presentInvoice(invoice),
  });
  return { ...resent, callback_response: delivery };
}
