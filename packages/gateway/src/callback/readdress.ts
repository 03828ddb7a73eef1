import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { afterCommit, type Db, type Trx } from '../database/database.ts';
import { notifyCallbacksQueued } from './signal.ts';

interface Moved {
  account_id: string;
  /** Id of the profile. */
  id: string;
  callback_url: string | null;
}

/**
 * A receiver that was down for days may have very many callbacks: one batch moves with the profile,
 * the others right after.
 */
const BATCH = 500;

/**
 * Moves waiting callbacks to the new address of their profile; they are due at once, in order. A
 * running request finishes; its next attempt goes to the new address. Without a new address the
 * callbacks stay: they were promised when they were queued.
 */
export async function readdressCallbacks(
  trx: Trx,
  { log }: Pick<Context, 'log'>,
  profile: Moved,
): Promise<void> {
  if (profile.callback_url === null) return;
  const moved = await readdress(trx, profile);
  if (moved === 0) return;
  afterCommit(trx, (db) => {
    notifyCallbacksQueued(db);
    if (moved >= BATCH)
      readdressOthers(db, profile).catch((err: unknown) =>
        log.error(
          { event: 'callbacks_keep_old_address', err },
          'not all callbacks got their new address',
        ),
      );
  });
}

async function readdressOthers(db: Db, profile: Moved): Promise<void> {
  while ((await readdress(db, profile)) > 0) notifyCallbacksQueued(db);
}

/**
 * Moves up to a batch from each side of the new address in the index; none once the profile has
 * another address.
 * @returns the number moved
 */
async function readdress(
  db: Db | Trx,
  { account_id, id, callback_url: url }: Moved,
): Promise<number> {
  const beside = (side: '<' | '>') => sql`
    select * from (
      select ctid as place from callback
      where state = 'pending' and account_id = ${account_id} and profile_id = ${id}
        and hashtextextended(url, 0) ${sql.raw(side)} hashtextextended(${url}, 0)
      order by account_id, hashtextextended(url, 0), next_at_real limit ${sql.lit(BATCH)} for update) waiting`;
  const { numAffectedRows = 0n } = await sql`
    update callback c set url = p.callback_url,
      next_at_real = case when locked_by is null then least(next_at_real, created_at_real) else next_at_real end
    from profile p
    where p.account_id = ${account_id} and p.id = ${id} and p.callback_url = ${url}
      and c.ctid = any(array(${beside('<')} union all ${beside('>')}))`.execute(db);
  return Number(numAffectedRows);
}
