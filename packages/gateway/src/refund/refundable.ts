import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { getInvoice } from '../invoice/get.ts';
import { entitlementOf, expectedOf, obstacleOf, restOf, shownAmount } from './entitlement.ts';
import { feeWithSweep } from './fee.ts';
import { lockMoney, withoutRefund } from './money.ts';
import { isOpen, isReplaceable } from './state.ts';

/** Transactions of one answer, newest first, as an invoice shows them. */
const LIMIT = 250;

/**
 * Money of an invoice that can be returned, oldest first. Money that is not final yet, and too much
 * by payments that are not, is listed as not ready. Money under an unproven request is listed, too:
 * a proven one replaces it. A transaction with another open refund is not.
 * @throws ServiceError `NotFound`
 */
export async function listRefundable(context: Context, accountId: string, id: string) {
  const { id: invoiceId } = await getInvoice(context, accountId, id);
  const found = await findRefundable(context, invoiceId);
  return Promise.all(
    found.map(async ({ row, cause, amount, is_ready, replaces }) => {
      const left = restOf(row) - amount;
      const fee = await feeWithSweep(context, { transaction: row, amount, left });
      return {
        transaction_id: row.id,
        kind: row.kind,
        cause,
        amount: shownAmount(row, amount),
        network_fee: fee === null ? null : shownAmount(row, fee),
        is_ready,
        replaces,
      };
    }),
  );
}

function findRefundable(context: Context, invoiceId: string) {
  return transact(context.db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      select id from transaction where invoice_id = ${invoiceId} order by created_at desc, number desc
      limit ${LIMIT}`.execute(trx);
    const found = [];
    for (const { id: transaction_id } of rows.toReversed()) {
      const money = await lockMoney(trx, { transaction_id, invoice_id: invoiceId });
      const { status } = money.draft.row;
      if (status === 'replaced' || status === 'failed') continue;
      const open = money.refunds.find((one) => isOpen(one.status));
      if (open !== undefined && !isReplaceable(open)) continue;
      const facts = open ? withoutRefund(money.facts, open) : money.facts;
      const row = facts.transaction;
      const due = entitlementOf(facts);
      const entitled = due ?? expectedOf(facts);
      if (entitled === null) continue;
      const { cause, amount } = entitled;
      const is_ready = due !== null && obstacleOf(row) === null;
      found.push({ row, cause, amount, is_ready, replaces: open?.id ?? null });
    }
    return found;
  });
}
