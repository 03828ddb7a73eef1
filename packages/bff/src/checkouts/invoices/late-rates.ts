import { type Amount, divide, formatAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { isLate } from '@crypto-checkout/protocol/invoice-tally';
import { rateOf } from '../coins.ts';
import type { ServiceTransaction } from '../../service/schema.ts';
import type { CheckoutRecord } from '../repository/record.ts';

/** A payment older than this at its first reading has no known price: the shop decides. */
const RATE_VALID_FOR_MS = 3_600_000;

/** Whether the price of a late payment is known: the rates now are those of its arrival. */
export const hasPrice = (
  { created_at }: Pick<ServiceTransaction, 'created_at'>,
  serverTime: number,
): boolean => serverTime - Date.parse(created_at) <= RATE_VALID_FOR_MS;

/**
 * Stores the price at which each late payment counts: the rates at its first reading. A stored
 * price never changes.
 */
export function withLateRates(
  record: CheckoutRecord,
  rates: ReadonlyMap<string, string> | null,
  serverTime: number,
): CheckoutRecord {
  const added: Record<string, string> = {};
  for (const transaction of record.transactions) {
    const invoice = record.invoices.find(({ id }) => id === transaction.invoice?.id);
    const currency = invoice?.amount.requested?.currency;
    if (
      !rates ||
      !invoice ||
      !currency ||
      Object.hasOwn(record.late_rates, transaction.id) ||
      // A payment that goes back to the buyer is not accepted.
      transaction.amount.refunded !== undefined ||
      transaction.is_refused === true ||
      !isLate(invoice, transaction)
    )
      continue;
    if (!hasPrice(transaction, serverTime)) continue;
    const rate = priceOf(transaction.kind, currency, rates);
    if (rate !== null) added[transaction.id] = formatAmount(rate);
  }
  return Object.keys(added).length > 0
    ? { ...record, late_rates: { ...record.late_rates, ...added } }
    : record;
}

/**
 * The price of one coin in a currency, rounded up so that an exact payment never falls a cent
 * short.
 */
function priceOf(
  kind: string,
  currency: string,
  rates: ReadonlyMap<string, string>,
): Amount | null {
  const known = kindOf(kind);
  const coin = known && (rateOf(known.symbol, rates) ?? rateOf(known.asset, rates));
  const money = rateOf(currency, rates);
  return coin && money ? divide(coin, money, 'up') || null : null;
}
