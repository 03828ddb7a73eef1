import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, type Db, type Trx } from '../database/database.ts';
import type { Cursor, ScanResult } from './adapter.ts';

export interface Progress {
  /** Null before the first look. */
  cursor: Cursor | null;
  tip: number | null;
  /** Business time of the last look that reached the tip. */
  lookedAt: number | null;
}

/** How far a chain was read. */
export async function findProgress(db: Db, chain: ChainId): Promise<Progress> {
  const { rows } = await sql<{ cursor: Cursor; tip: number; looked_at: string | null }>`
    select cursor, tip, looked_at from chain_cursor where chain = ${chain}`.execute(db);
  const [row] = rows;
  if (!row) return { cursor: null, tip: null, lookedAt: null };
  return { cursor: row.cursor, tip: row.tip, lookedAt: row.looked_at === null ? null : milliseconds(row.looked_at) };
}

/** @param lookedAt null when the tip was not reached; then the last complete look stays known */
export async function saveCursor(trx: Trx, chain: ChainId, { cursor, tip }: ScanResult, lookedAt: string | null): Promise<void> {
  await sql`
    insert into chain_cursor (chain, cursor, tip, scanned_at_real, looked_at)
    values (${chain}, ${JSON.stringify(cursor)}, ${tip}, clock_timestamp(), ${lookedAt})
    on conflict (chain) do update set cursor = excluded.cursor, tip = excluded.tip, scanned_at_real = excluded.scanned_at_real,
      looked_at = coalesce(excluded.looked_at, chain_cursor.looked_at)`.execute(trx);
}

/** A look that found nothing. Not waited for on the disk: after a crash the next look says the same. */
export async function saveLook(db: Db, chain: ChainId, lookedAt: string): Promise<void> {
  await sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting)
    update chain_cursor set looked_at = ${lookedAt}, scanned_at_real = clock_timestamp() from relaxed
    where chain = ${chain}`.execute(db);
}

/** Money that no invoice explains, for the operator. The same again changes nothing. */
export async function saveUnassigned(
  trx: Trx,
  chain: ChainId,
  money: { key: string; txid: string | null; asset: string; address: string; amount: Amount; reason: string },
  at: string,
): Promise<void> {
  const { key, txid, asset, address, amount, reason } = money;
  await sql`
    insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
    values (${chain}, ${key}, ${txid}, ${asset}, ${address}, ${formatAmount(amount)}, ${reason}, ${at})
    on conflict do nothing`.execute(trx);
}

/** For the operator; a chain that stands still says so once, not with every look. */
export async function raiseAlarmOnce(
  { db, ids, clock }: Pick<Context, 'db' | 'ids' | 'clock'>,
  chain: ChainId,
  reason: string,
): Promise<void> {
  await sql`
    insert into alarm (id, chain, reason, raised_at)
    select ${ids.uuid()}, ${chain}, ${reason}, ${timestamp(clock.now())}
    where not exists (select 1 from alarm where chain = ${chain} and reason = ${reason})`.execute(db);
}
