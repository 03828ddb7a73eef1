import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';

/** An incoming payment. */
export interface Arrival {
  /** Share of the amount due. */
  percent: number;
  /** Default `pending`. */
  status?: string;
  /** Default 0. */
  confirmations?: number;
  /** `late` arrives after the price has expired; `wrong` is another coin. */
  as?: 'late' | 'wrong';
}

/** One state of a checkout, and its duration. */
export interface Step {
  stage: string;
  notes?: readonly string[];
  arrivals?: readonly Arrival[];
  /**
   * The server's clock, in seconds since the checkout was opened. Default: 20 more than in the
   * previous step.
   */
  at?: number;
  /**
   * End of the step: after a number of seconds (default 4), or when the buyer chooses a coin or
   * asks for a new price.
   */
  until?: number | 'payment' | 'renew';
  /** Failure: no answer (`slow`), no connection (`offline`), or an error answer. */
  fault?: 'slow' | 'offline' | CheckoutErrorCode;
  /** Error answer to a choice in this step. */
  refuses?: CheckoutErrorCode;
  /** The first payment goes back: not final yet, or the state of the buyer's request. */
  refund?: 'waiting' | 'requested' | 'approved' | 'paid';
}

/** A scenario. */
export interface Scene {
  /** Description for the demo page. */
  about: string;
  steps: readonly Step[];
  /** Kind to pay with; default `BTC`. */
  kind?: string;
  /** Default `wallet`. */
  from?: 'wallet' | 'exchange';
  /** Bitcoin's code also holds a lightning request. */
  withLightning?: boolean;
  /** Kinds to choose from; default: a list of common ones. */
  kinds?: readonly string[];
  /** An address for any number of payments of any amount. */
  reusable?: boolean;
  /** Overrides of the view. */
  view?: Partial<Pick<Checkout, 'network' | 'merchant' | 'order' | 'success_url' | 'onramp'>>;
  /** Units of the order's currency per US dollar; default 1. */
  perDollar?: string;
  /** Smallest withdrawal of exchanges, in the coin. */
  minimumWithdrawal?: string;
}
