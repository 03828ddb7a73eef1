import type { Checkout } from '@crypto-checkout/protocol/checkout';

const OUT = { bubbles: true, composed: true };
const QUESTION = { ...OUT, cancelable: true };

/** The first view of the checkout is on the screen. */
export class CheckoutReadyEvent extends Event {
  readonly checkout: Checkout;
  constructor(checkout: Checkout) {
    super('checkout-ready', OUT);
    this.checkout = checkout;
  }
}

/** The checkout went from one stage to another. */
export class CheckoutChangeEvent extends Event {
  readonly from: string;
  readonly to: string;
  readonly checkout: Checkout;
  constructor(from: string, checkout: Checkout) {
    super('checkout-change', OUT);
    this.from = from;
    this.to = checkout.stage;
    this.checkout = checkout;
  }
}

/**
 * The order is paid. Sent once for each checkout that the element shows in the life of a page, whatever comes after it. Cancelling it
 * keeps the buyer on the page. Shops fulfil on the webhook, never on this.
 */
export class CheckoutPaidEvent extends Event {
  readonly checkout: Checkout;
  constructor(checkout: Checkout) {
    super('checkout-paid', QUESTION);
    this.checkout = checkout;
  }
}

/** What went wrong, as a word for programs. The element shows its own sentence. */
export type CheckoutErrorCode = 'setup' | 'network' | 'unavailable' | 'busy' | 'not_found' | 'refused' | 'malformed';

/** Something went wrong; the element shows a sentence and, where it helps, tries again by itself. */
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

/** The buyer is leaving the checkout, in this stage. Cancelling it keeps the buyer here. */
export class CheckoutCloseEvent extends Event {
  readonly stage: string;
  readonly checkout: Checkout | null;
  constructor(checkout: Checkout | null) {
    super('checkout-close', QUESTION);
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
