import { type Amount, divide, formatAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { isLate } from '@crypto-checkout/protocol/weigh';
import { rateOf } from './coins.ts';
import type { CheckoutRecord } from './record.ts';

/** A payment that is older when it is first read arrived at a price that we do not know: the shop decides. */
const KNOWN_FOR_MS = 3_600_000;

/**
 * Notes the price at which each payment that came late counts: the rates at which it is first seen. What is noted stays, whatever the
 * rates or the setting become.
 */
export function withLateRates(record: CheckoutRecord, rates: ReadonlyMap<string, string> | null, serverTime: number): CheckoutRecord {
  const noted: Record<string, string> = {};
  for (const transaction of record.transactions) {
    const invoice = record.invoices.find(({ id }) => id === transaction.invoice?.id);
    const currency = invoice?.amount.requested?.currency;
    if (!rates || !invoice || !currency || Object.hasOwn(record.late_rates, transaction.id) || !isLate(invoice, transaction)) continue;
    if (serverTime - Date.parse(transaction.created_at) > KNOWN_FOR_MS) continue;
    const rate = priceOf(transaction.kind, currency, rates);
    if (rate !== null) noted[transaction.id] = formatAmount(rate);
  }
  return Object.keys(noted).length > 0 ? { ...record, late_rates: { ...record.late_rates, ...noted } } : record;
}

/** One coin in a currency. Rounded up at the last decimal: coins at the price they were asked for at are not worth a cent less than it. */
function priceOf(kind: string, currency: string, rates: ReadonlyMap<string, string>): Amount | null {
  const known = kindOf(kind);
  const coin = known && (rateOf(known.symbol, rates) ?? rateOf(known.asset, rates));
  const money = rateOf(currency, rates);
  return coin && money ? divide(coin, money, 'up') || null : null;
}
