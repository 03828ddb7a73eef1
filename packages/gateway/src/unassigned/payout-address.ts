import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import type { ChainSender } from '@crypto-checkout/chains/sender';

/**
 * Watch key of the address that payouts and gas top-ups of a chain leave from; null where it has no
 * balance of its own. What others send there is listed as unassigned.
 */
export function payoutWatchKey(sender: ChainSender | undefined): string | null {
  if (sender?.sweeping === undefined || sender.lane === null) return null;
  return watchKeyOf(sender.chain, sender.sweeping.payoutAddress);
}
