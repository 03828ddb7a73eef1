import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';

/** The right to do a piece of leader work; `fence` grows with every change of holder. */
export interface Lease {
  name: string;
  holder: string;
  fence: number;
}

/**
 * Takes or prolongs a lease by the database's own clock.
 * @returns null while somebody else holds it
 */
export async function takeLease(db: Db | Trx, name: string, holder: string, seconds: number): Promise<Lease | null> {
  const { rows } = await sql<{ fence: number }>`
    insert into lease (name, holder, fence, until)
    values (${name}, ${holder}, 1, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (name) do update set
      holder = excluded.holder,
      until = excluded.until,
      fence = lease.fence + (case when lease.holder = excluded.holder then 0 else 1 end)
    where lease.holder = excluded.holder or lease.until < clock_timestamp()
    returning fence`.execute(db);
  return rows[0] ? { name, holder, fence: rows[0].fence } : null;
}

/** Thrown when a leader that was paused wakes up after somebody else took over; its transaction must not commit. */
export class FencedOffError extends Error {
  override name = 'FencedOffError';
}

/**
 * Holds the lease's row until the transaction ends, so that every write of a leader is refused once it lost the lease.
 * @throws FencedOffError
 */
export async function guardLease(trx: Trx, lease: Lease): Promise<void> {
  const { rows } = await sql`
    select 1 from lease where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence} for share`.execute(trx);
  if (rows.length === 0) throw new FencedOffError(`The lease ${lease.name} belongs to another process now`);
}

/** Gives a lease back, so that the next process need not wait until it runs out. */
export async function releaseLease(db: Db | Trx, lease: Lease): Promise<void> {
  await sql`
    update lease set until = clock_timestamp() - interval '1 second'
    where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence}`.execute(db);
}

/**
 * Ends every lease; for the start of the one process of an embedded database, where whoever held one was killed. Fences keep
 * growing, so that a holder who is alive after all is refused.
 */
export async function endLeases(db: Db): Promise<void> {
  await sql`update lease set until = clock_timestamp() - interval '1 second'`.execute(db);
}

/** What a running service holds under a name of its own; prolonged every few seconds, so that a killed one's is over soon. */
const SERVICE = 'service:';
const SERVICE_SECONDS = 20;

/** Says, for a while, that a service works on this database; `holder` is the same each time. */
export async function sayRunning(db: Db, holder: string): Promise<void> {
  await takeLease(db, SERVICE + holder, holder, SERVICE_SECONDS);
}

/** Takes that back, and what services that were killed have left. */
export async function sayStopped(db: Db, holder: string): Promise<void> {
  await sql`
    delete from lease where name = ${SERVICE + holder} or (name like ${`${SERVICE}%`} and until < clock_timestamp())`.execute(db);
}

/** Whether a service, or a command that reads a chain, works on this database. What was killed counts until its lease is over. */
export async function isWorkedOn(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from lease where until > clock_timestamp() limit 1`.execute(db);
  return rows.length > 0;
}
