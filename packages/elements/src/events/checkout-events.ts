import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type {
  CheckoutChangeEvent,
  CheckoutPaidEvent,
  CheckoutReadyEvent,
} from './lifecycle-events.ts';
import type { CoinPickEvent } from './coin-pick-event.ts';
// Their classes are in lazy modules.
export type { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent, CoinPickEvent };

const OUT = { bubbles: true, composed: true };

/** Error code for programs. The element shows a sentence of its own. */
export type CheckoutErrorCode =
  | 'setup'
  | 'network'
  | 'unavailable'
  | 'busy'
  | 'not_found'
  | 'refused'
  | 'malformed'
  | 'tampered';

/**
 * An error occurred. The element shows a sentence and retries where that helps. `message` is for
 * developers, in English, and includes the server's answer: log it, never show it on the page.
 */
export class CheckoutErrorEvent extends Event {
  readonly code: CheckoutErrorCode;
  readonly message: string;
  readonly checkout: Checkout | null;
  constructor(code: CheckoutErrorCode, message: string, checkout: Checkout | null) {
    super('checkout-error', OUT);
    this.code = code;
    this.message = message;
    this.checkout = checkout;
  }
}

/**
 * The buyer leaves the checkout in this stage, `error` if there was no checkout. Preventing it
 * keeps the buyer here, unless it is not cancelable.
 */
export class CheckoutCloseEvent extends Event {
  readonly stage: string;
  readonly checkout: Checkout | null;
  constructor(checkout: Checkout | null, cancelable = true) {
    super('checkout-close', { ...OUT, cancelable });
    this.stage = checkout?.stage ?? 'error';
    this.checkout = checkout;
  }
}

declare global {
  interface HTMLElementEventMap {
    'checkout-ready': CheckoutReadyEvent;
    'checkout-change': CheckoutChangeEvent;
    'checkout-paid': CheckoutPaidEvent;
    'checkout-error': CheckoutErrorEvent;
    'checkout-close': CheckoutCloseEvent;
    'coin-pick': CoinPickEvent;
  }
}
