import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { transact } from './transact.ts';

/** Short, so that another process takes over soon after a crash; a live holder renews it. */
const LEASE_SECONDS = 3;
const RENEW_MS = 1_000;
const WAIT_MS = 30_000;
const POLL_MS = 20;

/** The right to do leader work; `fence` grows with every change of holder. */
export interface Lease {
  name: string;
  holder: string;
  fence: number;
}

/**
 * Takes or renews a lease by the database's clock.
 * @returns null while another process holds it
 */
export async function takeLease(
  db: Db | Trx,
  name: string,
  holder: string,
  seconds: number,
): Promise<Lease | null> {
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

/** Waits for a named lease; null after 30 s or on abort. */
export async function waitForLease(
  db: Db,
  name: string,
  holder: string,
  signal: AbortSignal,
): Promise<Lease | null> {
  for (let waited = 0; waited <= WAIT_MS && !signal.aborted; waited += POLL_MS) {
    const lease = await withoutDurability(db, (trx) => takeLease(trx, name, holder, LEASE_SECONDS));
    if (lease !== null) return lease;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return null;
}

/**
 * Renews a lease until stopped. A lost lease is not reported here: the fence rejects its holder's
 * writes.
 */
export function keepLease(db: Db, { name, holder }: Lease): { stop(): Promise<void> } {
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing
      .then(() => withoutDurability(db, (trx) => takeLease(trx, name, holder, LEASE_SECONDS)))
      .catch(() => {});
  }, RENEW_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}

/**
 * Commits with synchronous_commit=off, which saves two disk writes a second for each chain. After a
 * crash the fence rejects a stale holder, so durability is not needed.
 */
export function withoutDurability<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return transact(db, async (trx) => {
    await sql`set local synchronous_commit = off`.execute(trx);
    return work(trx);
  });
}

/**
 * Thrown when a paused leader resumes after another process took over; its transaction must not
 * commit.
 */
export class FencedOffError extends Error {
  override name = 'FencedOffError';
}

/**
 * Locks the lease's row until the transaction ends, so that a leader that lost its lease cannot
 * write.
 * @throws FencedOffError
 */
export async function guardLease(trx: Trx, lease: Lease): Promise<void> {
  const { rows } = await sql`
    select 1 from lease where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence} for share`.execute(
    trx,
  );
  if (rows.length === 0)
    throw new FencedOffError(`The lease ${lease.name} belongs to another process now`);
}

/** Releases a lease, so that the next process does not wait for its end. */
export async function releaseLease(db: Db | Trx, lease: Lease): Promise<void> {
  await sql`
    update lease set until = clock_timestamp() - interval '1 second'
    where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence}`.execute(db);
}

/**
 * Ends every lease, at the start of the one process of an embedded database: earlier holders are
 * dead. Fences keep growing, so that a holder that is alive after all is rejected.
 */
export async function endLeases(db: Db): Promise<void> {
  await sql`update lease set until = clock_timestamp() - interval '1 second'`.execute(db);
}

/**
 * Prefix of the lease that a running service holds; renewed every few seconds, so that a killed
 * service's ends soon.
 */
const SERVICE = 'service:';
const SERVICE_SECONDS = 20;

/** Marks a service as running on this database for a while; `holder` is the same each time. */
export async function registerService(db: Db, holder: string): Promise<void> {
  await takeLease(db, SERVICE + holder, holder, SERVICE_SECONDS);
}

/** Removes the mark, and those of services that were killed. */
export async function unregisterService(db: Db, holder: string): Promise<void> {
  await sql`
    delete from lease where name = ${SERVICE + holder} or (name like ${`${SERVICE}%`} and until < clock_timestamp())`.execute(
    db,
  );
}

/**
 * Whether a service, or a command that reads a chain, uses this database. A killed one counts until
 * its lease ends.
 */
export async function isInUse(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from lease where until > clock_timestamp() limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
