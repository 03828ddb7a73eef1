import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';

/** Stores that the node has to cancel a request; the worker asks it after the commit. */
export async function cancelLater(trx: Trx, paymentHash: string, at: string): Promise<void> {
  await sql`
    insert into request_to_cancel values (${paymentHash}, ${at}) on conflict do nothing`.execute(
    trx,
  );
}

/** Requests that wait to be cancelled, oldest first. */
export async function requestsToCancel(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ payment_hash: string }>`
    select payment_hash from request_to_cancel order by at, payment_hash limit ${limit}`.execute(
    db,
  );
  return rows.map(({ payment_hash }) => payment_hash);
}

export async function forgetRequest(db: Db, paymentHash: string): Promise<void> {
  await sql`delete from request_to_cancel where payment_hash = ${paymentHash}`.execute(db);
}

/** Whether a payment to the request was booked. */
export async function isRequestPaid(db: Db, paymentHash: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from transaction where chain = 'lightning' and txid = ${paymentHash} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
