import type { Checkout } from './checkout.ts';

/**
 * A change of a view: the members that differ. Those of a payment of the same invoice likewise; the
 * payment of another invoice comes whole, with its `invoice_id`.
 */
export type CheckoutChange = Partial<Omit<Checkout, 'payment'>> & {
  payment?: Partial<NonNullable<Checkout['payment']>> | null;
};

/** The change from one view to the next; null if a member has disappeared, which a change cannot say. */
export function changeOf(before: Checkout, next: Checkout): CheckoutChange | null {
  const change = differing(before, next);
  if (!change) return null;
  const same = before.payment?.invoice_id === next.payment?.invoice_id;
  const payment =
    same && change.payment && before.payment && differing(before.payment, change.payment);
  return payment ? { ...change, payment } : change;
}

/** The view after a change. */
export function applyChange(before: Checkout, change: CheckoutChange): Checkout {
  const { payment } = change;
  const isPart = payment && !('invoice_id' in payment);
  return {
    ...before,
    ...change,
    ...(isPart && { payment: { ...before.payment, ...payment } }),
  } as Checkout;
}

function differing<Value extends object>(before: Value, next: Value): Partial<Value> | null {
  if (Object.keys(before).some((name) => !(name in next))) return null;
  return Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(before[name as keyof Value]) !== JSON.stringify(value),
    ),
  ) as Partial<Value>;
}
