import type { Note, Stage } from '../checkout/checkout.ts';

/**
 * Everything that a checkout's stage depends on. Invoices and transactions are exactly as the API
 * returns them.
 */
export interface CheckoutFacts {
  /**
   * The order's amount; null when the checkout shows a single invoice, whose requested amount then
   * is the order's.
   */
  order: { amount: string; currency: string } | null;
  invoices: readonly InvoiceFacts[];
  /** All transactions of these invoices. */
  transactions: readonly TransactionFacts[];
  /** The account's network, while there is no invoice. */
  network?: string;
  /** The service's time (its `Date` header), ISO 8601 or milliseconds since the epoch. */
  serverTime: string | number;
  /** The profile's `acceptance_range` in percent. Default: 0.5 both ways. */
  acceptance?: { negative_difference: string; positive_difference: string };
  /**
   * The profile's `stablecoin_precision`: the rest of a stablecoin price is rounded up to it.
   * Default 2.
   */
  stablecoinPrecision?: number;
}

export interface InvoiceFacts {
  id: string;
  kind: string;
  /** Any string is accepted. */
  status: string;
  network: string;
  created_at: string;
  expires_at?: string | null | undefined;
  amount: {
    requested: { amount: string; currency: string } | null;
    invoiced: { amount: string; currency: string } | null;
  };
  /**
   * All quotes of a renewed invoice, oldest first, the current one last. The API returns only the
   * current one, so the caller that renewed the invoice stores the others. Default: the current
   * quote, since the invoice was created.
   */
  quotes?: readonly QuoteFacts[] | undefined;
}

export interface QuoteFacts {
  requested: string;
  invoiced: string;
  starts_at: string;
  expires_at: string | null;
}

export interface TransactionFacts {
  kind: string;
  txid: string;
  /**
   * Any string is accepted; `dropped` marks a transaction that no node has any more
   * (`isVoidStatus`).
   */
  status: string;
  created_at: string;
  confirmations: number;
  invoice: { id: string } | null;
  amount: {
    paid: { amount: string; currency: string };
    /** The transaction's full value; present with a custom fee only. */
    paid_total?: { amount: string; currency: string } | null | undefined;
    /**
     * The part that is refunded, or for which a refund is requested: it counts for nothing else.
     */
    refunded?: { amount: string; currency: string } | null | undefined;
  };
  /**
   * One coin in the order's currency at arrival: a late payment counts at this rate. The caller
   * that accepts late payments stores it, so that it never changes. Default: a late payment does
   * not count.
   */
  late_rate?: string | null | undefined;
  /**
   * The shop accepted this late payment: without a `late_rate` it counts at its own quote, as if it
   * had come in time.
   */
  late_accepted?: boolean | undefined;
}

/** The state of a checkout, computed by `stageOf`. */
export interface CheckoutState {
  /** `wait` when an unknown status decides. */
  stage: Stage | 'wait';
  notes: Note[];
  /**
   * Counted payments in the order's currency, each at its own quote; `0` for a reusable address.
   */
  paid: string;
  /** The unpaid rest of the order, in its own currency; null for a reusable address. */
  remaining: string | null;
  /** Late payments that were not accepted, in the order's currency. Not in `paid`. */
  late: string;
  /**
   * Received money above the order's amount, in its currency, when it exceeds the tolerance;
   * otherwise `0`. Late money is in it once the order is paid without it. Money that goes back is
   * not.
   */
  excess: string;
  /** Per invoice, in its coin. */
  payments: Readonly<Record<string, PaymentState>>;
  /** One entry per transaction of the facts, in the same order. */
  transactionValues: readonly TransactionValue[];
}

/** The state of one invoice. Amounts are in its coin. */
export interface PaymentState {
  /** Null for a reusable address. */
  due: string | null;
  paid: string;
  /** The unpaid rest of the order, in this coin at the current quote. */
  remaining: string | null;
  /** One coin in the order's currency. */
  rate: string | null;
  /**
   * The excess over the order's amount that this invoice received, when it exceeds the tolerance.
   */
  overpaid: string | null;
  /** Payments after the quote expired, accepted or not. */
  late: string | null;
}

/** The contribution of one transaction to its order. */
export interface TransactionValue {
  /** One coin in the order's currency, at which it counts; null when it does not count. */
  rate: string | null;
  /** Its value in the order's currency; null when it does not count, or there is no price. */
  value: string | null;
  /** It arrived after its quote expired. */
  late: boolean;
  /** The part above the order's amount, in the coin, when it exceeds the tolerance. */
  overpaid: string | null;
}
