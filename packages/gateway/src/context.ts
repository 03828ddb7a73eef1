import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Logger } from 'pino';
import type { Secrets } from './account/secrets.ts';
import type { ChainAdapter } from './chain/adapter.ts';
import type { ChainSender } from './chain/sender.ts';
import type { Signer } from './chain/signer.ts';
import type { Config } from './config.ts';
import type { Db } from './database/database.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { RateBook } from './rate/rate-book.ts';
import type { RiskCheck, ZeroConfCheck } from './risk/check.ts';

/** Everything a verb needs from outside, handed in: nothing below reads the clock, the environment or the network itself. */
export interface Context {
  config: Config;
  db: Db;
  /** Whether the database answers within 700 ms, asked on a connection of its own. */
  databaseAnswers(): Promise<boolean>;
  clock: Clock;
  ids: Ids;
  /** Opens what is sealed in the database: API secrets, callback tokens. */
  secrets: Secrets;
  /** Requests to addresses that somebody else chose (callbacks, LNURL): guarded, see `http/outbound.ts`. */
  outbound: typeof fetch;
  chains: ReadonlyMap<ChainId, ChainAdapter>;
  /** What can be sent from, by chain. */
  senders: ReadonlyMap<ChainId, ChainSender>;
  /** Holds the private keys; nothing else does. */
  signer: Signer;
  rates: RateBook;
  /** Analyses payments when they are first seen. */
  risk: RiskCheck;
  /** Says which payments are safe before they are in a block. */
  zeroConf: ZeroConfCheck;
  /** Where coins are converted, by id; the first that trades a pair is the default. */
  exchanges: ReadonlyMap<string, Exchange>;
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
