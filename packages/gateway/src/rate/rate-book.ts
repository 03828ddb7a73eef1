import type { Amount } from '@crypto-checkout/protocol/amount';

/** What every currency and coin is worth at one moment. */
export interface RateSet {
  /** US dollars for one, by symbol (`EUR`, `BTC`, `USDC.e`); a symbol without a trustworthy rate is missing. */
  usd: ReadonlyMap<string, Amount>;
  /** Business time of the rates, milliseconds since the epoch. */
  at: number;
  /** The sources did not answer lately: shown as stale, never priced with once it is too old. */
  stale: boolean;
  /** Symbols that only one source prices: small tokens. Absent for fixed rates. */
  singleSource?: ReadonlySet<string>;
}

/** Where exchange rates come from. */
export interface RateBook {
  /** @throws ServiceError `RateUnavailable` when no rate is young enough to be used */
  current(): Promise<RateSet>;
  /** Asks the sources now; the worker calls it every 30 s, so that no buyer waits for them. Fixed rates have none. */
  refresh?(): Promise<void>;
}
