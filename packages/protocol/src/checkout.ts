import type { Network } from './status.ts';

export { stageOf } from './stage.ts';
export type { CheckoutFacts, CheckoutStanding, InvoiceFacts, PaymentStanding, QuoteFacts, TransactionFacts } from './stage.ts';
export type { Worth } from './worth.ts';

/** What the element shows. A reader draws one that it does not know as "please wait". */
export const STAGES = ['choose', 'pay', 'underpaid', 'seen', 'paid', 'complete', 'expired', 'late', 'held', 'failed'] as const;
export type Stage = (typeof STAGES)[number];

/** Said beside a stage. */
export const NOTES = [
  'overpaid',
  'wrong_coin',
  'replaced',
  'dropped',
  'reversed',
  'reusable',
  'paid_twice',
  'late_accepted',
  'test_network',
] as const;
export type Note = (typeof NOTES)[number];

/** Where the buyer pays from: an exchange needs the bare address, each value to copy alone, and a longer quote. */
export const PAYMENT_SOURCES = ['wallet', 'exchange'] as const;
export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

/**
 * After a final stage nothing more is expected: event streams end, and a second payment is found by a look now and then. An expired
 * checkout can be renewed, or be paid late.
 */
export function isFinalStage(stage: string): boolean {
  return stage === 'complete';
}

/** Stages in which the goods are paid. */
export function isPaidStage(stage: string): boolean {
  return stage === 'paid' || stage === 'complete';
}

/** The buyer's view of one order, whatever coin is used: what the BFF serves and the element draws. Amounts are decimal strings. */
export interface Checkout {
  id: string;
  /** One of `STAGES`, or one that a newer server knows. */
  stage: Stage | (string & {});
  notes: readonly (Note | (string & {}))[];
  /** Grows with every change. */
  version: number;
  network: Network | (string & {});
  /** The service's time, so that a host with a wrong clock still counts down rightly. */
  server_time: string;
  expires_at: string | null;
  merchant: CheckoutMerchant;
  order: CheckoutOrder;
  /** The most used first; empty while there is nothing to choose. */
  coins: readonly CheckoutCoin[];
  /** Null until the buyer has chosen a coin. */
  payment: CheckoutPayment | null;
  /** Every payment that came for the order, in whichever coin, the oldest first. */
  received: readonly CheckoutReceived[];
  /** The way back, at any time. */
  shop_url: string | null;
  /** Null until paid. */
  success_url: string | null;
  /** A page for a frame, where somebody else sells the coins for a card payment; null where the operator has none. */
  onramp: string | null;
}

export interface CheckoutMerchant {
  name: string;
  /** The shop's help: an `https:` or `mailto:` link. */
  contact: string | null;
}

export interface CheckoutOrder {
  /** Null when the checkout shows an invoice that belongs to no order. */
  order_id: string | null;
  description: string | null;
  /** As the shop said it, with at least the decimals that its currency is written with: `18.50`. Null for a reusable address. */
  amount: { amount: string; currency: string } | null;
}

export interface CheckoutCoin {
  kind: string;
  name: string;
  network: string;
  symbol: string;
  /** What the order costs in the coin, about; null while no rate is known. */
  approx: string | null;
  /** How long it usually takes until it is paid; 0 for at once, null where nobody knows. */
  usual_seconds: number | null;
  /** Symbol of the coin that pays the network's fee, when it is another one: `ETH` for Tether on Ethereum. */
  gas: string | null;
}

/** The coin that the buyer is paying with. Amounts are in the coin, gross of any fee. */
export interface CheckoutPayment {
  invoice_id: string;
  kind: string;
  name: string;
  network: string;
  symbol: string;
  from: PaymentSource | (string & {});
  /** Null for lightning. */
  address: string | null;
  /** XRP: the destination tag. */
  tag: string | null;
  x_address: string | null;
  /** Liquid: the address that is not confidential. */
  public_address: string | null;
  lightning: { payment_request: string | null; lnurl: string | null } | null;
  /** Null for a reusable address, as are `remaining` and `rate`. */
  due: string | null;
  paid: string;
  remaining: string | null;
  /** What came above the amount, when it is more than is tolerated. */
  overpaid: string | null;
  /** What came after the quote had run out, counted or not. */
  late: string | null;
  /** What exchanges commonly send at least; only when the buyer pays from one, and what is due is less. */
  minimum_withdrawal: string | null;
  /** One coin in the order's currency. */
  rate: string | null;
  strings: {
    /** What the QR holds; the bare address for an exchange. */
    qr: string;
    /** What a wallet link opens. */
    link: string;
    /** What is copied, each alone. */
    address: string;
    amount: string | null;
    tag: string | null;
  };
  /** SVG path data in a square of `size` modules, quiet zone not included. */
  qr: { size: number; path: string };
  confirmations: { have: number; need: number; final: number };
  /** As in `CheckoutCoin`. */
  usual_seconds: number | null;
  transactions: readonly CheckoutTransaction[];
  expires_at: string | null;
  /** Whether `POST …/renew` gives a new quote now. */
  renewable: boolean;
  /** Whether `POST …/renew {extend: true}` keeps the price for one more period now. */
  extendable: boolean;
  /** Reserved for a signature over kind, address and amount. */
  proof: null;
}

/** A payment to one of the order's invoices. */
export interface CheckoutReceived extends CheckoutTransaction {
  invoice_id: string;
  /** Where it was sent: the invoice's address and tag; null over lightning, and without a tag. */
  address: string | null;
  tag: string | null;
  /** The coin that came. */
  kind: string;
  name: string;
  network: string;
  symbol: string;
  /** One coin in the order's currency, at which it counts; null when it does not count. */
  rate: string | null;
  /** What it counts for, in the order's currency; null when it does not count, or there is no price. */
  value: string | null;
  /** It came after its price had run out. */
  late: boolean;
  /** What of it is more than the order needed, in the coin, when that is more than is tolerated. */
  overpaid: string | null;
}

export interface CheckoutTransaction {
  txid: string;
  status: string;
  amount: string;
  confirmations: number;
  created_at: string;
  explorer_url: string | null;
}
