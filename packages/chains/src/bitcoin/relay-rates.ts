import type { UtxoChainId } from './network.ts';

/**
 * The usual lowest rates of the chains' nodes in satoshi per byte, which are the steps of their
 * replacements too: for nodes that state none.
 */
export const USUAL_RELAY_RATES: Readonly<Record<UtxoChainId, number>> = {
  bitcoin: 1,
  litecoin: 1,
  dogecoin: 100,
};
