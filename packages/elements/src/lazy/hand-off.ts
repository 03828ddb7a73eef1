import { copyExactAmount } from '../components/amount/copy-amount.ts';
import { drawHandOff as draw } from '../components/hand-off/hand-off.ts';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { guard, recordPanel } from '../tamper/guard.ts';
export { drawPlainAddress } from '../components/address/plain-address.ts';
export { showCopyFeedback } from '../components/copy/copy-feedback.ts';
export { CryptoHandOff } from '../components/hand-off/hand-off.ts';

export function drawHandOff(panel: Panel): Drawn {
  recordPanel(panel);
  return draw(panel);
}

/**
 * Starts the tamper check, and copies selected amounts exactly.
 * @returns a function that ends both
 */
export function watchForTampering(host: CheckoutHost): () => void {
  const end = guard(host);
  host.addEventListener('copy', copyExactAmount);
  return () => {
    end();
    host.removeEventListener('copy', copyExactAmount);
  };
}
