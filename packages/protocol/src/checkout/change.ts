import type { Checkout, CheckoutPayment } from './checkout.ts';
import { type QrBits, type QrPath, packQr, unpackQr } from './qr-path.ts';

/**
 * A change of a view: the members that differ. Those of a payment of the same invoice likewise; the
 * payment of another invoice comes whole, with its `invoice_id`. A code comes as its modules.
 */
export type CheckoutChange = Partial<Omit<Checkout, 'payment'>> & {
  payment?: (Partial<Omit<CheckoutPayment, 'qr'>> & { qr?: QrPath | QrBits }) | null;
};

/**
 * The change from one view to the next; null if a member has disappeared, which a change cannot
 * say.
 */
export function changeOf(before: Checkout, next: Checkout): CheckoutChange | null {
  const change = differing(before, next);
  if (!change) return null;
  const same = before.payment?.invoice_id === next.payment?.invoice_id;
  const payment =
    same && change.payment && before.payment && differing(before.payment, change.payment);
  return withQr(payment ? { ...change, payment } : change, packQr);
}

/** The view after a change. */
export function applyChange(before: Checkout, packed: CheckoutChange): Checkout {
  const change = withQr(packed, unpackQr);
  const { payment } = change;
  const isPart = payment && !('invoice_id' in payment);
  return {
    ...before,
    ...change,
    ...(isPart && { payment: { ...before.payment, ...payment } }),
  } as Checkout;
}

/** The change with its code in another form, if it has one. */
function withQr(
  change: CheckoutChange,
  form: (qr: QrPath | QrBits) => QrPath | QrBits,
): CheckoutChange {
  const { payment } = change;
  return payment?.qr ? { ...change, payment: { ...payment, qr: form(payment.qr) } } : change;
}

function differing<Value extends object>(before: Value, next: Value): Partial<Value> | null {
  if (Object.keys(before).some((name) => !(name in next))) return null;
  return Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(before[name as keyof Value]) !== JSON.stringify(value),
    ),
  ) as Partial<Value>;
}
