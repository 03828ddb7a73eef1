import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** Adds the genesis block of chains that are newer than the database. */
export async function addMissingChains(db: Db, chains: Iterable<ChainId>): Promise<void> {
  await sql`
    with added as (
      insert into sandbox_chain (chain, height, hash, mined_at_real)
      select chain, 0, encode(sha256(convert_to('genesis of ' || chain, 'UTF8')), 'hex'), clock_timestamp()
      from unnest(${[...chains]}::text[]) as chain
      on conflict (chain) do nothing returning chain, hash, height, mined_at_real)
    insert into sandbox_block (chain, hash, parent, height, time)
    select chain, hash, null, height, mined_at_real from added`.execute(db);
}
