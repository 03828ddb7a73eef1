import type { UnlistedTransfer } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';

/** Worthless tokens cost their sender nothing, so only the newest of each chain are kept. */
const KEPT = 1_000;

/**
 * Transfers of tokens that are not listed, to our addresses: look-alikes, or tokens that the
 * settings lack. They are in no balance. Repeating it changes nothing.
 */
export async function saveUnlisted(
  trx: Trx,
  chain: ChainId,
  transfers: readonly UnlistedTransfer[],
  at: string,
): Promise<void> {
  if (transfers.length === 0) return;
  for (const { key, txid, contract, watchKey, units, height } of transfers.slice(-KEPT))
    await sql`
      insert into unlisted_transfer (chain, observation_key, txid, contract, watch_key, units, block_height, seen_at)
      values (${chain}, ${key}, ${txid}, ${contract}, ${watchKey}, ${units.toString()}, ${height}, ${at})
      on conflict (chain, observation_key) do update set block_height = excluded.block_height`.execute(
      trx,
    );
  await sql`
    delete from unlisted_transfer where chain = ${chain} and number <= (
      select number from unlisted_transfer where chain = ${chain} order by number desc offset ${KEPT} limit 1)`.execute(
    trx,
  );
}

export interface UnlistedToken {
  seen_at: string;
  chain: string;
  contract: string;
  /** In the contract's own units. */
  units: string;
  address: string;
  txid: string;
}

/** Newest first. */
export async function listUnlisted(db: Db, limit: number): Promise<UnlistedToken[]> {
  const { rows } = await sql<UnlistedToken>`
    select seen_at, chain, contract, units::text as units, split_part(watch_key, ':', 2) as address, txid
    from unlisted_transfer order by number desc limit ${limit}`.execute(db);
  return rows;
}
