import type { CheckoutElement } from '../components/base/checkout-element.ts';

/** Focuses an element after its update, and scrolls no further than needed. */
export async function focusAndReveal(place: HTMLElement | CheckoutElement): Promise<void> {
  if ('updateComplete' in place) await place.updateComplete;
  // A browser may centre what it focuses, which would cut the payment below.
  place.focus({ preventScroll: true });
  reveal(place.getRootNode() as ShadowRoot, place);
}

/** Scrolls to a changed payment, no further than needed. */
export const revealPayment = (root: ParentNode): void =>
  reveal(root, root.querySelector('crypto-status'));

// The heading comes last: where both do not fit, its start is shown.
function reveal(root: ParentNode, place: Element | null): void {
  for (const part of [neededIn(root), place])
    part?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
}

/** The part that a buyer needs at once: the code, or the values to copy where it is folded. */
const neededIn = (root: ParentNode): Element | undefined =>
  [...root.querySelectorAll('crypto-address, crypto-qr')]
    .filter((part) => part.checkVisibility())
    .at(-1);
