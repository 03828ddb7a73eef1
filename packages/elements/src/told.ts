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
    super('checkout-paid', { ...OUT, cancelable: true });
    this.checkout = checkout;
  }
}

/** What the page has been told by an element: of each checkout once that it is paid. */
export class Told {
  #paid = new Set<string>();

  /**
   * Tells what is new.
   * @returns whether this is the moment to go back to the shop: it was being paid before our eyes, and the page has nothing against it.
   */
  tell(element: EventTarget, before: Checkout | null, next: Checkout): boolean {
    const { id, stage } = next;
    if (!before) element.dispatchEvent(new CheckoutReadyEvent(next));
    else if (before.stage !== stage) element.dispatchEvent(new CheckoutChangeEvent(before.stage, next));
    if (!isPaidStage(stage) || this.#paid.has(id)) return false;
    this.#paid.add(id);
    return element.dispatchEvent(new CheckoutPaidEvent(next)) && before !== null;
  }
}
