import type { Checkout, CheckoutPayment } from './checkout.ts';
import { type QrBits, type QrPath, packQr, unpackQr } from './qr-path.ts';

/**
 * A change of a view: the members that differ. Those of a payment of the same invoice likewise; the
 * payment of another invoice comes whole, with its `invoice_id`. A code comes as its modules, and
 * its text may be missing where it is the link with its long words in capitals.
 */
export type CheckoutChange = Partial<Omit<Checkout, 'payment'>> & {
  payment?: PaymentChange | null;
};

type PaymentStrings = CheckoutPayment['strings'];
type PaymentChange = Partial<Omit<CheckoutPayment, 'qr' | 'strings'>> & {
  qr?: QrPath | QrBits;
  strings?: StringsChange;
};
type StringsChange = Omit<PaymentStrings, 'qr'> & Partial<PaymentStrings>;

/**
 * The change from one view to the next; null if a member has disappeared, which a change cannot
 * say.
 * @param omitsText Whether the client derives the text of a code from the link where it can.
 */
export function changeOf(
  before: Checkout,
  next: Checkout,
  omitsText = false,
): CheckoutChange | null {
  const change = differing(before, next);
  if (!change) return null;
  const same = before.payment?.invoice_id === next.payment?.invoice_id;
  const part =
    same && change.payment && before.payment && differing(before.payment, change.payment);
  const payment = part || change.payment;
  return payment ? { ...change, payment: packed(payment, omitsText) } : change;
}

const packed = (payment: Partial<CheckoutPayment>, omitsText: boolean): PaymentChange => ({
  ...payment,
  ...(payment.qr && { qr: packQr(payment.qr) }),
  ...(omitsText && payment.strings && { strings: withoutText(payment.strings) }),
});

/** The view after a change. */
export function applyChange(before: Checkout, change: CheckoutChange): Checkout {
  const { payment } = change;
  const next = payment && {
    ...(!('invoice_id' in payment) && before.payment),
    ...payment,
    ...(payment.qr && { qr: unpackQr(payment.qr) }),
    ...(payment.strings && {
      strings: { qr: inCapitals(payment.strings.link), ...payment.strings },
    }),
  };
  return { ...before, ...change, ...(next && { payment: next }) } as Checkout;
}

function withoutText(strings: StringsChange): StringsChange {
  const { qr, ...others } = strings;
  return qr === inCapitals(strings.link) ? others : strings;
}

/** Addresses and lightning requests that a code holds in capitals, for fewer modules. */
const inCapitals = (link: string): string =>
  link.replaceAll(/\w{20,}/g, (word) => word.toUpperCase());

function differing<Value extends object>(before: Value, next: Value): Partial<Value> | null {
  if (Object.keys(before).some((name) => !(name in next))) return null;
  return Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(before[name as keyof Value]) !== JSON.stringify(value),
    ),
  ) as Partial<Value>;
}
