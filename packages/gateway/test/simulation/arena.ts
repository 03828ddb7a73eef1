import { createHash } from 'node:crypto';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import { loadKeys } from '../../src/chain/keys.ts';
import { createSandboxChains } from '../../src/chain/sandbox/chains.ts';
import { createSandboxSenders } from '../../src/chain/sandbox/send.ts';
import { createSandboxWorld, type SandboxWorld } from '../../src/chain/sandbox/world.ts';
import { scanChain } from '../../src/chain/scan.ts';
import type { ChainSender } from '../../src/chain/sender.ts';
import { loadConfig } from '../../src/config.ts';
import type { Context, Ids } from '../../src/context.ts';
import { timestamp, transact } from '../../src/database/database.ts';
import { createApp } from '../../src/http/app.ts';
import type { Env } from '../../src/http/env.ts';
import { UnavailableError } from '../../src/http/error.ts';
import { testAccount, type TestAccount, type TestKey } from '../../src/http/test-call.ts';
import { mortal, type Mortal } from '../../src/payout/test-kill.ts';
import { TEST_START, testContext, testIds, type TestContext } from '../../src/test-context.ts';
import { post } from '../../src/wallet/post.ts';
import { databaseDigest } from '../database-digest.ts';
import { prepareBaseline, type Baseline } from './baseline.ts';

/** What takes part: outputs, accounts with tokens, tags, payouts in turn, and payments that settle at once. */
export const ARENA_CHAINS = ['bitcoin', 'ethereum', 'xrp', 'ton', 'lightning'] as const satisfies readonly ChainId[];

/** A node that answers nothing; one that does not hear what is sent, and one that takes it: neither says what became of it. */
export type Trouble = 'away' | 'deaf' | 'mute';

/** What can be changed about the world outside, and is at rest again when a seed begins. */
export interface Weather {
  now: number;
  ids: Ids;
  down: Map<ChainId, Trouble>;
  /** Percent of the usual price; null while none can be had. */
  price: number | null;
  /** Seconds that a payout to a new address waits. */
  addressDelay: number;
  /** What is found about a payment; null while the analysis does not answer. */
  risk: 'nothing' | 'high' | null;
  /** Whether payments without a block are believed. */
  safe: boolean;
}

/** A gateway on a real database, driven step by step: one seed at a time, each from the same beginning. */
export interface Arena {
  context: TestContext;
  world: SandboxWorld;
  app: Hono<Env>;
  /** Routes of a process that dies on demand, and its worker. */
  doomed: Mortal & { app: Hono<Env> };
  account: TestAccount;
  /** A key whose payouts above 500 USD are drafts, and two that take requests in any order. */
  capped: TestKey;
  parallel: TestKey;
  parallelApprove: TestKey;
  weather: Weather;
  /** The last lines of the log. */
  log: string[];
  /** One value for all that is stored, whatever a refused request may write (nonces) left out. */
  digest(): Promise<string>;
  /** Back to the beginning. */
  reset(seed: number): Promise<void>;
  close(): Promise<void>;
}

// Published test words; nothing but tests has them.
const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const FUNDS = { BTC: '1', ETH: '20', ETH_USDT: '5000', XRP: '1000', TON: '300' } as const;
const USD: Readonly<Record<string, string>> = { USD: '1', EUR: '1.25', USDT: '1', USDC: '1' };
/** In dollars, at the usual price; none divides another, so that every price is rounded. */
export const COINS: Readonly<Record<string, bigint>> = { BTC: 50_021n, ETH: 2_503n, XRP: 3n, TON: 7n, GRAM: 7n };

export async function createArena(): Promise<Arena> {
  const weather: Weather = { now: TEST_START, ids: testIds('arena'), down: new Map(), ...FAIR };
  const ids: Ids = { uuid: () => weather.ids.uuid(), bytes: (length) => weather.ids.bytes(length) };
  const clock = { now: () => weather.now, real: () => weather.now, advance: (ms: number) => void (weather.now += ms) };
  const adapters = new Map<ChainId, ChainAdapter>();
  const senders = new Map<ChainId, ChainSender>();
  const settings = loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_RPS: '1000000',
    RATE_LIMIT_BURST: '1000000',
    CALLBACK_URL: 'https://shop.example/callbacks',
  });
  const config = {
    ...settings,
    get payoutAddressDelaySeconds() {
      return weather.addressDelay;
    },
  };
  const lines: string[] = [];
  const log = pino({ level: 'warn', base: null }, { write: (line: string) => void lines.splice(0, lines.push(line) - LOG_LINES) });
  const context = await testContext({
    clock,
    ids,
    chains: adapters,
    senders,
    config,
    log,
    rates: { current: () => rates(weather) },
    risk: { check: () => analysis(weather) },
    zeroConf: { isSafe: async () => weather.safe },
  });
  const { db } = context;
  const keys = loadKeys('', { network: 'testnet', mnemonic });
  const simulated = createSandboxChains({ db, keys });
  const sending = createSandboxSenders({ db, clock, ids });
  for (const chain of ARENA_CHAINS) {
    adapters.set(chain, shaky(simulated.get(chain)!, weather));
    senders.set(chain, shakySender(sending.get(chain)!, weather));
  }
  const account = await testAccount(context);
  const capped = await addKey(context, account.api_key_id, { name: 'capped', maxPayout: '500' });
  const parallel = await addKey(context, account.api_key_id, { name: 'parallel', nonceWindow: true });
  const parallelApprove = await addKey(context, account.approve_key_id, { name: 'approve', nonceWindow: true });
  await fund(context, account.account_id);
  await sql`update profile_currency set zero_conf_max_amount = ${ZERO_CONF_MOST} where kind = 'BTC'`.execute(db);
  const world = createSandboxWorld(context);
  // So that a reorganisation has something to replace.
  for (const chain of ARENA_CHAINS) {
    if (chain === 'lightning') continue;
    await world.mine(chain, DEEPEST);
    await scanChain(context, chain);
  }
  const baseline = await prepareBaseline(db);
  const doomed = mortal(context);
  const arena: Arena = {
    context,
    world,
    app: createApp(context),
    doomed: { ...doomed, app: createApp(doomed.context) },
    account,
    capped,
    parallel,
    parallelApprove,
    weather,
    log: lines,
    digest: await databaseDigest(db, IGNORED),
    reset: (seed) => reset(arena, baseline, seed),
    async close() {
      await doomed.close();
      await context.close();
    },
  };
  return arena;
}

const LOG_LINES = 5;
const DEEPEST = 13;

/** What is believed without a block, of one invoice. */
export const ZERO_CONF_MOST = '0.003';

/** How it is when nothing is the matter. */
export const FAIR = { price: 100, addressDelay: 0, risk: 'nothing', safe: true } as const;

/** Leases are about who works, not about what is; our own notes are about the rest. */
const IGNORED = ['lease', 'simulation_move', 'simulation_told'];

async function reset(arena: Arena, baseline: Baseline, seed: number): Promise<void> {
  const { weather, context, doomed } = arena;
  doomed.live(Number.POSITIVE_INFINITY);
  await baseline.restore();
  Object.assign(weather, { now: TEST_START, ids: testIds(`seed ${seed}`), ...FAIR });
  weather.down.clear();
  arena.log.splice(0);
  // Their limits count by a clock that was just put back.
  arena.app = createApp(context);
  doomed.app = createApp(doomed.context);
}

async function rates({ price, now }: Weather) {
  if (price === null) throw new UnavailableError('No rates');
  const usd = new Map(Object.entries(USD).map(([symbol, rate]) => [symbol, parseAmount(rate)]));
  for (const [symbol, rate] of Object.entries(COINS)) usd.set(symbol, (rate * BigInt(price) * 10n ** 18n) / 100n);
  return { usd, at: now, stale: false };
}

async function analysis({ risk }: Weather) {
  if (risk === null) throw new Error('The analysis does not answer');
  return risk === 'nothing' ? null : { level: risk, data: {}, quarantine: true };
}

/** A node that sometimes does not answer. */
function shaky(adapter: ChainAdapter, { down }: Weather): ChainAdapter {
  return {
    ...adapter,
    scan: async (...look) => {
      if (down.get(adapter.chain) === 'away') throw new Error('The node does not answer');
      return adapter.scan(...look);
    },
  };
}

function shakySender(sender: ChainSender, { down }: Pick<Weather, 'down'>): ChainSender {
  const asked = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (down.get(sender.chain) === 'away') throw new UnavailableError('The node does not answer');
      return work(...args);
    };
  };
  const { consolidation } = sender;
  return {
    ...sender,
    ...(consolidation && { consolidation: { ...consolidation, from: (place) => shakySender(consolidation.from(place), { down }) } }),
    // More than it will take, as most networks want it.
    estimate: asked(async (request) => {
      const { fee } = await sender.estimate(request);
      return { fee, reserve: fee * 2n };
    }),
    plan: asked(sender.plan),
    lookUp: asked(async (sent) => {
      const fate = await sender.lookUp(sent);
      return fate.state === 'block' && fate.fee !== null ? { ...fate, fee: fate.fee / 2n } : fate;
    }),
    async broadcast(raw) {
      const trouble = down.get(sender.chain);
      const answer = trouble === undefined || trouble === 'mute' ? await sender.broadcast(raw) : null;
      return trouble === undefined && answer !== null ? answer : { result: 'unknown', reason: 'The node does not answer' };
    },
  };
}

interface NewKey {
  name: string;
  maxPayout?: string;
  nonceWindow?: boolean;
}

async function addKey({ db, secrets, ids }: Context, like: string, { name, maxPayout, nonceWindow }: NewKey): Promise<TestKey> {
  const id = ids.uuid();
  const key = { key: `ck_${name}`, secret: createHash('sha256').update(name).digest('hex') };
  await sql`
    insert into api_key (account_id, id, api_key, secret_sealed, name, created_by, created_at, updated_at, permissions, max_payout, nonce_window)
    select account_id, ${id}, ${key.key}, ${secrets.seal(key.secret, id)}, ${name}, created_by, created_at, updated_at, permissions,
      ${maxPayout ?? null}::numeric, ${nonceWindow ?? false}
    from api_key where id = ${like}`.execute(db);
  return key;
}

async function fund({ db, ids, clock }: Context, accountId: string): Promise<void> {
  for (const [currency, text] of Object.entries(FUNDS)) {
    const { wallet_id: walletId } = await db
      .selectFrom('profile_currency')
      .select('wallet_id')
      .where('kind', '=', currency)
      .executeTakeFirstOrThrow();
    const amount = parseAmount(text);
    await transact(db, (trx) =>
      post(trx, {
        accountId,
        reason: 'test_funds',
        resourceId: ids.uuid(),
        at: timestamp(clock.now()),
        lines: [
          { book: 'wallet', walletId, bucket: 'available', currency, amount },
          { book: 'chain', currency, amount: -amount },
        ],
      }),
    );
  }
}
