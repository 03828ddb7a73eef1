import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import { claimOf } from './claim.ts';
import { CODES, TIMEOUT_MS } from './checkout-server.ts';

/** The buyer's entries. */
export interface RefundEntry {
  /** As the view names the payment. */
  transaction: string;
  address: string;
  tag: string;
}

/** Why a request was refused. `address`, `shop` and `tag` are for the buyer to change. */
export type RefundProblem = 'address' | 'shop' | 'tag' | 'fee' | 'taken' | CheckoutErrorCode;

/** A refusal of the server. */
export interface Refusal {
  reason?: string | null | undefined;
  /** The members that are wrong. */
  errors?: readonly { field: string }[] | undefined;
}

export type RefundAnswer =
  | { type: 'estimate' | 'requested'; received: string }
  /** Another request for this payment came first; the view shows it. */
  | { type: 'taken' }
  | { type: 'refused'; problem: RefundProblem };

const REASONS: Readonly<Record<string, RefundProblem>> = {
  InvalidAddress: 'address',
  LnurlError: 'address',
  ShopAddress: 'shop',
  ValidationError: 'address',
  PayoutNetworkFeeTooHigh: 'fee',
  AlreadyExists: 'taken',
};

/** An amount is too small to be sent. */
const FIELDS: Readonly<Record<string, RefundProblem>> = {
  address: 'address',
  tag: 'tag',
  amount: 'fee',
};

/** The problem that a refusal of the server names. */
export const refundProblem = (status: number, { reason, errors }: Refusal): RefundProblem =>
  (status < 500 &&
    ((reason === 'ValidationError' && FIELDS[errors?.[0]?.field ?? '']) ||
      REASONS[reason ?? ''])) ||
  CODES[status] ||
  (status < 500 ? 'refused' : 'unavailable');

/**
 * Asks the checkout server for a refund, or with `isEstimate` only for the amount that would
 * arrive. The same request again is the same refund. A refund of another amount than the one that
 * the buyer sees is refused.
 */
export async function requestRefund(
  url: string,
  checkoutId: string,
  entry: RefundEntry,
  { isEstimate, amount }: { isEstimate: boolean; amount: string | null },
): Promise<RefundAnswer> {
  const claim = claimOf(checkoutId);
  const body = {
    ...entry,
    tag: entry.tag || null,
    estimate: isEstimate,
    ...(amount !== null && { expected_amount: amount }),
    ...(claim && { claim }),
  };
  try {
    const response = await fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { refund, ...refusal } = (await response.json()) as Refusal & {
      refund?: { received: string };
    };
    if (response.ok && refund)
      return { type: isEstimate ? 'estimate' : 'requested', received: refund.received };
    if (refusal.reason === 'AlreadyExists') return { type: 'taken' };
    return { type: 'refused', problem: refundProblem(response.status, refusal) };
  } catch {
    return { type: 'refused', problem: 'network' };
  }
}
