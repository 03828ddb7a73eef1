import { CHAINS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';

/** Families of chains where every deposit address has a balance of its own, which has to be moved together (§2.9). */
export const DEPOSIT_FAMILIES: ReadonlySet<ChainFamily> = new Set(['evm', 'tron', 'solana', 'ton']);

export const DEPOSIT_CHAINS: readonly ChainId[] = Object.values(CHAINS)
  .filter(({ family }) => DEPOSIT_FAMILIES.has(family))
  .map(({ id }) => id);

/** As a list in the text of a statement, not as a value: only so an index that names these chains is used. */
export const inDepositChains = sql.raw(`in (${DEPOSIT_CHAINS.map((chain) => `'${chain}'`).join(', ')})`);
