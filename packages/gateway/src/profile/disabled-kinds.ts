import { KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { invalid } from '../http/invalid.ts';

/**
 * The reason why a kind cannot be offered; null when it can. A token without a contract in the
 * table of kinds cannot be told apart from another.
 * @example whyDisabled(kindOf('JAMBO-SOL')!); // 'JAMBO-SOL stays disabled until an operator sets
 * its mint, which is not known'
 */
export function whyDisabled({ kind, chain, symbol, contract }: Kind): string | null {
  const coin = KINDS.find((other) => other.chain === chain);
  return symbol === coin?.symbol || contract !== null
    ? null
    : `${kind} stays disabled until an operator sets its mint, which is not known`;
}

/**
 * @throws ServiceError `ValidationError` for a coin that cannot be paid out: it would be stuck in
 * its wallet
 */
export function requireOffered(kind: Kind, field: string, verb: 'enabled' | 'used' = 'used'): void {
  const disabled = whyDisabled(kind);
  if (disabled !== null) throw invalid(field, `can't be ${verb}: ${disabled}`);
}
