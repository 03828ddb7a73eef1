import { type Amount, parseAmount } from '@crypto-checkout/protocol/amount';
import { matches } from './match.ts';
import type { CountedPayment } from './receipt-store.ts';
import type { InvoiceRow } from './store.ts';

type PaidStatus = 'paid' | 'complete';
type Asked = Pick<InvoiceRow, 'requested_text' | 'requested_currency'>;

/**
 * The status that a receipt states; null before the invoice is paid. Late money that the shop
 * accepted leaves its invoice `expired`, and parts in several coins leave each one short. So the
 * invoice's payments are summed here, and then those of its order. The second sum needs an invoice
 * that asks for the whole order, has a payment, and has none beside it that is paid by itself:
 * payments of one order must not pay the rest of it. Payments from before the invoice was created
 * do not count in it: they may be of an earlier order with the same id. An order's oldest invoice
 * comes before all its payments, so it has the receipt where a newer one cannot.
 */
export function receiptStatus(
  invoice: Asked & Pick<InvoiceRow, 'id' | 'status' | 'created_at' | 'negative_difference'>,
  orderPayments: readonly CountedPayment[],
  asksForWhole: boolean,
): PaidStatus | null {
  const { id, status } = invoice;
  if (status === 'paid' || status === 'complete') return status;
  const tolerated = parseAmount(invoice.negative_difference);
  const ids = new Set(orderPayments.map(({ invoice_id }) => invoice_id));
  const aloneOf = (one: string): PaidStatus | null => {
    const own = orderPayments.filter(({ invoice_id }) => invoice_id === one);
    return own[0] ? covered(own[0], own, tolerated) : null;
  };
  const alone = aloneOf(id);
  if (alone !== null || !asksForWhole || !ids.has(id)) return alone;
  if ([...ids].some((one) => aloneOf(one) !== null)) return null;
  const createdAt = Date.parse(invoice.created_at);
  const since = orderPayments.filter((one) => Date.parse(one.created_at) >= createdAt);
  return covered(invoice, since, tolerated);
}

/** How far payments cover what an invoice asks for, each at the price when it was first seen. */
function covered(
  { requested_text, requested_currency }: Asked,
  payments: readonly CountedPayment[],
  tolerated: Amount,
): PaidStatus | null {
  if (requested_text === null) return null;
  const asked = parseAmount(requested_text);
  const covers = (some: readonly CountedPayment[]): boolean =>
    matches(
      some.flatMap(({ amount, invoiced, ...its }) =>
        invoiced === null ||
        its.requested_text === null ||
        its.requested_currency !== requested_currency
          ? []
          : {
              amount: parseAmount(amount) * parseAmount(its.requested_text),
              invoiced: parseAmount(invoiced) * asked,
            },
      ),
      tolerated,
    );
  if (covers(payments.filter(isFinal))) return 'complete';
  return covers(payments.filter(isConfirmed)) ? 'paid' : null;
}

const isFinal = ({ status }: CountedPayment): boolean => status === 'complete';

const isConfirmed = (payment: CountedPayment): boolean =>
  isFinal(payment) || payment.status === 'confirmed' || payment.zero_conf_status === 'confirmed';
