import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { CurrencyRates } from '../invoice/store.ts';

export interface SoldInvoice {
  id: string;
  order_id: string | null;
  status: string;
  requested_text: string;
  requested_currency: string;
  /** Accepted underpayment, in percent. */
  negative_difference: string;
}

export interface SoldPayment {
  /** That of the LNURL's invoice for a payment of an LNURL. */
  invoice_id: string;
  kind: string;
  amount: string;
  /** Price of its invoice at its quote; null without one. */
  invoiced: string | null;
  /** Sum of its refunds, without rejected and failed ones. */
  refunded: string;
  /** The part of them that the shop offered, once it is approved. */
  offered: string;
  late: boolean;
  late_accepted: boolean;
  currency_rates: CurrencyRates;
  /** When it was confirmed, or seen while that is not needed or not there yet. */
  at: string;
}

/** A payment that was seen earlier is not looked for: Bitcoin's mempool keeps it this long. */
const SEEN_DAYS = 14;

/**
 * Every invoice with an amount of the orders that received money since a time, and the payments of
 * these invoices, oldest first.
 */
export async function salesRows(
  db: Db,
  accountId: string,
  from: string,
): Promise<{ invoices: SoldInvoice[]; payments: SoldPayment[] }> {
  const { rows: invoices } = await sql<SoldInvoice>`
    with own as (
      select distinct coalesce(i.lnurl_invoice_id, i.id) as id
      from transaction t join invoice i on i.id = t.invoice_id
      where t.account_id = ${accountId} and t.counted and t.created_at >= ${from}::timestamptz - make_interval(days => ${SEEN_DAYS})
        and coalesce(t.confirmed_at, t.created_at) >= ${from}),
    orders as (select distinct order_id from invoice where id in (select id from own) and order_id is not null),
    all_of_them as (
      select id from own union
      select i.id from orders join invoice i on i.account_id = ${accountId} and i.order_id = orders.order_id)
    select id, order_id, status, requested_text, requested_currency, negative_difference
    from invoice where id in (select id from all_of_them) and requested_text is not null and lnurl_invoice_id is null
    order by created_at, id`.execute(db);
  const ids = invoices.map(({ id }) => id);
  const { rows: payments } = await sql<SoldPayment>`
    with own as (
      select id, id as invoice_id from invoice where id = any(${ids}::uuid[])
      union all select id, lnurl_invoice_id from invoice where lnurl_invoice_id = any(${ids}::uuid[]))
    select own.invoice_id, t.kind, t.amount, q.invoiced, t.refunded, t.late, t.late_accepted, t.currency_rates,
      coalesce(t.confirmed_at, t.created_at) as at,
      (select coalesce(sum(r.amount), 0)::text from refund r
        where r.transaction_id = t.id and r.cause = 'offered' and r.status in ('approved', 'paid')) as offered
    from own join transaction t on t.invoice_id = own.id
    left join quote q on q.invoice_id = t.invoice_id and q.number = t.quote_number
    where t.counted and t.status not in ('replaced', 'failed', 'quarantined') and (t.in_mempool or t.block_height is not null)
    order by at, t.number`.execute(db);
  return { invoices, payments };
}
