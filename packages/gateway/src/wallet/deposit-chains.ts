import { CHAINS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';

/** Chain families whose deposit addresses hold balances of their own, which must be swept. */
export const DEPOSIT_FAMILIES: ReadonlySet<ChainFamily> = new Set(['evm', 'tron', 'solana', 'ton']);

export const DEPOSIT_CHAINS: readonly ChainId[] = Object.values(CHAINS)
  .filter(({ family }) => DEPOSIT_FAMILIES.has(family))
  .map(({ id }) => id);

/**
 * A literal list instead of a parameter: PostgreSQL uses the partial index on these chains only
 * then.
 */
export const inDepositChains = sql.raw(
  `in (${DEPOSIT_CHAINS.map((chain) => `'${chain}'`).join(', ')})`,
);
