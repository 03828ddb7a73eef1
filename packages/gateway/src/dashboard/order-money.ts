import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { UncountedMoney } from '@crypto-checkout/protocol/dashboard';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/**
 * The orders of invoices, by the invoice's id. A payment request of an LNURL has the order of its
 * invoice.
 */
export async function ordersOf(
  db: Db,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; order_id: string }>`
    select i.id, coalesce(i.order_id, parent.order_id) as order_id
    from invoice i left join invoice parent on parent.id = i.lnurl_invoice_id
    where i.id = any(${[...new Set(invoiceIds)]}::uuid[])
      and coalesce(i.order_id, parent.order_id) is not null`.execute(db);
  return new Map(rows.map(({ id, order_id }) => [id, order_id]));
}

/**
 * Money that came to invoices and does not count: held, of another coin, or late. Refunds are
 * beside it, whatever they return.
 * @returns by the invoice's id, in the order of arrival
 */
export async function uncountedOf(
  db: Db,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, UncountedMoney[]>> {
  const { rows } = await sql<{
    invoice_id: string;
    reason: UncountedMoney['reason'];
    asset: string;
    amount: string;
  }>`
    select t.invoice_id, money.reason, t.asset, sum(money.amount)::text as amount
    from transaction t cross join lateral (values
      (case when t.status = 'quarantined' then 'held' when not t.counted then 'wrong_coin'
        when t.late and not t.late_accepted then 'late' end, t.amount - t.refunded),
      ('refunded', t.refunded)) money(reason, amount)
    where t.invoice_id = any(${[...invoiceIds]}::uuid[]) and t.status not in ('replaced', 'failed')
      and (t.in_mempool or t.block_height is not null) and money.reason is not null and money.amount > 0
    group by t.invoice_id, money.reason, t.asset order by t.invoice_id, min(t.number), money.reason`.execute(
    db,
  );
  const byInvoice = new Map<string, UncountedMoney[]>(invoiceIds.map((id) => [id, []]));
  for (const { invoice_id, reason, asset, amount } of rows)
    byInvoice.get(invoice_id)?.push({
      reason,
      amount: formatAmount(parseAmount(amount)),
      currency: kindOf(asset)?.symbol ?? asset,
    });
  return byInvoice;
}
