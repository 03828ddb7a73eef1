import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { Failure } from './checkout-server.ts';

/** Callbacks of a source. */
export interface SourceListener {
  /** A view, new or unchanged. */
  checkout(checkout: Checkout): void;
  /** The connection was lost or is back. */
  connection(lost: boolean): void;
  /** A failed request; reported once for each error code. */
  failure(failure: Failure): void;
}

/** Source of the views of one checkout: the checkout server, or a scenario. */
export interface CheckoutSource {
  /**
   * Returns the first view.
   * @throws Failure
   */
  open(): Promise<Checkout>;
  /**
   * Sends a choice of the buyer: a coin, or a new price.
   * @throws Failure
   */
  post(what: 'payment' | 'renew', body: object): Promise<Checkout>;
  /**
   * Reports every view from now on, until `stop`. Repeated calls have no further effect.
   * @param final The stage is final: slow polling is enough.
   * @param known A complete view that need not be sent again.
   */
  follow(on: SourceListener, final?: boolean, known?: Checkout): void;
  /** Polls now. */
  refresh(): void;
  stop(): void;
}
