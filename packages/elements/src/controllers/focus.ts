import type { CheckoutElement } from '../components/base/checkout-element.ts';

/** Focuses an element after its update and scrolls to it. */
export async function focusAndReveal(place: HTMLElement | CheckoutElement): Promise<void> {
  if ('updateComplete' in place) await place.updateComplete;
  // A browser may centre what it focuses, which would cut the payment below.
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: isCut(place) ? 'start' : 'nearest' });
}

/** Parts that a buyer needs at once; on a phone the code is folded. */
const NEEDED = 'crypto-qr, crypto-address';

/** Whether a part of the payment below the heading is out of sight. */
function isCut(heading: Element): boolean {
  const root = heading.getRootNode() as ShadowRoot;
  const dialog = root.host?.closest('dialog');
  const end = Math.min(innerHeight, dialog?.getBoundingClientRect().bottom ?? Infinity);
  return [...root.querySelectorAll(NEEDED)].some(
    (part) => part.getBoundingClientRect().bottom > end,
  );
}
