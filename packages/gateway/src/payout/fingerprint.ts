import { createHash } from 'node:crypto';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { PayoutPayload, RecipientPayload } from './payload.ts';

/** The parameters that identify a payout. */
type Terms = Omit<PayoutPayload, 'estimate_only'>;

/**
 * The hash of the parameters. A retry may spell an amount differently (`0.0010`, `0.001`) or state
 * a default: it is the same payout.
 */
export const fingerprintOf = ({ estimate_only: _estimate, ...payload }: PayoutPayload): string =>
  hash(textOf(normalized(payload), sortedKeys));

/** Stored by earlier versions, which hashed the parameters as spelled. */
export const legacyFingerprintOf = ({
  estimate_only: _estimate,
  ...payload
}: PayoutPayload): string => hash(textOf(payload, (value) => value));

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Null members equal absent ones. */
const textOf = (payload: Terms, each: (value: unknown) => unknown): string =>
  JSON.stringify(payload, (_name, value: unknown) => each(value) ?? undefined);

/** Defaults are appended last, so the order of the keys must not matter. */
function sortedKeys(value: unknown): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

function normalized(payload: Terms): Terms {
  return {
    ...payload,
    recipients: payload.recipients.map(normalizedRecipient),
    network_fee_pays: payload.network_fee_pays ?? 'merchant',
    network_fee_preset: payload.network_fee_preset ?? 'normal',
    scheduled_at:
      typeof payload.scheduled_at === 'string'
        ? new Date(payload.scheduled_at).toISOString()
        : null,
  };
}

function normalizedRecipient(recipient: RecipientPayload): RecipientPayload {
  const {
    amount,
    currency,
    address,
    fee_amount,
    fee_currency,
    exchange_rate_limit: limit,
  } = recipient;
  const fee =
    typeof fee_amount === 'string' && parseAmount(fee_amount) > 0n
      ? canonicalAmount(fee_amount)
      : null;
  return {
    ...recipient,
    amount: amount === undefined ? undefined : canonicalAmount(amount),
    address: address.trim(),
    fee_amount: fee,
    fee_currency: fee === null ? null : (fee_currency ?? currency),
    exchange_rate_limit: limit
      ? {
          ...limit,
          exchange_rate: canonicalAmount(limit.exchange_rate),
          allowed_difference: canonicalAmount(limit.allowed_difference),
        }
      : null,
  };
}

const canonicalAmount = (text: string): string => formatAmount(parseAmount(text));
