/** Paying on a page whose policy admits no other script: without the tamper check. */
import { copyExactAmount } from '../components/amount/copy-amount.ts';
import type { CheckoutHost } from '../core/contracts.ts';

export { drawPlainAddress } from '../components/address/plain-address.ts';
export { showCopyFeedback } from '../components/copy/copy-feedback.ts';
export { CryptoHandOff, drawHandOff } from '../components/hand-off/hand-off.ts';

/**
 * Copies selected amounts exactly.
 * @returns a function that ends it
 */
export function startWatching(host: CheckoutHost): () => void {
  host.addEventListener('copy', copyExactAmount);
  return () => host.removeEventListener('copy', copyExactAmount);
}
