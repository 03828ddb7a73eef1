import type { CheckoutReceived, CheckoutStanding } from '@crypto-checkout/protocol/checkout';
import { inFull } from '@crypto-checkout/protocol/currency';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { explorerUrl } from './explorer.ts';
import type { CheckoutInvoice, CheckoutRecord, ServiceTransaction } from './record.ts';
import { stringsOf } from './strings.ts';

/** Every payment that came for the order, in whichever coin, the oldest first: a buyer who changes coins must see all of it. */
export function receivedOf(record: CheckoutRecord, { worths }: CheckoutStanding, currency: string | undefined): CheckoutReceived[] {
  return record.transactions
    .flatMap((transaction, at) => {
      const invoice = record.invoices.find(({ id }) => id === transaction.invoice?.id);
      const worth = worths[at];
      if (!invoice || !worth) return [];
      const value = worth.value !== null && currency !== undefined ? inFull(worth.value, currency) : null;
      return [{ ...factsOf(transaction, invoice), ...placeOf(invoice), ...coinOf(transaction, invoice), ...worth, value }];
    })
    .toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

/** What a transaction is, whatever it counts for. */
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

/** Where it was sent; over lightning that is a request, which proves nothing. */
function placeOf(invoice: CheckoutInvoice): Pick<CheckoutReceived, 'address' | 'tag'> {
  const { address = null, tag = null } = kindOf(invoice.kind)?.chain === 'lightning' ? {} : (stringsOf(invoice, null) ?? {});
  return { address, tag };
}

/** The coin that came, by its invoice's name where it is the same: bitcoin has several. */
function coinOf(transaction: ServiceTransaction, invoice: CheckoutInvoice) {
  const [came, asked] = [kindOf(transaction.kind), kindOf(invoice.kind)];
  const known = came && came.asset === asked?.asset ? asked : came;
  const { kind, name, network, symbol } = known ?? {
    kind: transaction.kind,
    name: transaction.kind,
    network: '',
    symbol: transaction.kind,
  };
  return { kind, name, network, symbol };
}
