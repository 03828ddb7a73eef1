import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { InvoiceRow } from './store.ts';

export interface CountedPayment {
  invoice_id: string;
  kind: string;
  txid: string;
  /** Without the part that is refunded. */
  amount: string;
  status: string;
  late: boolean;
  created_at: string;
  confirmed_at: string | null;
  zero_conf_status: string | null;
  /** Price of its invoice when it was first seen; null for a reusable address. */
  invoiced: string | null;
  requested_text: string | null;
  requested_currency: string;
}

export interface ReturnedMoney {
  kind: string;
  /** Null before it is sent. */
  txid: string | null;
  amount: string;
  status: string;
  created_at: string;
}

type Receipted = Pick<InvoiceRow, 'account_id' | 'profile_id' | 'id' | 'order_id'>;
type Asking = Receipted & Pick<InvoiceRow, 'requested_text' | 'requested_currency'>;

/** The invoices of an order. Each profile is a shop with order ids of its own. */
const isOfOrder = ({ account_id, profile_id, order_id }: Omit<Receipted, 'id'>) =>
  sql`account_id = ${account_id} and profile_id = ${profile_id} and order_id = ${order_id}::text`;

/** Ids of the invoice, of the other invoices of its order, and of their children of an LNURL. */
const ownIds = ({ id, ...order }: Receipted) => sql`
  (with own as (
    select ${id}::uuid as id
    union select id from invoice where ${isOfOrder(order)})
  select id from own union select c.id from invoice c where c.lnurl_invoice_id in (select id from own))`;

/**
 * The payments that count, oldest first. Refunded money counts for nothing, and late money only
 * once the shop has accepted it.
 */
export async function countedPayments(db: Db, invoice: Receipted): Promise<CountedPayment[]> {
  const { rows } = await sql<CountedPayment>`
    select t.invoice_id, t.kind, t.txid, t.amount - t.refunded as amount, t.status, t.late, t.created_at, t.confirmed_at,
      t.zero_conf_status, q.invoiced, i.requested_text, i.requested_currency
    from transaction t
    join invoice i on i.account_id = t.account_id and i.id = t.invoice_id
    left join quote q on q.account_id = t.account_id and q.invoice_id = t.invoice_id and q.number = t.quote_number
    where t.account_id = ${invoice.account_id} and t.counted and t.status not in ('replaced', 'failed', 'quarantined')
      and (t.in_mempool or t.block_height is not null) and t.amount > t.refunded and (t.late_accepted or not t.late)
      and t.invoice_id in ${ownIds(invoice)}
    order by t.created_at, t.number`.execute(db);
  return rows;
}

/**
 * Whether an invoice asks for the whole of its order: no other one asks for more or in another
 * currency, and none is paid by itself. False without an order.
 */
export async function asksForWhole(db: Db, invoice: Asking): Promise<boolean> {
  const { requested_text, requested_currency } = invoice;
  const { rows } = await sql<{ is_whole: boolean | null }>`
    select bool_and(status not in ('paid', 'complete') and requested_currency = ${requested_currency}
      and requested_text::numeric <= ${requested_text}::numeric) as is_whole
    from invoice
    where ${isOfOrder(invoice)} and requested_text is not null`.execute(db);
  return rows[0]?.is_whole === true;
}

/** Money that was returned, or is to be, oldest first. */
export async function returnedMoney(db: Db, invoice: Receipted): Promise<ReturnedMoney[]> {
  const { rows } = await sql<ReturnedMoney>`
    select r.kind, p.txid, r.amount, r.status, r.created_at
    from refund r left join payout p on p.id = r.payout_id
    where r.account_id = ${invoice.account_id} and r.status not in ('rejected', 'failed') and r.invoice_id in ${ownIds(invoice)}
    order by r.number`.execute(db);
  return rows;
}
