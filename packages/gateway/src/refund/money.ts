import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import type { Trx } from '../database/database.ts';
import { loadBatch, type Batch, type Draft } from '../settlement/batch.ts';
import { queueInvoiceCallbacks, queueTransactionCallbacks } from '../settlement/queue-callbacks.ts';
import { settleInvoices } from '../settlement/settle-invoices.ts';
import { settleTransactions } from '../settlement/settle-transactions.ts';
import type { TransactionRow } from '../transaction/store.ts';
import type { Entitlement, MoneyFacts } from './entitlement.ts';
import { isCounting } from './state.ts';
import { refundsOf, type RefundRow, type RefundView } from './store.ts';

/** A transaction with its invoice, under the lock that scans take too. */
export interface LockedMoney {
  batch: Batch;
  draft: Draft;
  /** All refunds of the transaction, oldest first. */
  refunds: RefundView[];
  facts: MoneyFacts;
}

type Reference = Pick<RefundRow, 'transaction_id' | 'invoice_id'>;

/** Locks the invoice, which makes scans, refunds and the acceptance of late money exclusive. */
export async function lockMoney(
  trx: Trx,
  { transaction_id: id, invoice_id }: Reference,
): Promise<LockedMoney> {
  const batch = await loadBatch(trx, [invoice_id], { ids: [id] });
  const draft = [...batch.drafts.values()].find(({ row }) => row.id === id);
  const invoice = batch.invoices.get(invoice_id);
  if (!draft || !invoice) throw new Error(`Transaction ${id} is not in the batch of its invoice`);
  const refunds = await refundsOf(trx, id);
  const facts: MoneyFacts = {
    transaction: draft.row,
    invoice,
    quotes: batch.quotes.get(invoice_id) ?? [],
    payments: byArrival([...batch.drafts.values()].map(({ row }) => row)),
    offeredBefore: refunds
      .filter(({ cause, status }) => cause === 'offered' && isCounting(status))
      .reduce((sum, { amount }) => sum + parseAmount(amount), 0n),
  };
  return { batch, draft, refunds, facts };
}

function byArrival(rows: readonly TransactionRow[]): TransactionRow[] {
  return rows.toSorted(
    (a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id),
  );
}

/**
 * Counts the refunds of a locked transaction again, with all consequences: its invoice's status,
 * sum and callbacks.
 */
export async function settleMoney(
  trx: Trx,
  context: Context,
  { batch, draft: { row } }: LockedMoney,
): Promise<void> {
  const counting = (await refundsOf(trx, row.id)).filter(({ status }) => isCounting(status));
  const refunded = counting.reduce((sum, { amount }) => sum + parseAmount(amount), 0n);
  if (refunded !== parseAmount(row.refunded)) row.refunded = formatAmount(refunded);
  const now = context.clock.now();
  const transactions = await settleTransactions(trx, context, batch, now);
  const invoices = await settleInvoices(trx, batch, transactions.invoiceIds, now);
  await queueTransactionCallbacks(trx, context, batch, transactions);
  await queueInvoiceCallbacks(trx, context, invoices);
}

/** The facts without a refund that another one replaces, or that is judged again. */
export function withoutRefund(facts: MoneyFacts, refund: RefundMoney): MoneyFacts {
  const { id, refunded } = facts.transaction;
  const { cause, amount } = entitlementIn(refund);
  const before = formatAmount(parseAmount(refunded) - amount);
  const clear = (row: TransactionRow): TransactionRow =>
    row.id === id ? { ...row, refunded: before } : row;
  return {
    ...facts,
    transaction: clear(facts.transaction),
    payments: facts.payments.map(clear),
    offeredBefore: facts.offeredBefore - (cause === 'offered' ? amount : 0n),
    replaced: { cause, amount },
  };
}

type RefundMoney = Pick<RefundRow, 'amount' | 'cause'>;

/** The money that a refund is for. */
export const entitlementIn = ({ cause, amount }: RefundMoney): Entitlement => ({
  cause,
  amount: parseAmount(amount),
});
