import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { InvoiceRow } from '../invoice/store.ts';

/** Unpaid, unexpired invoices created for payers of an LNURL invoice. */
export async function openChildren(db: Db, parentId: string, now: string): Promise<InvoiceRow[]> {
  const { rows } = await sql<InvoiceRow>`
    select i.*, a.is_testnet from invoice i join account a on a.id = i.account_id
    where i.lnurl_invoice_id = ${parentId} and i.status = 'new' and i.expires_at > ${now}
    order by i.created_at desc`.execute(db);
  return rows;
}
