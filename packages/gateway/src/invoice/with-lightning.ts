import { UnavailableError as NodeUnavailableError } from '@crypto-checkout/chains/error';
import { withinTime } from '@crypto-checkout/chains/within-time';
import type { Context } from '../context.ts';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { deriveTarget } from './derive-target.ts';
import type { InvoiceRow } from './store.ts';
import type { NumberedTarget } from './insert.ts';

/** The kind of a lightning request beside an address. */
export const BESIDE = 'BTC_LIGHTNING';

/**
 * Longest wait for the request. A buyer waits for the answer, and callers give up after seconds.
 */
const LONGEST_WAIT_MS = 1_500;

type Wanted = Pick<InvoiceRow, 'id' | 'invoiced' | 'notes'> & { expiration_seconds: number };

/**
 * Makes the lightning request of an invoice that has an address. The address alone is payable, too.
 * @returns null when lightning cannot receive the amount now
 */
export async function requestBeside(
  context: Context,
  wanted: Wanted,
): Promise<NumberedTarget | null> {
  const adapter = context.chains.get('lightning');
  if (!adapter?.kinds.includes(BESIDE)) return null;
  try {
    const request = () => deriveTarget(context, adapter, { ...wanted, kind: BESIDE });
    // A request that arrives later is never shown to a buyer, and expires unpaid.
    return await withinTime(request, LONGEST_WAIT_MS, () => {
      throw new UnavailableError('lightning did not return a request in time');
    });
  } catch (error) {
    const isMissing =
      error instanceof UnavailableError ||
      error instanceof NodeUnavailableError ||
      error instanceof ServiceError;
    if (!isMissing) throw error;
    context.log.warn(
      { event: 'request_beside_missing', err: error, invoice_id: wanted.id },
      'an invoice has no lightning request beside its address',
    );
    return null;
  }
}
