import { type Amount, parseAmount } from '@crypto-checkout/protocol/amount';
import { matches } from './match.ts';
import type { CountedPayment } from './receipt-store.ts';
import type { InvoiceRow } from './store.ts';

export type PaidStatus = 'paid' | 'complete';
type Asked = Pick<InvoiceRow, 'requested_text' | 'requested_currency'>;
type Tolerant = Pick<InvoiceRow, 'id' | 'negative_difference'>;

/**
 * The status that a receipt states of an invoice that is paid by itself; null of any other. Late
 * money that the shop accepted leaves its invoice `expired`, so the payments are summed here.
 */
export function statusAlone(
  invoice: Tolerant & Pick<InvoiceRow, 'status'>,
  orderPayments: readonly CountedPayment[],
): PaidStatus | null {
  const { status } = invoice;
  if (status === 'paid' || status === 'complete') return status;
  return coveredAlone(invoice.id, orderPayments, toleranceOf(invoice));
}

/**
 * The status that a receipt states of an invoice that asks for the whole of its order and is not
 * paid by itself: parts in several coins leave each one short. It has a payment, and there is none
 * beside it that is paid by itself: payments of one order must not pay the rest of it. Payments
 * from before the invoice was created do not count in it: they may be of an earlier order with the
 * same id. An order's oldest invoice comes before all its payments, so it has the receipt where a
 * newer one cannot.
 */
export function statusInOrder(
  invoice: Tolerant & Asked & Pick<InvoiceRow, 'created_at'>,
  orderPayments: readonly CountedPayment[],
): PaidStatus | null {
  const tolerated = toleranceOf(invoice);
  const ids = new Set(orderPayments.map(({ invoice_id }) => invoice_id));
  if (!ids.has(invoice.id)) return null;
  if ([...ids].some((one) => coveredAlone(one, orderPayments, tolerated) !== null)) return null;
  const createdAt = Date.parse(invoice.created_at);
  const since = orderPayments.filter((one) => Date.parse(one.created_at) >= createdAt);
  return covered(invoice, since, tolerated);
}

const toleranceOf = ({ negative_difference }: Tolerant): Amount => parseAmount(negative_difference);

function coveredAlone(
  id: string,
  orderPayments: readonly CountedPayment[],
  tolerated: Amount,
): PaidStatus | null {
  const own = orderPayments.filter(({ invoice_id }) => invoice_id === id);
  return own[0] ? covered(own[0], own, tolerated) : null;
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
