import type { Db } from '../database/database.ts';
import { statement } from '../database/statement.ts';

interface Use {
  accountId: string;
  keyId: string;
  nonce: string;
}

/*
 * Both are one conditional update, because looking first and writing then was measured to let 31 of 50 equal nonces pass.
 * It commits without waiting for the disk: the handler's own commit, which comes later in the same log, makes both durable;
 * what a database crash can lose is the nonce of a request that changed nothing.
 */

const consume = statement<Use>`
  update api_key set last_nonce = ${'nonce'}::numeric
  where account_id = ${'accountId'} and id = ${'keyId'} and last_nonce < ${'nonce'}::numeric
    and set_config('synchronous_commit', 'off', true) = 'off'`;

// 256 nonces are remembered.
const consumeInWindow = statement<Use>`
  update api_key set
    last_nonce = greatest(last_nonce, ${'nonce'}::numeric),
    recent_nonces = case
      -- In order, which most are: the array need not be sorted again.
      when last_nonce < ${'nonce'}::numeric then recent_nonces[cardinality(recent_nonces) - 254:] || ${'nonce'}::numeric
      else (
        select array_agg(kept.n order by kept.n)
        from (select n from unnest(recent_nonces || ${'nonce'}::numeric) as n order by n desc limit 256) as kept
      )
    end
  where account_id = ${'accountId'} and id = ${'keyId'}
    and (last_nonce < ${'nonce'}::numeric or (
      not (${'nonce'}::numeric = any(recent_nonces)) and (cardinality(recent_nonces) < 256 or recent_nonces[1] < ${'nonce'}::numeric)))
    and set_config('synchronous_commit', 'off', true) = 'off'`;

interface Compared {
  last: string;
  /** Null while fewer than 256 are remembered: only what is among them is refused. */
  smallest: string | null;
}

const selectCompared = statement<Pick<Use, 'accountId' | 'keyId'>, Compared>`
  select last_nonce::text as last, case when cardinality(recent_nonces) = 256 then recent_nonces[1]::text end as smallest
  from api_key where account_id = ${'accountId'} and id = ${'keyId'}`;

/**
 * Uses up a nonce that is greater than every earlier one of the key. With a window the 256 greatest are remembered, in ascending
 * order, and anything not among them and greater than the smallest of them is new.
 * @returns no row changed when it was used, or is too small
 */
export function consumeNonce(db: Db, use: Use, window: boolean): Promise<{ numAffectedRows?: bigint }> {
  return window ? consumeInWindow(db, use) : consume(db, use);
}

/** Why a nonce was refused, for whoever has signed with the key's secret: it tells how far the key was used. */
export async function whyRefused(db: Db, { accountId, keyId, nonce }: Use, window: boolean): Promise<string> {
  const { rows } = await selectCompared(db, { accountId, keyId });
  const { last = '0', smallest = null } = rows[0] ?? {};
  if (!window) return `The nonce ${nonce} must be greater than the last one of this API key, ${last}, and is used once.`;
  if (smallest === null) return `The nonce ${nonce} was used with this API key before.`;
  return `The nonce ${nonce} was used with this API key before, or is not greater than ${smallest}, the smallest of the 256 that are remembered.`;
}
