import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';

const REASON =
  "The gateway's clock differs from that of its database by more than a minute: synchronize the clocks of all machines, for example with chrony";
const TOLERANCE_MS = 60_000;

/**
 * Raises an alarm while the clock of this process differs from the database's by more than a
 * minute: receivers refuse callbacks with a wrong time, and buyers see another expiry.
 */
export function watchClock(context: Context): () => Promise<void> {
  return async () => {
    if (await isOffDatabase(context)) await raise(context);
    else await context.db.deleteFrom('alarm').where('reason', '=', REASON).execute();
  };
}

async function isOffDatabase({ db, clock }: Context): Promise<boolean> {
  const before = clock.real();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  const { now } = rows[0]!;
  return now < before - TOLERANCE_MS || now > clock.real() + TOLERANCE_MS;
}

async function raise({ db, ids, clock }: Context): Promise<void> {
  await sql`
    insert into alarm (id, reason, raised_at)
    select ${ids.uuid()}, ${REASON}, ${timestamp(clock.now())}
    where not exists (select from alarm where reason = ${REASON})`.execute(db);
}
