import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent } from './told.ts';
// Their code comes with that of following a checkout.
export type { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent };

const OUT = { bubbles: true, composed: true };
const QUESTION = { ...OUT, cancelable: true };

/** What went wrong, as a word for programs. The element shows its own sentence. */
export type CheckoutErrorCode = 'setup' | 'network' | 'unavailable' | 'busy' | 'not_found' | 'refused' | 'malformed' | 'tampered';

/**
 * Something went wrong; the element shows a sentence and, where it helps, tries again by itself. `message` is written for developers, in
 * English, with what a server answered: it belongs into a log, never on the page.
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

/** The buyer is leaving the checkout, in this stage: `error` where none could be shown. Cancelling it keeps the buyer here, where it can be cancelled. */
export class CheckoutCloseEvent extends Event {
  readonly stage: string;
  readonly checkout: Checkout | null;
  constructor(checkout: Checkout | null, cancelable = true) {
    super('checkout-close', { ...OUT, cancelable });
    this.stage = checkout?.stage ?? 'error';
    this.checkout = checkout;
  }
}

/** The buyer has picked a coin in a coin picker. Cancelling it keeps the form from being sent. */
export class CoinPickEvent extends Event {
  readonly kind: string;
  constructor(kind: string) {
    super('coin-pick', QUESTION);
    this.kind = kind;
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
