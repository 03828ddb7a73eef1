import type { Checkout } from '@crypto-checkout/protocol/checkout';

/**
 * Reads a server's answer: whether what our own decisions rest on is there. All the rest is drawn as text, whatever it is; should
 * drawing fail all the same, `Part` catches it.
 * @returns null for what is no checkout.
 */
export function readCheckout(value: unknown): Checkout | null {
  const view = value as Checkout | null;
  const lists = [view?.notes, view?.coins, view?.received];
  return [view?.id, view?.stage].every((text) => text && typeof text === 'string') && lists.every(Array.isArray) ? view : null;
}
