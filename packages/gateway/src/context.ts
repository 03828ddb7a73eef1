import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Logger } from 'pino';
import type { Secrets } from './account/secrets.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Signer } from '@crypto-checkout/chains/signer';
import type { Config } from './config.ts';
import type { Db } from './database/database.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { RateBook } from './rate/rate-book.ts';
import type { RiskCheck, ZeroConfCheck } from './risk/check.ts';

/**
 * Everything that a use case needs from outside. Nothing below reads the clock, the environment or
 * the network by itself.
 */
export interface Context {
  config: Config;
  /** Of every chain: an account belongs to one network. */
  network: 'mainnet' | 'testnet';
  db: Db;
  /** Whether the database answers within 700 ms, asked on a connection of its own. */
  databaseAnswers(): Promise<boolean>;
  clock: Clock;
  ids: Ids;
  /** Opens sealed values of the database: API secrets, callback tokens. */
  secrets: Secrets;
  /**
   * `fetch` for addresses that a third party chose (callbacks, LNURL); guarded, see
   * `outbound/outbound.ts`.
   */
  outbound: typeof fetch;
  chains: ReadonlyMap<ChainId, ChainAdapter>;
  /** Asks nodes that did not answer so far; returns wrong answers, each with one sentence. */
  openLateChains(): Promise<{ chain: ChainId; mistake: string }[]>;
  /** Senders by chain, where sending is possible. */
  senders: ReadonlyMap<ChainId, ChainSender>;
  /** The only holder of private keys. */
  signer: Signer;
  rates: RateBook;
  /** Assesses payments when they are first seen. */
  risk: RiskCheck;
  /** Decides which payments count before they are in a block. */
  zeroConf: ZeroConfCheck;
  /** Exchanges by id; the first that trades a pair is the default. */
  exchanges: ReadonlyMap<string, Exchange>;
  log: Logger;
}

export interface Clock {
  /**
   * Business time, milliseconds since the epoch: creation, expiry and block times, the 24 hours
   * rule. The sandbox moves it.
   */
  now(): number;
  /** Real time: webhook timestamps, retries, leases, rate limits, nonces. */
  real(): number;
}

export interface Ids {
  /** A UUID v4. */
  uuid(): string;
  bytes(length: number): Uint8Array;
}
