import { sql } from 'kysely';
import { type Db, transact } from '../database/database.ts';
import type { Session } from '../http/env.ts';

/** The signed-in person and their account. */
export interface NewLink {
  tokenHash: string;
  accountId: string;
  email: string | null;
  /** Real time in the wire format, as all times here. */
  now: string;
  expiresAt: string;
}

/**
 * Stores a link, and deletes expired links and sessions.
 * @returns false when the account does not exist
 */
export async function insertLink(
  db: Db,
  { tokenHash, accountId, email, now, expiresAt }: NewLink,
): Promise<boolean> {
  await sql`delete from dashboard_link where expires_at_real < ${now}`.execute(db);
  await sql`delete from dashboard_session where ends_at_real < ${now}`.execute(db);
  const { numAffectedRows } = await sql`
    insert into dashboard_link (token_hash, account_id, email, created_at_real, expires_at_real)
    select ${tokenHash}, id, ${email}, ${now}, ${expiresAt} from account where id = ${accountId}::uuid`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export interface Exchange {
  linkHash: string;
  sessionHash: string;
  /** The browser's previous session. */
  oldSessionHash: string | null;
  now: string;
  endsAt: string;
}

/**
 * Uses a link up and opens a session: one of any number of concurrent attempts succeeds.
 * @returns whether it was this one
 */
export async function exchangeLink(
  db: Db,
  { linkHash, sessionHash, oldSessionHash, now, endsAt }: Exchange,
): Promise<boolean> {
  return transact(db, async (trx) => {
    const { rows } = await sql<{ account_id: string; email: string | null }>`
      update dashboard_link set used_at_real = ${now}
      where token_hash = ${linkHash} and used_at_real is null and expires_at_real > ${now}
      returning account_id, email`.execute(trx);
    const [link] = rows;
    if (!link) return false;
    if (oldSessionHash !== null)
      await sql`delete from dashboard_session where token_hash = ${oldSessionHash}`.execute(trx);
    await trx
      .insertInto('dashboard_session')
      .values({
        token_hash: sessionHash,
        ...link,
        created_at_real: now,
        seen_at_real: now,
        ends_at_real: endsAt,
      })
      .execute();
    return true;
  });
}

/** A session that has neither ended nor been idle since `idleSince`. */
export async function findSession(
  db: Db,
  tokenHash: string,
  { now, idleSince, seenBefore }: { now: string; idleSince: string; seenBefore: string },
): Promise<Session | null> {
  const { rows } = await sql<{
    id: string;
    name: string;
    is_testnet: boolean;
    email: string | null;
    ends: string;
    stale: boolean;
  }>`
    select a.id, a.name, a.is_testnet, s.email, s.ends_at_real as ends, s.seen_at_real < ${seenBefore} as stale
    from dashboard_session s join account a on a.id = s.account_id
    where s.token_hash = ${tokenHash} and s.ends_at_real > ${now} and s.seen_at_real > ${idleSince}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return null;
  if (row.stale)
    await sql`update dashboard_session set seen_at_real = ${now} where token_hash = ${tokenHash}`.execute(
      db,
    );
  return {
    tokenHash,
    account: { id: row.id, name: row.name, isTestnet: row.is_testnet },
    email: row.email,
    endsAt: row.ends,
  };
}

export async function deleteSession(db: Db, tokenHash: string): Promise<void> {
  await sql`delete from dashboard_session where token_hash = ${tokenHash}`.execute(db);
}
