import { KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { invalid } from '../http/invalid.ts';

/**
 * Why nobody can offer a kind; null for one that can be: a token whose contract is not in the table of kinds can't be told from another.
 * @example whyDisabled(kindOf('JAMBO-SOL')!); // 'JAMBO-SOL stays disabled until an operator sets its mint, which is not known'
 */
export function whyDisabled({ kind, chain, symbol, contract }: Kind): string | null {
  const coin = KINDS.find((other) => other.chain === chain);
  return symbol === coin?.symbol || contract !== null ? null : `${kind} stays disabled until an operator sets its mint, which is not known`;
}

/** @throws ServiceError `ValidationError` for a coin that nobody can be paid: it would only be stuck in its wallet */
export function requireOffered(kind: Kind, field: string, verb: 'enabled' | 'used' = 'used'): void {
  const disabled = whyDisabled(kind);
  if (disabled !== null) throw invalid(field, `can't be ${verb}: ${disabled}`);
}
