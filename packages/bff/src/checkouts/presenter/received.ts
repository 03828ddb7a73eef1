import type { CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import { isLate, isWrongCoin } from '@crypto-checkout/protocol/invoice-tally';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { explorerUrl } from './explorer.ts';
import type { ServiceTransaction } from '../../service/schema.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';
import { invoicePaymentStrings } from './payment-strings.ts';

/**
 * All payments of the order in every coin, oldest first: a buyer who changed the coin must see all
 * of them.
 */
export function receivedOf(
  record: CheckoutRecord,
  { transactionValues }: CheckoutState,
  currency: string | undefined,
): CheckoutReceived[] {
  return record.transactions
    .flatMap((transaction, at) => {
      const invoice = record.invoices.find(({ id }) => id === transaction.invoice?.id);
      const worth = transactionValues[at];
      if (!invoice || !worth) return [];
      const value =
        worth.value !== null && currency !== undefined
          ? withCurrencyDecimals(worth.value, currency)
          : null;
      return [
        {
          ...factsOf(transaction, invoice),
          ...destinationOf(transaction, invoice),
          ...coinOf(transaction, invoice),
          ...worth,
          value,
          ...refundOf(transaction, invoice),
          ...askedOf(transaction, invoice),
        },
      ];
    })
    .toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

/** The facts of a transaction, independent of its value for the order. */
export function factsOf(transaction: ServiceTransaction, { id, network }: CheckoutInvoice) {
  const { txid, status, amount, confirmations, created_at, kind } = transaction;
  return {
    invoice_id: id,
    txid,
    status,
    amount: (amount.paid_total ?? amount.paid).amount,
    confirmations,
    created_at,
    explorer_url: explorerUrl(kind, txid, network),
  };
}

/** Money that goes back counts for nothing, but it is still late. */
const refundOf = (
  transaction: ServiceTransaction,
  invoice: CheckoutInvoice,
): Partial<Pick<CheckoutReceived, 'refunded' | 'late'>> =>
  transaction.amount.refunded
    ? { refunded: transaction.amount.refunded.amount, late: isLate(invoice, transaction) }
    : {};

/** The coin that the invoice asks for, unless it came. */
function askedOf(
  transaction: ServiceTransaction,
  invoice: CheckoutInvoice,
): Pick<CheckoutReceived, 'asked'> {
  const kind = kindOf(invoice.kind);
  return kind && isWrongCoin(invoice, transaction)
    ? { asked: { symbol: kind.symbol, network: kind.network } }
    : {};
}

/** The receiving address. Over lightning it is a request, which proves nothing. */
function destinationOf(
  transaction: ServiceTransaction,
  invoice: CheckoutInvoice,
): Pick<CheckoutReceived, 'address' | 'tag'> {
  const isLightning = [transaction, invoice].some(
    ({ kind }) => kindOf(kind)?.chain === 'lightning',
  );
  const { address = null, tag = null } = isLightning
    ? {}
    : (invoicePaymentStrings(invoice, null) ?? {});
  return { address, tag };
}

/**
 * The coin of the payment, with its name from the invoice if both are the same asset on the same
 * chain: bitcoin has several kinds.
 */
function coinOf(transaction: ServiceTransaction, invoice: CheckoutInvoice) {
  const [paid, requested] = [kindOf(transaction.kind), kindOf(invoice.kind)];
  const isSame = paid?.asset === requested?.asset && paid?.chain === requested?.chain;
  const known = isSame ? requested : paid;
  const { kind, name, network, symbol } = known ?? {
    kind: transaction.kind,
    name: transaction.kind,
    network: '',
    symbol: transaction.kind,
  };
  return { kind, name, network, symbol };
}
