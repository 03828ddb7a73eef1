import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorCode } from '../event.ts';

/** Something that arrived, or seemed to. */
export interface Arrival {
  /** Of what is due. */
  percent: number;
  /** Default `pending`. */
  status?: string;
  /** Default 0. */
  confirmations?: number;
  /** `late` came after the price had run out; `wrong` is another coin. */
  as?: 'late' | 'wrong';
}

/** One state of a checkout, and how long it lasts. */
export interface Step {
  stage: string;
  notes?: readonly string[];
  arrivals?: readonly Arrival[];
  /** The server's clock, in seconds since the checkout was opened. Default: 20 more than in the step before. */
  at?: number;
  /** When the step ends: after so many seconds (default 4), or when the buyer chooses a coin or asks for a new price. */
  until?: number | 'payment' | 'renew';
  /** What goes wrong: the server does not answer (`slow`), cannot be reached any more (`offline`), or answers with an error. */
  fault?: 'slow' | 'offline' | CheckoutErrorCode;
  /** What the server answers to a choice in this step. */
  refuses?: CheckoutErrorCode;
}

/** A story that the player tells. */
export interface Scene {
  /** What it shows, for the list on the demo page. */
  about: string;
  steps: readonly Step[];
  /** What is paid with; default `BTC`. */
  kind?: string;
  /** Default `wallet`. */
  from?: 'wallet' | 'exchange';
  /** Kinds to choose from; default: a shelf of usual ones. */
  kinds?: readonly string[];
  /** Any amount may come, as often as one likes. */
  reusable?: boolean;
  /** Parts of the view that are told otherwise. */
  view?: Partial<Pick<Checkout, 'network' | 'merchant' | 'order' | 'success_url' | 'onramp'>>;
  /** Units of the order's currency that one US dollar is; default 1. */
  perDollar?: string;
  /** What exchanges send at least, in the coin. */
  minimumWithdrawal?: string;
}
