import { createHash } from 'node:crypto';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { PayoutPayload, RecipientPayload } from './order.ts';

/** Everything that makes it this payout. */
type Terms = Omit<PayoutPayload, 'estimate_only'>;

/** Whoever asks again after an answer was lost may write `0.0010` for `0.001` and a default in full: it is the same payout. */
export const fingerprintOf = ({ estimate_only: _estimate, ...payload }: PayoutPayload): string => hash(textOf(meaning(payload), inOrder));

/** Payouts of earlier versions have this one, of what was said as it was spelled. */
export const writtenFingerprintOf = ({ estimate_only: _estimate, ...payload }: PayoutPayload): string =>
  hash(textOf(payload, (value) => value));

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Members that are null say the same as absent ones. */
const textOf = (payload: Terms, each: (value: unknown) => unknown): string =>
  JSON.stringify(payload, (_name, value: unknown) => each(value) ?? undefined);

/** A default that was filled in would stand behind all others. */
function inOrder(value: unknown): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}

function meaning(payload: Terms): Terms {
  return {
    ...payload,
    recipients: payload.recipients.map(recipientMeaning),
    network_fee_pays: payload.network_fee_pays ?? 'merchant',
    network_fee_preset: payload.network_fee_preset ?? 'normal',
    scheduled_at: typeof payload.scheduled_at === 'string' ? new Date(payload.scheduled_at).toISOString() : null,
  };
}

function recipientMeaning(recipient: RecipientPayload): RecipientPayload {
  const { amount, currency, address, fee_amount, fee_currency, exchange_rate_limit: limit } = recipient;
  const fee = typeof fee_amount === 'string' && parseAmount(fee_amount) > 0n ? byValue(fee_amount) : null;
  return {
    ...recipient,
    amount: typeof amount === 'string' ? byValue(amount) : null,
    address: address.trim(),
    fee_amount: fee,
    fee_currency: fee === null ? null : (fee_currency ?? currency),
    exchange_rate_limit: limit
      ? { ...limit, exchange_rate: byValue(limit.exchange_rate), allowed_difference: byValue(limit.allowed_difference) }
      : null,
  };
}

const byValue = (text: string): string => formatAmount(parseAmount(text));
