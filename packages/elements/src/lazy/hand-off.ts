/** Paying in a shop's page, whose other scripts could change the payment details. */
import { drawHandOff as draw } from '../components/hand-off/hand-off.ts';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Drawn, Panel } from '../core/panel.ts';
// The tamper check compares every wallet link.
import '../wallet/more-wallets.ts';
import { guard, recordPanel } from '../tamper/guard.ts';
import { startWatching as copyExactly } from './plain-hand-off.ts';

export { CryptoHandOff, drawPlainAddress, showCopyFeedback } from './plain-hand-off.ts';

export function drawHandOff(panel: Panel): Drawn {
  recordPanel(panel);
  return draw(panel);
}

/**
 * Starts the tamper check, and copies selected amounts exactly.
 * @returns a function that ends both
 */
export function startWatching(host: CheckoutHost): () => void {
  const ends = [guard(host), copyExactly(host)];
  return () => ends.forEach((end) => end());
}
