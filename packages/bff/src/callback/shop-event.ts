/** What a shop is told, as the body of its webhook. Amounts are decimal strings in the order's currency. */
export interface ShopEvent {
  event: ShopEventName;
  checkout_id: string;
  /** Null for an invoice that belongs to no order. */
  order_id: string | null;
  amount: string | null;
  currency: string | null;
  network: string;
  stage: string;
  notes: readonly string[];
  invoice_id: string;
  kind: string;
  /** What has come so far, confirmed or not, each payment at its own quote; with at least as many decimals as `amount`. */
  paid: string;
  /** Present and true when the price did not come from a signed order, the shop's secret or the catalogue: look at it before you fulfil. */
  unverified_price?: true;
  /** What the page gave along with its offer, as text; anybody can have written it. */
  passthrough?: string;
}

export const SHOP_EVENTS = [
  'checkout.seen',
  'checkout.paid',
  'checkout.complete',
  'checkout.underpaid',
  'checkout.overpaid',
  'checkout.late',
  'checkout.reversed',
] as const;
export type ShopEventName = (typeof SHOP_EVENTS)[number];
