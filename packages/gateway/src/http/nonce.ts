import type { Db } from '../database/database.ts';
import { statement } from '../database/statement.ts';

interface Use {
  accountId: string;
  keyId: string;
  nonce: string;
}

/*
 * Both are one conditional update: with a read before the write, 31 of 50 equal nonces passed
 * (measured). The commit does not wait for the disk. The handler's own commit comes later in the
 * same log and makes both durable; a database crash can only lose the nonce of a request that
 * changed nothing.
 */

const consume = statement<Use>`
  update api_key set last_nonce = ${'nonce'}::numeric
  where account_id = ${'accountId'} and id = ${'keyId'} and last_nonce < ${'nonce'}::numeric
    and set_config('synchronous_commit', 'off', true) = 'off'`;

// The window: 256 nonces are stored.
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
  /** Null while fewer than 256 are stored: then only the stored ones are refused. */
  smallest: string | null;
}

const selectCompared = statement<Pick<Use, 'accountId' | 'keyId'>, Compared>`
  select last_nonce::text as last, case when cardinality(recent_nonces) = 256 then recent_nonces[1]::text end as smallest
  from api_key where account_id = ${'accountId'} and id = ${'keyId'}`;

/**
 * Uses up a nonce that is greater than every earlier one of the key. With a window, the 256
 * greatest are stored in ascending order, and any other nonce above the smallest of them is new.
 * @returns no row when the nonce was used or is too small
 */
export function consumeNonce(
  db: Db,
  use: Use,
  window: boolean,
): Promise<{ numAffectedRows?: bigint }> {
  return window ? consumeInWindow(db, use) : consume(db, use);
}

/**
 * Explains a refused nonce. Shown only to callers that signed with the key's secret, because it
 * reveals the key's last nonce.
 */
export async function refusalReason(
  db: Db,
  { accountId, keyId, nonce }: Use,
  window: boolean,
): Promise<string> {
  const { rows } = await selectCompared(db, { accountId, keyId });
  const { last = '0', smallest = null } = rows[0] ?? {};
  if (!window)
    return `The nonce ${nonce} must be greater than the last one of this API key, ${last}, and is used once.`;
  if (smallest === null) return `The nonce ${nonce} was used with this API key before.`;
  return `The nonce ${nonce} was used with this API key before, or is not greater than ${smallest}, the smallest of the 256 that are remembered.`;
}
