import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { afterCommit, type Db, type Trx } from '../database/database.ts';
import { tellCallbacksQueued } from './signal.ts';

interface Moved {
  account_id: string;
  /** Of the profile. */
  id: string;
  callback_url: string | null;
}

/** A receiver that was away for days may have very many: so many are moved with the profile, the others right behind it. */
const BATCH = 500;

/**
 * Sends what still waits to the new address of its profile, at once and in the order in which it happened. One that is just being
 * sent keeps its turn; its next attempt goes to the new address. Without an address what waits stays where it is: it was promised
 * when it was queued.
 */
export async function readdressCallbacks(trx: Trx, { log }: Pick<Context, 'log'>, profile: Moved): Promise<void> {
  if (profile.callback_url === null) return;
  const moved = await readdress(trx, profile);
  if (moved === 0) return;
  afterCommit(trx, (db) => {
    tellCallbacksQueued(db);
    if (moved >= BATCH) readdressOthers(db, profile).catch((err: unknown) => log.error({ err }, 'not all callbacks got their new address'));
  });
}

async function readdressOthers(db: Db, profile: Moved): Promise<void> {
  while ((await readdress(db, profile)) > 0) tellCallbacksQueued(db);
}

/** Up to a batch from each side of the new address in the index; none once the profile says something else. @returns how many */
async function readdress(db: Db | Trx, { account_id, id, callback_url: url }: Moved): Promise<number> {
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
