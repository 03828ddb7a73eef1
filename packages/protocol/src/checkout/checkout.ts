import type { AddressProof } from '../wire/address-proof.ts';
import type { Network, RefundCause } from '../wire/status.ts';

/** The stages of a checkout. A reader draws an unknown stage as "please wait". */
export const STAGES = [
  'choose',
  'pay',
  'underpaid',
  'seen',
  'paid',
  'complete',
  'expired',
  'late',
  'held',
  'failed',
] as const;
export type Stage = (typeof STAGES)[number];

/** Additional facts beside a stage. */
export const NOTES = [
  'overpaid',
  'wrong_coin',
  'replaced',
  'dropped',
  'reversed',
  'reusable',
  'paid_twice',
  'late_accepted',
  'small_refund',
  'test_network',
] as const;
export type Note = (typeof NOTES)[number];

/**
 * The source of the payment. An exchange needs the bare address, single values to copy and a longer
 * quote.
 */
export const PAYMENT_SOURCES = ['wallet', 'exchange'] as const;
export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

/**
 * After a final stage no change is expected: event streams end, and a rare poll finds a second
 * payment. `expired` is not final: the checkout can be renewed, or be paid late.
 */
export function isFinalStage(stage: string): boolean {
  return stage === 'complete';
}

/**
 * Whether nothing more is expected of this view: its stage is final, and no refund is on its way.
 */
export function isSettled({ stage, refunds = [] }: Pick<Checkout, 'stage' | 'refunds'>): boolean {
  return isFinalStage(stage) && !refunds.some(isOpenRefund);
}

/** Whether a refund can still change. */
export const isOpenRefund = ({ status }: { status: string }): boolean =>
  OPEN_REFUNDS.includes(status);

const OPEN_REFUNDS: readonly string[] = ['requested', 'draft', 'approved'];

/** Whether the order is paid at this stage. */
export function isPaidStage(stage: string): boolean {
  return stage === 'paid' || stage === 'complete';
}

/** The buyer's view of one order, from the BFF to the element. Amounts are decimal strings. */
export interface Checkout {
  id: string;
  /** One of `STAGES`, or a stage of a newer server. */
  stage: Stage | (string & {});
  notes: readonly (Note | (string & {}))[];
  /** Increases with every change. */
  version: number;
  network: Network | (string & {});
  /** The service's time, so that the countdown is right on a device with a wrong clock. */
  server_time: string;
  expires_at: string | null;
  merchant: CheckoutMerchant;
  order: CheckoutOrder;
  /** The most used assets first, networks by fee and time; empty when none can be chosen. */
  coins: readonly CheckoutCoin[];
  /** Null until the buyer chooses a coin. */
  payment: CheckoutPayment | null;
  /** All received payments of the order, in any coin, oldest first. */
  received: readonly CheckoutReceived[];
  /** Money that goes back to the buyer; absent without any. */
  refunds?: readonly CheckoutRefund[] | undefined;
  /** Money that the buyer can ask back; absent without any. */
  refundable?: readonly CheckoutRefundable[] | undefined;
  /**
   * Money under a refund that was requested without proof: the proven buyer can ask for it with
   * another address; absent without any.
   */
  replaceable?: readonly CheckoutRefundable[] | undefined;
  /** The receipt can be sent by e-mail; absent if not. */
  mails_receipt?: boolean | undefined;
  /** The order is paid, but the service signs no receipt of it; absent if not. */
  lacks_receipt?: boolean | undefined;
  /** Link back to the shop, at any stage. */
  shop_url: string | null;
  /** Null until paid. */
  success_url: string | null;
  /**
   * Page of a third party for a frame, which sells the coins for a card payment; null without one.
   */
  onramp: string | null;
}

export interface CheckoutMerchant {
  name: string;
  /** The shop's support: an `https:` or `mailto:` link. */
  contact: string | null;
  /** Address of the shop's logo, on the server of the checkout. */
  logo: string | null;
  /** Null when the shop does not name its company. */
  legal: MerchantCompany | null;
}

/** The company that is paid, as exchanges ask for it. */
export interface MerchantCompany {
  name: string;
  /** In one line. */
  address: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** The order is worth more than 1,000 EUR: an exchange certainly asks. */
  asked: boolean;
}

export interface CheckoutOrder {
  /** Null for an invoice without an order. */
  order_id: string | null;
  description: string | null;
  /**
   * The shop's amount, with at least the decimals of its currency: `18.50`. Null for a reusable
   * address.
   */
  amount: { amount: string; currency: string } | null;
}

export interface CheckoutCoin {
  kind: string;
  name: string;
  network: string;
  symbol: string;
  /** Approximate price in the coin; null without a rate. */
  approx: string | null;
  /** Usual network fee of a payment in US dollars, to two digits; null if unknown. */
  fee_usd: string | null;
  /** Usual time until the order is paid; 0 for immediately, null if unknown. */
  seconds: number | null;
  /**
   * Symbol of the coin that pays the network fee, if it is another one: `ETH` for Tether on
   * Ethereum.
   */
  gas: string | null;
}

/** The payment in the chosen coin. Amounts are in the coin, gross of any fee. */
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
  /** The same coin was shown with another address or tag, which still counts; absent if not. */
  other_address?: boolean | undefined;
  /** Liquid: the unconfidential address. */
  public_address: string | null;
  lightning: { payment_request: string | null; lnurl: string | null } | null;
  /** Null for a reusable address, as are `remaining` and `rate`. */
  due: string | null;
  paid: string;
  remaining: string | null;
  /** The excess over the amount, when it exceeds the tolerance. */
  overpaid: string | null;
  /** Payments after the quote expired, counted or not. */
  late: string | null;
  /** Usual minimum withdrawal of exchanges; only when the buyer pays from one and less is due. */
  minimum_withdrawal: string | null;
  /** One coin in the order's currency. */
  rate: string | null;
  strings: {
    /** Content of the QR code; the bare address for an exchange. */
    qr: string;
    /** Target of a wallet link. */
    link: string;
    /** Single values to copy. */
    address: string;
    amount: string | null;
    tag: string | null;
  };
  /** SVG path data in a square of `size` modules, without the quiet zone. */
  qr: { size: number; path: string };
  confirmations: { have: number; need: number; final: number };
  /** As `seconds` of `CheckoutCoin`. */
  usual_seconds: number | null;
  transactions: readonly CheckoutTransaction[];
  /** Start of the current price; absent before any money came, and from older servers. */
  quoted_at?: string | undefined;
  expires_at: string | null;
  /** Whether `POST …/renew` returns a new quote now. */
  renewable: boolean;
  /** Whether `POST …/renew {extend: true}` keeps the price for one more period now. */
  extendable: boolean;
  /** The service's signature over coin, network, address, tag, amount and order. */
  proof: AddressProof | null;
  /** The same for a lightning request beside an address. */
  lightning_proof: AddressProof | null;
  /** The texts that a proof signs as the invoice has them; the others are members of the view. */
  signed_terms: SignedTerms | null;
}

export interface SignedTerms {
  order_id: string | null;
  /** The requested amount, in `currency`: the whole order, or the rest of it. */
  amount: string;
  currency: string;
  /** The amount in the coin. */
  invoiced: string;
  expires_at: string | null;
}

/** A payment to one of the order's invoices. */
export interface CheckoutReceived extends CheckoutTransaction {
  invoice_id: string;
  /** The destination: the invoice's address and tag; null over lightning, or without a tag. */
  address: string | null;
  tag: string | null;
  /** The received coin. */
  kind: string;
  name: string;
  network: string;
  symbol: string;
  /** One coin in the order's currency; null when the payment does not count. */
  rate: string | null;
  /** Its value in the order's currency; null when it does not count, or there is no price. */
  value: string | null;
  /** It arrived after its quote expired. */
  late: boolean;
  /** The part above the order's amount, in the coin, when it exceeds the tolerance. */
  overpaid: string | null;
  /** The part that was asked back, in the coin: it counts for nothing else. Absent without one. */
  refunded?: string | undefined;
  /** The coin that was asked for, where another one came; absent where it came. */
  asked?: { symbol: string; network: string } | undefined;
}

export interface CheckoutTransaction {
  txid: string;
  status: string;
  amount: string;
  confirmations: number;
  created_at: string;
  explorer_url: string | null;
}

/** A refund as the buyer sees it. Amounts are in the coin. */
export interface CheckoutRefund {
  /** Txid of the payment that came in. */
  transaction: string;
  amount: string;
  /** The amount that arrives after the network fee; an estimate until the approval. */
  received: string;
  kind: string;
  address: string;
  /** Destination tag of the address; null without one, absent from an earlier server. */
  tag?: string | null | undefined;
  /** As the service reports it; a reader must accept any string. */
  status: string;
  /** Txid of the refund; null until it is sent. */
  txid: string | null;
  explorer_url: string | null;
}

/** Money of one payment that the buyer can ask back. Amounts are in the coin. */
export interface CheckoutRefundable {
  /** Names the payment in the request: its txid, or an id where one txid holds several payments. */
  transaction: string;
  /** As the service reports it; a reader must accept any string. */
  cause: RefundCause | (string & {});
  kind: string;
  name: string;
  network: string;
  symbol: string;
  amount: string;
  /** Usual network fee, which the buyer pays; null if unknown, `0` where the shop pays it. */
  fee: string | null;
  /**
   * The amount that arrives with that fee; null if unknown, or if the fee is more than the amount.
   */
  received: string | null;
  /** False until the payment is final. */
  ready: boolean;
  /** The chain has destination tags. */
  tagged: boolean;
}
