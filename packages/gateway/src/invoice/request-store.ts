import type { AddressProof } from '@crypto-checkout/protocol/address-proof';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';

/** Stores that the node has to cancel a request; the worker asks it after the commit. */
export async function cancelLater(trx: Trx, paymentHash: string, at: string): Promise<void> {
  await sql`
    insert into request_to_cancel values (${paymentHash}, ${at}) on conflict do nothing`.execute(
    trx,
  );
}

interface Ended {
  /** Id of the invoice. */
  id: string;
  at: string;
}

/** Closes the request of a locked invoice; its node cancels it after the commit. */
export async function closeRequest(
  trx: Trx,
  { id, at, paymentHash }: Ended & { paymentHash: string },
): Promise<void> {
  await sql`
    update invoice set request_closed = true, version = version + 1, updated_at = ${at}
    where id = ${id}`.execute(trx);
  await cancelLater(trx, paymentHash, at);
}

/** Ends the price of a locked invoice now; the worker expires it after the next scan. */
export async function endQuote(
  trx: Trx,
  { id, at, proof }: Ended & { proof: AddressProof | null },
): Promise<void> {
  await sql`
    update quote set expires_at = ${at} where invoice_id = ${id} and expires_at > ${at}`.execute(
    trx,
  );
  await sql`
    update invoice set expires_at = ${at}, proof = ${proof === null ? null : JSON.stringify(proof)}::jsonb
    where id = ${id}`.execute(trx);
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
