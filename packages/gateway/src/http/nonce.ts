import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** Nonces that a key with a window remembers. */
export const NONCE_WINDOW = 256;

/*
 * Both are one conditional update, because looking first and writing then was measured to let 31 of 50 equal nonces pass.
 * It commits without waiting for the disk: the handler's own commit, which comes later in the same log, makes both durable;
 * what a database crash can lose is the nonce of a request that changed nothing.
 */

/**
 * Uses up a nonce that is greater than every earlier one of the key.
 * @returns false when it is not
 */
export async function consumeNonce(db: Db, accountId: string, keyId: string, nonce: bigint): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update api_key set last_nonce = ${String(nonce)}::numeric
    where account_id = ${accountId} and id = ${keyId} and last_nonce < ${String(nonce)}::numeric
      and set_config('synchronous_commit', 'off', true) = 'off'`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Uses up a nonce of a key with a window: the 256 greatest are remembered, anything not among them and greater than the
 * smallest of them is new. `recent_nonces` is kept in ascending order.
 * @returns false when it was used, or lies below the window
 */
export async function consumeNonceInWindow(db: Db, accountId: string, keyId: string, nonce: bigint): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update api_key set
      last_nonce = greatest(last_nonce, ${String(nonce)}::numeric),
      recent_nonces = case
        -- In order, which most are: the array need not be sorted again.
        when last_nonce < ${String(nonce)}::numeric
        then recent_nonces[cardinality(recent_nonces) - ${sql.lit(NONCE_WINDOW - 2)}:] || ${String(nonce)}::numeric
        else (
          select array_agg(kept.n order by kept.n)
          from (
            select n from unnest(recent_nonces || ${String(nonce)}::numeric) as n order by n desc limit ${sql.lit(NONCE_WINDOW)}
          ) as kept
        )
      end
    where account_id = ${accountId} and id = ${keyId}
      and (last_nonce < ${String(nonce)}::numeric or (
        not (${String(nonce)}::numeric = any(recent_nonces))
        and (cardinality(recent_nonces) < ${sql.lit(NONCE_WINDOW)} or recent_nonces[1] < ${String(nonce)}::numeric)))
      and set_config('synchronous_commit', 'off', true) = 'off'`.execute(db);
  return numAffectedRows === 1n;
}
