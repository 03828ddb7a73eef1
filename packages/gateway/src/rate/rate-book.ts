import type { Amount } from '@crypto-checkout/protocol/amount';

/** Rates of all currencies and coins at one time. */
export interface RateSet {
  /**
   * US dollars per unit, by symbol (`EUR`, `BTC`, `USDC.e`). Symbols without a reliable rate are
   * missing.
   */
  usd: ReadonlyMap<string, Amount>;
  /** Business time of the rates, milliseconds since the epoch. */
  at: number;
  /** The sources have not answered recently. */
  stale: boolean;
  /** Symbols whose price no second source and no peg confirms. Absent for fixed rates. */
  unconfirmed?: ReadonlySet<string>;
}

/** A provider of exchange rates. */
export interface RateBook {
  /** @throws ServiceError `RateUnavailable` when all rates are too old */
  current(): Promise<RateSet>;
  /**
   * Requests new rates. The worker calls it every 30 s, so that buyers do not wait. Absent for
   * fixed rates.
   */
  refresh?(): Promise<void>;
}
