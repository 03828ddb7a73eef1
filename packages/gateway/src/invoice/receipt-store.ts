import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { InvoiceRow } from './store.ts';

export interface CountedPayment {
  invoice_id: string;
  kind: string;
  txid: string;
  amount: string;
  status: string;
  late: boolean;
  created_at: string;
  confirmed_at: string | null;
}

/**
 * The payments that count for an invoice, for its children of an LNURL and for the other invoices of
 * its order, oldest first.
 */
export async function countedPayments(
  db: Db,
  { account_id, id, order_id }: InvoiceRow,
): Promise<CountedPayment[]> {
  const { rows } = await sql<CountedPayment>`
    with own as (
      select ${id}::uuid as id
      union select id from invoice where account_id = ${account_id} and order_id = ${order_id}::text)
    select t.invoice_id, t.kind, t.txid, t.amount, t.status, t.late, t.created_at, t.confirmed_at from transaction t
    where t.account_id = ${account_id} and t.counted and t.status not in ('replaced', 'failed', 'quarantined')
      and (t.in_mempool or t.block_height is not null)
      and t.invoice_id in (
        select id from own union select c.id from invoice c where c.lnurl_invoice_id in (select id from own))
    order by t.created_at, t.number`.execute(db);
  return rows;
}
