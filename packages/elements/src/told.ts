import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent } from './event.ts';

/** What the page has been told by an element: of each checkout once that it is there, and once that it is paid. */
export class Told {
  #ready = new Set<string>();
  #paid = new Set<string>();

  /** The view before this one, when the page knows of it. */
  before(view: Checkout | null, { id }: Checkout): Checkout | null {
    return view?.id === id && this.#ready.has(id) ? view : null;
  }

  /**
   * Tells what is new.
   * @returns whether this is the moment to go back to the shop: it was being paid before our eyes, and the page has nothing against it.
   */
  tell(element: EventTarget, before: Checkout | null, next: Checkout): boolean {
    const { id, stage } = next;
    if (!before) element.dispatchEvent(new CheckoutReadyEvent(next));
    else if (before.stage !== stage) element.dispatchEvent(new CheckoutChangeEvent(before.stage, next));
    this.#ready.add(id);
    if (!isPaidStage(stage) || this.#paid.has(id)) return false;
    this.#paid.add(id);
    return element.dispatchEvent(new CheckoutPaidEvent(next)) && before !== null;
  }
}
