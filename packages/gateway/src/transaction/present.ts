import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { afterFee } from '../invoice/match.ts';
import { presentEmbeddedInvoice } from '../invoice/present.ts';
import { fiatQuotes } from '../invoice/quote.ts';
import type { TransactionRow, TransactionView } from './store.ts';

/** A transaction as the interface shows it (§2.5): on get, in lists and in callbacks. */
export function presentTransaction(view: TransactionView) {
  const { id, kind, txid, invoice } = view;
  return {
    id,
    kind,
    txid,
    invoice: presentEmbeddedInvoice(invoice),
    amount: presentAmount(view),
    currency_rates: view.currency_rates,
    created_at: view.created_at,
    executed_at: view.executed_at,
    confirmed_at: view.confirmed_at,
    confirmations: view.confirmations,
    status: view.status,
    zero_conf_status: view.zero_conf_status,
    network: invoice.is_testnet ? 'testnet' : 'mainnet',
    risk_level: view.risk_level,
    risk_data: view.risk_data,
    sub_kind: null,
  };
}

/** §2.3: with a custom fee `paid` is what is left of the payment after it, and `paid_total` its actual value. */
function presentAmount(view: TransactionView) {
  const gross = parseAmount(view.amount);
  // Another coin than the invoice's pays no fee of it.
  const fee = view.invoice.fee_amount === null || !view.counted ? null : parseAmount(view.invoice.fee_amount);
  if (fee === null) return { paid: money(view, gross) };
  return { paid: money(view, afterFee(gross, fee, parseAmount(view.paid_before))), paid_total: money(view, gross) };
}

function money({ kind, currency_rates }: TransactionRow, amount: Amount) {
  const currency = kindOf(kind)?.symbol ?? kind;
  return { amount: formatAmount(amount), currency, quotes: fiatQuotes(amount, currency_rates[currency]) };
}
