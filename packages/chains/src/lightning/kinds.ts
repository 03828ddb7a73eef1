import { fromUnits } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';

export const SATOSHI_DECIMALS = 8;

/**
 * Of a payment of 20,000 satoshis: one satoshi, and a thousandth. No node can ask for the fees of
 * the payer's route, so this is an estimate.
 */
export const USUAL_FEE = fromUnits(21n, SATOSHI_DECIMALS);

/** Kinds that a node receives. */
export const RECEIVED_KINDS = KINDS.filter(({ chain }) => chain === 'lightning').map(
  ({ kind }) => kind,
);
