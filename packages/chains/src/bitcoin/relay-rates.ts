import type { UtxoChainId } from './network.ts';

/**
 * The lowest fee rates that nodes relay by default, in satoshi per byte, for nodes that state none.
 * A replacement must raise its rate by the same step (BIP125).
 */
export const USUAL_RELAY_RATES: Readonly<Record<UtxoChainId, number>> = {
  bitcoin: 1,
  litecoin: 1,
  dogecoin: 100,
};
