import { createHash } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { pino } from 'pino';
import { loadKeys, loadSeed, type PublicKeys } from './chain/keys.ts';
import { createSandboxChains } from './chain/sandbox/chains.ts';
import { createSandboxSenders } from './chain/sandbox/send.ts';
import { createSigner } from './chain/signer.ts';
import { createSecrets } from './account/secrets.ts';
import type { Clock, Context, Ids } from './context.ts';
import { loadConfig } from './config.ts';
import { openChecks } from './risk/open.ts';
import { type TestDatabase, testDatabase } from './database/test-database.ts';
import { openExchanges } from './exchange/open.ts';

export interface TestClock extends Clock {
  /** Moves both times. */
  advance(ms: number): void;
}

export interface TestContext extends Context {
  clock: TestClock;
  database: TestDatabase;
  /** Drops the database. */
  close(): Promise<void>;
}

/** 2026-11-21T06:00:00Z, the time at which every test begins. */
export const TEST_START = Date.UTC(2026, 10, 21, 6);

/** A clock that stands still until it is moved. */
export function testClock(start = TEST_START): TestClock {
  let now = start;
  return { now: () => now, real: () => now, advance: (ms) => void (now += ms) };
}

/** Ids that count, so that two runs of a test see the same ones. */
export function testIds(seed = 'test'): Ids {
  let count = 0;
  const next = (): Buffer => createHash('sha256').update(`${seed}:${++count}`).digest();
  return {
    uuid: () => {
      const hex = next().toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    bytes: (length) => {
      const blocks = Array.from({ length: Math.ceil(length / 32) }, next);
      return new Uint8Array(Buffer.concat(blocks).subarray(0, length));
    },
  };
}

/** The mnemonic of the test vectors, known to everybody: for tests only. */
const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const testKeys = (): PublicKeys => loadKeys('', { network: 'testnet', mnemonic: MNEMONIC });
let keys: PublicKeys | undefined;

const USD: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '1.25',
  GBP: '1.5',
  JPY: '0.008',
  BTC: '50000',
  ETH: '2500',
  LTC: '80',
  XRP: '2',
  DOGE: '0.2',
  SOL: '150',
  TRX: '0.25',
  POL: '0.5',
  BNB: '600',
  TON: '4',
  GRAM: '4',
  CELO: '0.5',
  USDT: '1',
  USDC: '1',
  'L-BTC': '50000',
  'L-USDT': '1',
};

/**
 * A context over a database of its own: a clock that stands still, counting ids, fixed rates, no network, every chain a
 * sandbox with the keys of the test mnemonic.
 */
export async function testContext(overrides: Partial<Context> = {}): Promise<TestContext> {
  const database = await testDatabase();
  const clock = testClock();
  const usd = new Map(Object.entries(USD).map(([symbol, rate]) => [symbol, parseAmount(rate)]));
  const ids = testIds();
  const context: TestContext = {
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent' }),
    db: database.db,
    databaseAnswers: async () => true,
    ids,
    secrets: createSecrets(new Uint8Array(32)),
    outbound: () => Promise.reject(new Error('No network in this test')),
    chains: createSandboxChains({ db: database.db, keys: (keys ??= testKeys()) }),
    senders: createSandboxSenders({ db: database.db, clock: overrides.clock ?? clock, ids }),
    signer: createSigner(loadSeed('', { mnemonic: MNEMONIC })),
    rates: { current: async () => ({ usd, at: clock.now(), stale: false }) },
    exchanges: new Map(),
    risk: { check: async () => null },
    zeroConf: { isSafe: async () => false },
    log: pino({ level: 'silent' }),
    ...overrides,
    clock: (overrides.clock as TestClock | undefined) ?? clock,
    database,
    close: () => database.close(),
  };
  // Over the whole, so that a test that sets other rates changes the exchange's.
  context.exchanges = overrides.exchanges ?? openExchanges(context);
  Object.assign(
    context,
    openChecks(context),
    overrides.risk && { risk: overrides.risk },
    overrides.zeroConf && { zeroConf: overrides.zeroConf },
  );
  return context;
}
