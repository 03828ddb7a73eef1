import type { Amount } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';

interface OnNetwork {
  is_testnet: boolean;
}

/**
 * The confirmations of a coin whose profile states none, for a payment that is not large: one on a
 * test network, otherwise the usual depth of the chain.
 */
export function usualConfirmations(kind: string, { is_testnet }: OnNetwork): number {
  const chain = kindOf(kind)?.chain;
  return is_testnet || chain === undefined ? 1 : CHAIN_DETAILS[chain].confirmations;
}

/**
 * The same for an amount: on a main network a large payment waits for the final depth. So does one
 * of an unknown value, such as a payment to a reusable address.
 * @param usd value in US dollars; null when it is unknown
 */
export function defaultConfirmations(
  { kind, finalConfirmations }: Pick<Kind, 'kind' | 'finalConfirmations'>,
  network: OnNetwork,
  usd: Amount | null,
  largePayment: Amount,
): number {
  const isLarge = !network.is_testnet && (usd === null || usd >= largePayment);
  return isLarge ? finalConfirmations : usualConfirmations(kind, network);
}
