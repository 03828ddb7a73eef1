import type { Checkout } from '@crypto-checkout/protocol/checkout';

/**
 * Validates the members of an answer that our code depends on. The others are drawn as text,
 * whatever they are; `CheckoutElement` catches errors while drawing.
 * @returns null if it is not a checkout
 */
export function readCheckout(value: unknown): Checkout | null {
  const view = value as Checkout | null;
  const lists = [view?.notes, view?.coins, view?.received];
  return [view?.id, view?.stage].every((text) => text && typeof text === 'string') &&
    lists.every(Array.isArray)
    ? view
    : null;
}
