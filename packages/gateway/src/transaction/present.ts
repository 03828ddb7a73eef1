import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { afterFee } from '../invoice/match.ts';
import { presentEmbeddedInvoice } from '../invoice/present.ts';
import { fiatQuotes } from '../invoice/quote.ts';
import type { TransactionRow } from './store.ts';
import type { PresentationContext, TransactionView } from './views.ts';

/** A transaction in answers of get, in lists and in callbacks. */
export const presentTransaction = (view: TransactionView) => presentTransactionRow(view, view);

/** Takes row and context separately: copying fifty columns for thousands of callbacks is slow. */
export function presentTransactionRow(row: TransactionRow, context: PresentationContext) {
  return {
    id: row.id,
    kind: row.kind,
    txid: row.txid,
    invoice: presentEmbeddedInvoice(context.invoice),
    amount: presentAmount(row, context),
    ...(row.late_accepted && { late_accepted: true }),
    currency_rates: row.currency_rates,
    created_at: row.created_at,
    executed_at: row.executed_at,
    confirmed_at: row.confirmed_at,
    confirmations: row.confirmations,
    status: row.status,
    zero_conf_status: row.zero_conf_status,
    network: context.invoice.is_testnet ? 'testnet' : 'mainnet',
    risk_level: row.risk_level,
    risk_data: row.risk_data,
    sub_kind: null,
  };
}

/** With a custom fee, `paid` is the amount after the fee and `paid_total` the full amount. */
function presentAmount(row: TransactionRow, { invoice, paid_before }: PresentationContext) {
  const gross = parseAmount(row.amount);
  const refunded = parseAmount(row.refunded);
  const part =
    refunded === 0n
      ? {}
      : {
          refunded: {
            amount: formatAmount(refunded),
            currency: kindOf(row.kind)?.symbol ?? row.kind,
          },
        };
  // The fee applies only to payments in the invoice's coin.
  const fee = invoice.fee_amount === null || !row.counted ? null : parseAmount(invoice.fee_amount);
  if (fee === null) return { paid: money(row, gross), ...part };
  return {
    paid: money(row, afterFee(gross, fee, parseAmount(paid_before))),
    paid_total: money(row, gross),
    ...part,
  };
}

function money({ kind, currency_rates }: TransactionRow, amount: Amount) {
  const currency = kindOf(kind)?.symbol ?? kind;
  return {
    amount: formatAmount(amount),
    currency,
    quotes: fiatQuotes(amount, currency_rates[currency]),
  };
}
