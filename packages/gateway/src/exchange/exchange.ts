import type { Amount } from '@crypto-checkout/protocol/amount';
import type { Kind } from '@crypto-checkout/protocol/kind';

/**
 * An exchange that converts one coin into another; a real market is an adapter of this interface.
 * Orders have an idempotency key. After an error the order is looked up before it is sent again,
 * because the exchange may have executed it. Every call answers within 10 s or throws.
 */
export interface Exchange {
  readonly id: string;
  /** Display name; null if it has only an id. */
  readonly title: string | null;

  /** Reports whether it converts `from` into `to` here. */
  trades(from: Kind, to: Kind): boolean;

  /**
   * Quotes the amount bought for a sale, or the amount to sell for a purchase, at the current
   * price.
   * @throws ServiceError `RateUnavailable`
   * @throws UnavailableError when it does not answer
   */
  quote(request: QuoteRequest): Promise<Price>;

  /**
   * Executes an order. The same key is the same order and is never executed twice.
   * @throws when the outcome is unknown, like the state `unknown`
   */
  execute(order: Order): Promise<Outcome>;

  /**
   * Looks up an order that may have been sent.
   * @returns `absent` only if the order was certainly not executed; the key may then be used again
   */
  lookUp(order: Order): Promise<Outcome | { state: 'absent' }>;
}

export type QuoteRequest = { from: Kind; to: Kind } & ({ sell: Amount } | { buy: Amount });

/**
 * Sold and bought amounts, in the precision of their coins: `bought` is rounded down, `sold` up.
 */
export interface Price {
  sold: Amount;
  bought: Amount;
}

export interface Order {
  /** Idempotency key: the conversion's id. */
  key: string;
  from: Kind;
  to: Kind;
  sell: Amount;
}

export type Outcome =
  | { state: 'done'; bought: Amount }
  /** Certainly not executed, now or later. */
  | { state: 'failed'; reason: string }
  /** May have been executed; look it up. */
  | { state: 'unknown'; reason: string };
