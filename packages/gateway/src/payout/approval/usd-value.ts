import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { ServiceError } from '../../http/error.ts';
import { convert } from '../../rate/convert.ts';
import type { RateSet } from '../../rate/rate-book.ts';
import type { Recipient } from '../recipient.ts';

/**
 * The USD value of all recipients at the current rate, rounded up, so that rounding never passes
 * `max_payout`.
 */
export function usdValueOf(
  recipients: readonly Recipient[],
  symbol: string,
  rates: RateSet,
): Amount {
  return recipients.reduce((sum, { gross, requested_text, requested_currency }) => {
    const requested = requested_currency === symbol ? gross : parseAmount(requested_text);
    return sum + convert(requested, requested_currency, 'USD', rates, 18, 'up');
  }, 0n);
}

/** Without a limit, a payout needs no exchange rate. */
export function usdValueIfKnown(...args: Parameters<typeof usdValueOf>): Amount | null {
  try {
    return usdValueOf(...args);
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'RateUnavailable') return null;
    throw error;
  }
}
