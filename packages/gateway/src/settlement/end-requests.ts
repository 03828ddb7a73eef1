import { UnavailableError } from '@crypto-checkout/chains/error';
import type { Context } from '../context.ts';
import { forgetRequest, isRequestPaid, requestsToCancel } from '../invoice/request-store.ts';

/** Requests for one look. */
const BATCH = 50;

/**
 * Cancels the lightning requests that nobody should pay any more: a payment came on the other way,
 * or another request took their place. A node that does not answer, or refuses, is asked again.
 */
export async function endRequests(context: Context): Promise<void> {
  const lightning = context.chains.get('lightning');
  if (lightning === undefined) return;
  for (const hash of await requestsToCancel(context.db, BATCH)) {
    try {
      // The simulated node reads the database itself.
      if (lightning.cancelRequest && !(await isRequestPaid(context.db, hash)))
        await lightning.cancelRequest(hash);
      await forgetRequest(context.db, hash);
    } catch (error) {
      context.log.warn(
        { event: 'request_not_cancelled', err: error },
        'a lightning request could not be cancelled; it is tried again',
      );
      if (error instanceof UnavailableError) return;
    }
  }
}
