import type { Config } from './config.ts';
import type { ChainAdapter } from './chain/adapter.ts';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Db } from './database/database.ts';
import type { RateBook } from './rate/rate-book.ts';
import type { Logger } from 'pino';

/** Everything a verb needs from outside, handed in: nothing below reads the clock, the environment or the network itself. */
export interface Context {
  config: Config;
  db: Db;
  clock: Clock;
  ids: Ids;
  /** Requests to addresses that somebody else chose (callbacks, LNURL): guarded, see `http/outbound.ts`. */
  outbound: typeof fetch;
  chains: ReadonlyMap<ChainId, ChainAdapter>;
  rates: RateBook;
  log: Logger;
}

export interface Clock {
  /** Business time, milliseconds since the epoch: created and expiry times, block times, the 24 hours rule. The sandbox moves it. */
  now(): number;
  /** Real time: webhook timestamps, retries, leases, rate limits, nonces. */
  real(): number;
}

export interface Ids {
  /** A UUID v4. */
  uuid(): string;
  bytes(length: number): Uint8Array;
}
