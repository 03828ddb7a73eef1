import { KINDS, type Kind } from '@crypto-checkout/protocol/kind';

/**
 * Why nobody can offer a kind; null for one that can be: a token whose contract is not in the table of kinds can't be told from another.
 * @example whyDisabled(kindOf('JAMBO-SOL')!); // 'JAMBO-SOL stays disabled until an operator sets its mint, which is not known'
 */
export function whyDisabled({ kind, chain, symbol, contract }: Kind): string | null {
  const coin = KINDS.find((other) => other.chain === chain);
  return symbol === coin?.symbol || contract !== null ? null : `${kind} stays disabled until an operator sets its mint, which is not known`;
}
