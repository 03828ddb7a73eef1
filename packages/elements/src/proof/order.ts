import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Checkout, SignedTerms } from '@crypto-checkout/protocol/checkout';

/**
 * The order that the shop's page gave: the claims of its token, whose signature the server checks.
 */
export interface GivenOrder {
  order_id: string;
  amount: string;
  currency: string;
}

/** The claims of an order token; null if it has no such claims. */
export function orderOf(token: unknown): GivenOrder | null {
  try {
    const [, payload = ''] = String(token).split('.');
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.codePointAt(0)!);
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const { order_id, amount, currency } = claims as Record<string, unknown>;
    if (typeof order_id !== 'string' || typeof currency !== 'string') return null;
    return { order_id, amount: formatAmount(parseAmount(String(amount))), currency };
  } catch {
    return null;
  }
}

/** Whether a view is that of the order: same id, amount and currency. */
export function showsOrder({ order }: Checkout, given: GivenOrder): boolean {
  return (
    order?.order_id === given.order_id &&
    order.amount?.currency === given.currency &&
    parseAmount(order.amount.amount) === parseAmount(given.amount)
  );
}

/** Whether a payment asks for the order, or for the rest of it: never for more. */
export function asksForOrder(terms: SignedTerms, given: GivenOrder): boolean {
  return (
    terms.order_id === given.order_id &&
    terms.currency === given.currency &&
    parseAmount(terms.amount) <= parseAmount(given.amount)
  );
}
