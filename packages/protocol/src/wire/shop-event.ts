/** Events of the shop's webhook, in the `event` member of its body. */
export const SHOP_EVENTS = [
  'checkout.seen',
  'checkout.paid',
  'checkout.complete',
  'checkout.underpaid',
  'checkout.overpaid',
  'checkout.late',
  'checkout.wrong_coin',
  'checkout.reversed',
  'checkout.expired',
  'checkout.refund_requested',
  'checkout.refunded',
] as const;

/**
 * The events of this version, so that the compiler finds a misspelt name. Answer 2xx to an unknown
 * event: a later version may add one.
 */
export type ShopEventName = (typeof SHOP_EVENTS)[number];

/** The body of the shop's webhook. Amounts are decimal strings in the order's currency. */
export interface ShopEvent {
  event: ShopEventName;
  checkout_id: string;
  /** Null when the invoice belongs to no order. */
  order_id: string | null;
  amount: string | null;
  currency: string | null;
  /** Never fulfil an order that was paid on a test network. */
  network: string;
  stage: string;
  notes: string[];
  /** The invoice that was paid last, or the one that the buyer sees. */
  invoice_id: string;
  /** The coin of that invoice. */
  kind: string;
  /**
   * The sum of all counted payments, confirmed or not, each at its own quote. It has at least as
   * many decimals as `amount`.
   */
  paid: string;
  /**
   * Received money above `amount`, without money that was asked back. Present only when there is
   * one.
   */
  excess?: string;
  /**
   * The payment that the event reports: the newest one, or the refunded one. Absent without any.
   * The amount is in its coin.
   */
  payment?: {
    /** Id of the service: `transaction_id` of a refund, an offer and `accept-late/`. */
    transaction_id: string;
    txid: string;
    kind: string;
    amount: string;
  };
  /**
   * Present and true when no trusted source set the price: a page set it (`ALLOW_CLIENT_PRICES`),
   * or the invoice belongs to no order. Check the amount before you fulfil.
   */
  unverified_price?: true;
  /**
   * Present with `checkout.refund_requested` and `checkout.refunded` only. Amounts are in the coin.
   */
  refund?: {
    /** Id of the service: approve or reject it with `PUT /v1/refunds/<ID>/`. */
    id: string;
    /** Txid of the payment that came in. `payment` has its id of the service. */
    transaction: string;
    kind: string;
    amount: string;
    address: string;
    /** The buyer proved that the order is theirs; otherwise anyone with the link asked. */
    is_proven: boolean;
    /** Txid of the refund; null until it is sent. */
    txid: string | null;
  };
  /** The page's own data from its offer, as text. Anyone can write it: do not trust it. */
  passthrough?: string;
}
