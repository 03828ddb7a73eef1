import { createHash } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { pino } from 'pino';
import { loadKeys, loadSeed, type PublicKeys } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from '../../src/sandbox/chains.ts';
import { createSandboxSenders } from '../../src/sandbox/send.ts';
import { createSigner } from '@crypto-checkout/chains/signer';
import { createSecrets } from '../../src/account/secrets.ts';
import type { Clock, Context, Ids } from '../../src/context.ts';
import { loadConfig } from '../../src/config.ts';
import { openChecks } from '../../src/risk/open.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { openExchanges } from '../../src/exchange/open.ts';

export interface TestClock extends Clock {
  /** Advances both clocks. */
  advance(ms: number): void;
}

export interface TestContext extends Context {
  clock: TestClock;
  database: TestDatabase;
  /** Drops the database. */
  close(): Promise<void>;
}

/** 2026-11-21T06:00:00Z, the start time of every test. */
export const TEST_START = Date.UTC(2026, 10, 21, 6);

/** A clock that only changes when it is advanced. */
export function testClock(start = TEST_START): TestClock {
  let now = start;
  return { now: () => now, real: () => now, advance: (ms) => void (now += ms) };
}

/** Sequential ids, so that repeated runs use the same ones. */
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

/** The published mnemonic of the test vectors. Tests only. */
const MNEMONIC =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
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
 * Creates a context with its own database: a stopped clock, sequential ids, fixed rates, no
 * network, and sandbox chains with keys of the test mnemonic.
 * @param given its database. Default: a new one
 */
export async function testContext(
  overrides: Partial<Context> = {},
  given?: TestDatabase,
): Promise<TestContext> {
  const database = given ?? (await testDatabase());
  const clock = testClock();
  const usd = new Map(Object.entries(USD).map(([symbol, rate]) => [symbol, parseAmount(rate)]));
  const ids = overrides.ids ?? testIds();
  const context: TestContext = {
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent' }),
    network: 'testnet',
    db: database.db,
    databaseAnswers: async () => true,
    ids,
    secrets: createSecrets(new Uint8Array(32)),
    outbound: () => Promise.reject(new Error('Tests have no network access')),
    chains: createSandboxChains({ db: database.db, keys: (keys ??= testKeys()) }),
    openLateChains: async () => [],
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
  // Created from the final context, so that custom rates apply to the exchange too.
  context.exchanges = overrides.exchanges ?? openExchanges(context);
  Object.assign(
    context,
    openChecks(context),
    overrides.risk && { risk: overrides.risk },
    overrides.zeroConf && { zeroConf: overrides.zeroConf },
  );
  return context;
}
