import type { Note, Stage } from './checkout.ts';

/** Everything that a checkout's stage depends on; invoices and transactions exactly as the API returns them. */
export interface CheckoutFacts {
  /** The order's amount; null when the checkout shows a single invoice, whose requested amount then is the order's. */
  order: { amount: string; currency: string } | null;
  invoices: readonly InvoiceFacts[];
  /** All transactions of these invoices. */
  transactions: readonly TransactionFacts[];
  /** The service's time (its `Date` header), ISO 8601 or milliseconds since the epoch. */
  serverTime: string | number;
  /** The profile's `acceptance_range`, percent; default 0.5 both ways. */
  acceptance?: { negative_difference: string; positive_difference: string };
}

export interface InvoiceFacts {
  id: string;
  kind: string;
  /** Any string is accepted. */
  status: string;
  network: string;
  created_at: string;
  expires_at?: string | null;
  amount: {
    requested: { amount: string; currency: string } | null;
    invoiced: { amount: string; currency: string } | null;
  };
  /** Prices that a renewed invoice had before, oldest first. The API does not return them: whoever renewed the invoice knows. */
  quotes?: readonly QuoteFacts[];
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
  /** Any string is accepted. */
  status: string;
  created_at: string;
  confirmations: number;
  invoice: { id: string } | null;
  amount: {
    paid: { amount: string; currency: string };
    /** Present with a custom fee only: the transaction's actual value. */
    paid_total?: { amount: string; currency: string };
  };
}

export interface CheckoutStanding {
  stage: Stage;
  notes: Note[];
  /** Counted payments, in the order's currency, each at its own quote; `0` for a reusable address. */
  paid: string;
  /** What the order still needs, in its own currency; null for a reusable address. */
  remaining: string | null;
  /** Payments that came after their invoice ran out, in the order's currency. Not in `paid`. */
  late: string;
  /** Per invoice, in its coin. */
  payments: Readonly<Record<string, PaymentStanding>>;
}

export interface PaymentStanding {
  /** Null for a reusable address. */
  due: string | null;
  paid: string;
  /** What the order still needs, in this coin at the quote in force. */
  remaining: string | null;
  /** One coin in the order's currency. */
  rate: string | null;
}

/**
 * The stage of a checkout: a pure function of the facts and the server's time.
 * @example stageOf({order: {amount: '10', currency: 'USD'}, invoices: [], transactions: [], serverTime: Date.now()}).stage // 'choose'
 */
export declare function stageOf(facts: CheckoutFacts): CheckoutStanding;
