import type { Amount } from '@crypto-checkout/protocol/amount';
import type { Kind } from '@crypto-checkout/protocol/kind';

/**
 * Where one coin becomes another. A real market is an adapter of this; the built-in book is the one that there is.
 * An order has a key of its own, and what became of one is asked, never tried again: an exchange that says nothing may have sold.
 * Every answer comes within 10 s, or the call throws.
 */
export interface Exchange {
  readonly id: string;
  /** As people call it; null when it has only an id. */
  readonly title: string | null;

  /** Whether it can make one of the other here. */
  trades(from: Kind, to: Kind): boolean;

  /**
   * What an amount would give, or what would have to be sold for it, at the price of the moment. Changes nothing.
   * @throws ServiceError `RateUnavailable`
   * @throws UnavailableError when it does not answer
   */
  quote(request: QuoteRequest): Promise<Price>;

  /**
   * Sells. The same key again is the same order: it is never carried out twice.
   * @throws when it is not known whether it was carried out, which is `unknown` too
   */
  execute(order: Order): Promise<Outcome>;

  /**
   * What became of an order that may have been given.
   * @returns `absent` only when it is certain that the order was not carried out; the same key may then be given again
   */
  lookUp(order: Order): Promise<Outcome | { state: 'absent' }>;
}

export type QuoteRequest = { from: Kind; to: Kind } & ({ sell: Amount } | { buy: Amount });

/** What is sold, and what it gives; both as fine as their coins are. What is given never rounds up, what is taken never down. */
export interface Price {
  sold: Amount;
  bought: Amount;
}

export interface Order {
  /** Natural key: the conversion's id. */
  key: string;
  from: Kind;
  to: Kind;
  sell: Amount;
}

export type Outcome =
  | { state: 'done'; bought: Amount }
  /** Certain: nothing was sold, and nothing will be. */
  | { state: 'failed'; reason: string }
  /** Perhaps it was: to be looked up. */
  | { state: 'unknown'; reason: string };
