import { sql } from 'kysely';
import type { Db } from './database.ts';
import { timestamp } from './timestamp.ts';
import { transact } from './transact.ts';

/**
 * Lists that never lose rows, with the column that orders rows by age. Rows beyond `mostFresh` are
 * counted once and stored.
 */
const LISTS = {
  invoice: { order: 'created_at', type: 'timestamptz', beginning: '-infinity', mostFresh: 5_000 },
  transaction: { order: 'number', type: 'bigint', beginning: '0', mostFresh: 25_000 },
  payout: { order: 'created_at', type: 'timestamptz', beginning: '-infinity', mostFresh: 5_000 },
} as const;
export type CountedList = keyof typeof LISTS;

/**
 * A row appears at most this long after its own timestamp: statements and transactions end earlier.
 */
const SETTLED_MS = 60_000;
/** The same as a number of rows: a scan after a long silence may add thousands at once. */
const SETTLED_NUMBERS = 20_000;

const running = new Set<string>();

/**
 * Counts the rows of an account in a list. Counting a million takes a tenth of a second, so the
 * count of old rows is stored, and only newer rows are counted again.
 * @param now business time
 */
export async function countRows(
  db: Db,
  list: CountedList,
  accountId: string,
  now: number,
): Promise<number> {
  const { order, type, beginning, mostFresh } = LISTS[list];
  const { rows: kept } = await sql<{ count: number; until: string }>`
    select count, until from list_count where account_id = ${accountId} and resource = ${list}`.execute(
    db,
  );
  const until = kept[0]?.until ?? beginning;
  const { rows } = await sql<{ fresh: number }>`
    select count(*) as fresh from ${sql.table(list)}
    where account_id = ${accountId} and ${sql.ref(order)} >= ${until}::${sql.raw(type)}`.execute(
    db,
  );
  const fresh = rows[0]?.fresh ?? 0;
  // Runs in the background; a count that is not stored is repeated.
  if (fresh > mostFresh) void saveCount(db, list, accountId, now).catch(() => {});
  return (kept[0]?.count ?? 0) + fresh;
}

/** Counts the rows that can no longer change, one run at a time. */
export async function saveCount(
  db: Db,
  list: CountedList,
  accountId: string,
  now: number,
): Promise<void> {
  const name = `${accountId}:${list}`;
  if (running.has(name)) return;
  running.add(name);
  try {
    const { order, type, beginning } = LISTS[list];
    const column = sql.ref(order);
    const settled =
      list === 'transaction'
        ? sql`(select coalesce(max(number), 0) - ${SETTLED_NUMBERS}::bigint from transaction where account_id = ${accountId})`
        : sql`${timestamp(now - SETTLED_MS)}::timestamptz`;
    await transact(db, async (trx) => {
      await sql`insert into list_count (account_id, resource, until, count) values (${accountId}, ${list}, ${beginning}, 0)
        on conflict do nothing`.execute(trx);
      const { rows } = await sql<{ until: string }>`
        select until from list_count where account_id = ${accountId} and resource = ${list} for update`.execute(
        trx,
      );
      await sql`
        update list_count set until = s.settled::text, count = count + (select count(*) from ${sql.table(list)}
          where account_id = ${accountId} and ${column} >= ${rows[0]?.until}::${sql.raw(type)} and ${column} < s.settled)
        from (select ${settled} as settled) s
        where account_id = ${accountId} and resource = ${list} and s.settled > ${rows[0]?.until}::${sql.raw(type)}`.execute(
        trx,
      );
    });
  } finally {
    running.delete(name);
  }
}
