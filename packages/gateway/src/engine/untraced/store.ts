import type { BlockReference } from '@crypto-checkout/chains/cursor';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { timestamp, type Db, type Trx } from '../../database/database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A block waits for its traces for this time, to the hour. */
const MAX_AGE_MS = 7 * 24 * HOUR_MS;
/** The newest blocks of a chain that wait. */
const MAX_BLOCKS = 20_000;
/** More of them are allowed until the oldest are dropped together. */
const SLACK = 1_000;
const MAX_PAUSE_MS = 15 * MINUTE_MS;

/** A block that waits for its traces. */
export interface UntracedBlock extends BlockReference {
  /** Counted with the present one. */
  tries: number;
}

/** Stores the blocks of a scan that were read without all of their traces. */
export async function saveUntraced(
  trx: Trx,
  chain: ChainId,
  blocks: readonly BlockReference[],
  now: number,
): Promise<void> {
  if (blocks.length === 0) return;
  const at = timestamp(now);
  await sql`
    insert into untraced_block (chain, height, hash, read_at_real, due_at_real)
    select ${chain}, height, hash, ${at}::timestamptz, ${at}::timestamptz
    from unnest(${blocks.map(({ height }) => height)}::bigint[], ${blocks.map(({ hash }) => hash)}::text[]) as b(height, hash)
    on conflict (chain, height) do update set hash = excluded.hash, tries = 0,
      read_at_real = excluded.read_at_real, due_at_real = excluded.due_at_real`.execute(trx);
}

/** The blocks above this height left the chain. */
export async function deleteUntracedAbove(trx: Trx, chain: ChainId, height: number): Promise<void> {
  await sql`delete from untraced_block where chain = ${chain} and height > ${height}`.execute(trx);
}

/** Takes a block off the list. @returns whether it was on it, with this hash */
export async function deleteUntraced(
  db: Db | Trx,
  chain: ChainId,
  { height, hash }: BlockReference,
): Promise<boolean> {
  const { rows } = await sql`
    delete from untraced_block where chain = ${chain} and height = ${height} and hash = ${hash}
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Locks a block that waits. @returns false when it left the list or the chain meanwhile */
export async function lockUntraced(
  trx: Trx,
  chain: ChainId,
  { height, hash }: BlockReference,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from untraced_block
    where chain = ${chain} and height = ${height} and hash = ${hash} for update`.execute(trx);
  return rows.length > 0;
}

/**
 * The next block that is due: those with the fewest tries first, and of them the newest, whose
 * state a node still has. It is due again a minute later, then after twice that time, at most after
 * an hour.
 */
export async function claimUntraced(
  db: Db,
  chain: ChainId,
  now: number,
): Promise<UntracedBlock | null> {
  const at = timestamp(now);
  const { rows } = await sql<UntracedBlock>`
    update untraced_block b set tries = b.tries + 1,
      due_at_real = ${at}::timestamptz + least(interval '1 hour', interval '1 minute' * power(2, b.tries))
    where b.chain = ${chain} and b.height = (
      select height from untraced_block where chain = ${chain} and due_at_real <= ${at}
      order by tries, height desc limit 1 for update skip locked)
    returning height, hash, tries`.execute(db);
  return rows[0] ?? null;
}

/** Drops the oldest blocks of a long list, and those that have waited for a week. */
export async function dropOldUntraced(db: Db, chain: ChainId, now: number): Promise<number> {
  const oldest = timestamp(Math.floor(now / HOUR_MS) * HOUR_MS - MAX_AGE_MS);
  const { rows } = await sql<{ dropped: number }>`
    with waiting as (select count(*) as count from untraced_block where chain = ${chain}),
    dropped as (
      delete from untraced_block where chain = ${chain} and (read_at_real < ${oldest}
        or (select count from waiting) > ${MAX_BLOCKS + SLACK} and height <= (
          select height from untraced_block where chain = ${chain}
          order by height desc offset ${MAX_BLOCKS} limit 1))
      returning 1)
    select count(*) as dropped from dropped`.execute(db);
  return rows[0]?.dropped ?? 0;
}

/** How many blocks of each chain wait; chains without one are left out. */
export async function countUntraced(db: Db): Promise<ReadonlyMap<ChainId, number>> {
  const { rows } = await sql<{ chain: ChainId; count: number }>`
    select chain, count(*) as count from untraced_block group by chain`.execute(db);
  return new Map(rows.map(({ chain, count }) => [chain, count]));
}

/** How often in a row a round found no node that traces, and until when no other one is due. */
export interface TracePause {
  failures: number;
  until: number;
}

export async function findTracePause(db: Db, chain: ChainId): Promise<TracePause> {
  const { rows } = await sql<{ failures: number; until_ms: number }>`
    select failures, extract(epoch from until_real)::float8 * 1000 as until_ms
    from trace_pause where chain = ${chain}`.execute(db);
  return { failures: rows[0]?.failures ?? 0, until: rows[0]?.until_ms ?? 0 };
}

/** A minute without another try, then twice that time, at most a quarter of an hour. */
export async function pauseTracing(
  db: Db,
  chain: ChainId,
  failures: number,
  now: number,
): Promise<void> {
  const until = timestamp(now + Math.min(MAX_PAUSE_MS, MINUTE_MS * 2 ** (failures - 1)));
  await sql`
    insert into trace_pause (chain, failures, until_real) values (${chain}, ${failures}, ${until})
    on conflict (chain) do update set failures = excluded.failures, until_real = excluded.until_real`.execute(
    db,
  );
}

export async function endTracePause(db: Db, chain: ChainId): Promise<void> {
  await sql`delete from trace_pause where chain = ${chain}`.execute(db);
}
