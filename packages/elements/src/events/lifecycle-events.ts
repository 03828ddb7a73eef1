import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';

const OUT = { bubbles: true, composed: true };

/** The first view of the checkout is on the screen. */
export class CheckoutReadyEvent extends Event {
  readonly checkout: Checkout;
  constructor(checkout: Checkout) {
    super('checkout-ready', OUT);
    this.checkout = checkout;
  }
}

/** The checkout changed from one stage to another. */
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
 * The order is paid. Dispatched once for each checkout in the life of a page. Preventing it keeps
 * the buyer on the page. Shops fulfil on the webhook, never on this event.
 */
export class CheckoutPaidEvent extends Event {
  readonly checkout: Checkout;
  constructor(checkout: Checkout) {
    super('checkout-paid', { ...OUT, cancelable: true });
    this.checkout = checkout;
  }
}

/** Dispatches the lifecycle events of one element; `checkout-paid` once for each checkout. */
export class LifecycleEvents {
  #paid = new Set<string>();

  /**
   * Dispatches the events of a change.
   * @returns whether to return to the shop: the payment happened on this page, and the page did not
   * prevent it
   */
  emit(element: EventTarget, before: Checkout | null, next: Checkout): boolean {
    const { id, stage } = next;
    if (!before) element.dispatchEvent(new CheckoutReadyEvent(next));
    else if (before.stage !== stage)
      element.dispatchEvent(new CheckoutChangeEvent(before.stage, next));
    if (!isPaidStage(stage) || this.#paid.has(id)) return false;
    this.#paid.add(id);
    return element.dispatchEvent(new CheckoutPaidEvent(next)) && before !== null;
  }
}
