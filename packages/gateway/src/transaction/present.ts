import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { afterFee } from '../invoice/match.ts';
import { presentEmbeddedInvoice } from '../invoice/present.ts';
import { fiatQuotes } from '../invoice/quote.ts';
import type { Beside, TransactionRow, TransactionView } from './store.ts';

/** A transaction as the interface shows it (§2.5): on get, in lists and in callbacks. */
export const presentTransaction = (view: TransactionView) => presentBeside(view, view);

/** The same where row and invoice are apart: thousands of callbacks are made in one go, and a row has fifty columns to copy. */
export function presentBeside(row: TransactionRow, beside: Beside) {
  return {
    id: row.id,
    kind: row.kind,
    txid: row.txid,
    invoice: presentEmbeddedInvoice(beside.invoice),
    amount: presentAmount(row, beside),
    currency_rates: row.currency_rates,
    created_at: row.created_at,
    executed_at: row.executed_at,
    confirmed_at: row.confirmed_at,
    confirmations: row.confirmations,
    status: row.status,
    zero_conf_status: row.zero_conf_status,
    network: beside.invoice.is_testnet ? 'testnet' : 'mainnet',
    risk_level: row.risk_level,
    risk_data: row.risk_data,
    sub_kind: null,
  };
}

/** §2.3: with a custom fee `paid` is what is left of the payment after it, and `paid_total` its actual value. */
function presentAmount(row: TransactionRow, { invoice, paid_before }: Beside) {
  const gross = parseAmount(row.amount);
  // Another coin than the invoice's pays no fee of it.
  const fee = invoice.fee_amount === null || !row.counted ? null : parseAmount(invoice.fee_amount);
  if (fee === null) return { paid: money(row, gross) };
  return { paid: money(row, afterFee(gross, fee, parseAmount(paid_before))), paid_total: money(row, gross) };
}

function money({ kind, currency_rates }: TransactionRow, amount: Amount) {
  const currency = kindOf(kind)?.symbol ?? kind;
  return { amount: formatAmount(amount), currency, quotes: fiatQuotes(amount, currency_rates[currency]) };
}
