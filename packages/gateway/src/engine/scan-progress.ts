import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { milliseconds, type Db, type Trx } from '../database/database.ts';
import type { Cursor, ScanResult } from '@crypto-checkout/chains/adapter';
import { sourceOf, startCursor, type BlockReference } from '@crypto-checkout/chains/cursor';

export interface ScanProgress {
  /** Null before the first scan. */
  cursor: Cursor | null;
  tip: number | null;
  /** Business time up to which the last scan that reached the tip showed the chain. */
  scannedAt: number | null;
  /** Highest finalized block that was read, and for how long it has been the highest. */
  finalized: { height: number | null; ageMs: number } | null;
}

export async function findProgress(db: Db, chain: ChainId): Promise<ScanProgress> {
  const { rows } = await sql<{
    cursor: Cursor;
    tip: number;
    looked_at: string | null;
    finalized_height: number | null;
    finalized_ms: number;
  }>`
    select cursor, tip, looked_at, finalized_height,
      extract(epoch from clock_timestamp() - finalized_at_real)::float8 * 1000 as finalized_ms from chain_cursor where chain = ${chain}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return { cursor: null, tip: null, scannedAt: null, finalized: null };
  return {
    cursor: row.cursor,
    tip: row.tip,
    scannedAt: row.looked_at === null ? null : milliseconds(row.looked_at),
    finalized: { height: row.finalized_height, ageMs: row.finalized_ms },
  };
}

/** The chain whose blocks were read, with its block 0; null before the first scan. */
export async function findSource(db: Db, chain: ChainId): Promise<string | null> {
  return sourceOf((await findProgress(db, chain)).cursor);
}

/** Stores where the first scan of a chain begins; a later call changes nothing. */
export async function beginScan(
  db: Db,
  chain: ChainId,
  { beginning, source }: { beginning: BlockReference; source: string },
): Promise<void> {
  await sql`
    insert into chain_cursor (chain, cursor, tip, scanned_at_real)
    values (${chain}, ${JSON.stringify(startCursor(beginning, source))}, ${beginning.height}, clock_timestamp())
    on conflict do nothing`.execute(db);
}

/** @param scannedAt null if the tip was not reached; the time of the last complete scan stays */
export async function saveCursor(
  trx: Trx,
  chain: ChainId,
  { cursor, tip, finalized }: ScanResult,
  scannedAt: string | null,
): Promise<void> {
  await sql`
    insert into chain_cursor (chain, cursor, tip, scanned_at_real, looked_at, finalized_height)
    values (${chain}, ${JSON.stringify(cursor)}, ${tip}, clock_timestamp(), ${scannedAt}, ${finalized ?? null})
    on conflict (chain) do update set cursor = excluded.cursor, tip = excluded.tip, scanned_at_real = excluded.scanned_at_real,
      looked_at = coalesce(excluded.looked_at, chain_cursor.looked_at),
      finalized_height = greatest(excluded.finalized_height, chain_cursor.finalized_height),
      finalized_at_real = case when excluded.finalized_height > coalesce(chain_cursor.finalized_height, -1)
        then clock_timestamp() else chain_cursor.finalized_at_real end`.execute(trx);
}

/**
 * Records a scan without changes. Commits with synchronous_commit=off: after a crash the next scan
 * repeats it.
 */
export async function saveScanTime(db: Db, chain: ChainId, scannedAt: string): Promise<void> {
  await sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting)
    update chain_cursor set looked_at = ${scannedAt}, scanned_at_real = clock_timestamp() from relaxed
    where chain = ${chain}`.execute(db);
}
