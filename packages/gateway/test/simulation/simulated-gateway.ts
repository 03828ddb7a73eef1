import { createHash } from 'node:crypto';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { loadKeys } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from '../../src/sandbox/chains.ts';
import { createSandboxSenders } from '../../src/sandbox/send.ts';
import { createSandboxWorld, type SandboxWorld } from '../../src/sandbox/world.ts';
import { scanChain } from '../../src/engine/scan.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { loadConfig } from '../../src/config.ts';
import type { Context, Ids } from '../../src/context.ts';
import { timestamp, transact } from '../../src/database/database.ts';
import { createApp } from '../../src/app.ts';
import type { Env } from '../../src/http/env.ts';
import { UnavailableError } from '../../src/http/error.ts';
import { testAccount, type TestAccount, type TestKey } from '../support/call.ts';
import { killableProcess, type KillableProcess } from '../support/kill.ts';
import { TEST_START, testContext, testIds, type TestContext } from '../support/context.ts';
import { post } from '../../src/ledger/post.ts';
import { databaseDigest } from '../support/database-digest.ts';
import { prepareBaseline, type Baseline } from './baseline.ts';

/**
 * One chain per model: outputs, accounts with tokens, tags, sequential payouts, and instant
 * settlement.
 */
export const SIMULATED_CHAINS = [
  'bitcoin',
  'ethereum',
  'xrp',
  'ton',
  'lightning',
] as const satisfies readonly ChainId[];

/**
 * Fault of a node: it does not respond (`down`), it loses a broadcast (`lost_request`), or it
 * accepts the broadcast and its response is lost (`lost_response`).
 */
export type NodeFault = 'down' | 'lost_request' | 'lost_response';

/** External conditions that a step can change. Each seed starts with the defaults. */
export interface Environment {
  now: number;
  ids: Ids;
  faults: Map<ChainId, NodeFault>;
  /** Exchange rates in percent of the default; null when none are available. */
  ratePercent: number | null;
  /** Network fees in times the default. */
  feeTimes: number;
  /** Delay of payouts to new addresses, in seconds. */
  addressDelaySeconds: number;
  /** Result of the risk analysis; null when it does not respond. */
  risk: 'nothing' | 'high' | null;
  /** Result of the zero-confirmation check. */
  isZeroConfSafe: boolean;
}

/**
 * A gateway on a real database that is driven step by step. Each seed starts from the same state.
 */
export interface SimulatedGateway {
  context: TestContext;
  world: SandboxWorld;
  app: Hono<Env>;
  /** Routes and worker of a process that can crash at any statement. */
  crashing: KillableProcess & { app: Hono<Env> };
  account: TestAccount;
  /** `capped` creates drafts above 500 USD; the other two keys accept nonces in any order. */
  capped: TestKey;
  parallel: TestKey;
  parallelApprove: TestKey;
  environment: Environment;
  /** The latest lines of the log. */
  log: string[];
  /** A digest of all stored data except tables that rejected requests may write (nonces). */
  digest(): Promise<string>;
  /** Restores the initial state. */
  reset(seed: number): Promise<void>;
  close(): Promise<void>;
}

// Published test words without funds.
const mnemonic =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const FUNDS = { BTC: '1', ETH: '20', ETH_USDT: '5000', XRP: '1000', TON: '300' } as const;
const USD: Readonly<Record<string, string>> = { USD: '1', EUR: '1.25', USDT: '1', USDC: '1' };
/** In USD by default. No rate divides another, so every price is rounded. */
export const COINS: Readonly<Record<string, bigint>> = {
  BTC: 50_021n,
  ETH: 2_503n,
  XRP: 3n,
  TON: 7n,
  GRAM: 7n,
};

export async function createSimulatedGateway(): Promise<SimulatedGateway> {
  const environment: Environment = {
    now: TEST_START,
    ids: testIds('simulation'),
    faults: new Map(),
    ...DEFAULT_ENVIRONMENT,
  };
  const lines: string[] = [];
  const adapters = new Map<ChainId, ChainAdapter>();
  const senders = new Map<ChainId, ChainSender>();
  const context = await simulatedContext(environment, { adapters, senders, lines });
  const { db } = context;
  const keys = loadKeys('', { network: 'testnet', mnemonic });
  const adaptersWithoutFaults = createSandboxChains({ db, keys });
  const sendersWithoutFaults = createSandboxSenders({ db, clock: context.clock, ids: context.ids });
  for (const chain of SIMULATED_CHAINS) {
    adapters.set(chain, withFaults(adaptersWithoutFaults.get(chain)!, environment));
    senders.set(chain, senderWithFaults(sendersWithoutFaults.get(chain)!, environment));
  }
  const account = await testAccount(context);
  const capped = await addKey(context, account.api_key_id, { name: 'capped', maxPayout: '500' });
  const parallel = await addKey(context, account.api_key_id, {
    name: 'parallel',
    nonceWindow: true,
  });
  const parallelApprove = await addKey(context, account.approve_key_id, {
    name: 'approve',
    nonceWindow: true,
  });
  await fund(context, account.account_id);
  await sql`update profile_currency set zero_conf_max_amount = ${ZERO_CONF_LIMIT} where kind = 'BTC'`.execute(
    db,
  );
  const world = createSandboxWorld(context);
  await mineFirstBlocks(context, world);
  const baseline = await prepareBaseline(db);
  const crashing = killableProcess(context);
  const gateway: SimulatedGateway = {
    context,
    world,
    app: createApp(context),
    crashing: { ...crashing, app: createApp(crashing.context) },
    account,
    capped,
    parallel,
    parallelApprove,
    environment,
    log: lines,
    digest: await databaseDigest(db, IGNORED),
    reset: (seed) => reset(gateway, baseline, seed),
    async close() {
      await crashing.close();
      await context.close();
    },
  };
  return gateway;
}

/** A context whose clock, ids, rates and checks follow the environment. */
async function simulatedContext(
  environment: Environment,
  parts: {
    adapters: Map<ChainId, ChainAdapter>;
    senders: Map<ChainId, ChainSender>;
    lines: string[];
  },
): Promise<TestContext> {
  const { adapters, senders, lines } = parts;
  const ids: Ids = {
    uuid: () => environment.ids.uuid(),
    bytes: (length) => environment.ids.bytes(length),
  };
  const clock = {
    now: () => environment.now,
    real: () => environment.now,
    advance: (ms: number) => void (environment.now += ms),
  };
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
      return environment.addressDelaySeconds;
    },
  };
  const log = pino(
    { level: 'warn', base: null },
    { write: (line: string) => void lines.splice(0, lines.push(line) - LOG_LINES) },
  );
  return testContext({
    clock,
    ids,
    chains: adapters,
    senders,
    config,
    log,
    rates: { current: () => rates(environment) },
    risk: { check: () => checkRisk(environment) },
    zeroConf: { isSafe: async () => environment.isZeroConfSafe },
  });
}

/** A reorganisation needs blocks to replace. */
async function mineFirstBlocks(context: Context, world: SimulatedGateway['world']): Promise<void> {
  for (const chain of SIMULATED_CHAINS) {
    if (chain === 'lightning') continue;
    await world.mine(chain, INITIAL_BLOCKS);
    await scanChain(context, chain);
  }
}

const LOG_LINES = 5;
const INITIAL_BLOCKS = 13;

/** Maximum amount per invoice that is accepted without a confirmation. */
export const ZERO_CONF_LIMIT = '0.003';

/** External conditions without faults. */
export const DEFAULT_ENVIRONMENT = {
  ratePercent: 100,
  feeTimes: 1,
  addressDelaySeconds: 0,
  risk: 'nothing',
  isZeroConfSafe: true,
} as const;

/** Leases differ between workers, and the other two tables belong to the simulation. */
const IGNORED = ['lease', 'simulation_transition', 'simulation_snapshot'];

async function reset(gateway: SimulatedGateway, baseline: Baseline, seed: number): Promise<void> {
  const { environment, context, crashing } = gateway;
  crashing.surviveFor(Number.POSITIVE_INFINITY);
  await baseline.restore();
  Object.assign(environment, {
    now: TEST_START,
    ids: testIds(`seed ${seed}`),
    ...DEFAULT_ENVIRONMENT,
  });
  environment.faults.clear();
  gateway.log.splice(0);
  // Rate limits use the clock, which was just reset.
  gateway.app = createApp(context);
  crashing.app = createApp(crashing.context);
}

async function rates({ ratePercent, now }: Environment) {
  if (ratePercent === null) throw new UnavailableError('No exchange rates');
  const usd = new Map(Object.entries(USD).map(([symbol, rate]) => [symbol, parseAmount(rate)]));
  for (const [symbol, rate] of Object.entries(COINS))
    usd.set(symbol, (rate * BigInt(ratePercent) * 10n ** 18n) / 100n);
  return { usd, at: now, stale: false };
}

async function checkRisk({ risk }: Environment) {
  if (risk === null) throw new Error('The risk analysis does not respond');
  return risk === 'nothing' ? null : { level: risk, data: {}, quarantine: true };
}

/** An adapter whose node can fail. */
function withFaults(adapter: ChainAdapter, { faults }: Environment): ChainAdapter {
  return {
    ...adapter,
    scan: async (...args) => {
      if (faults.get(adapter.chain) === 'down') throw new Error('The node does not respond');
      return adapter.scan(...args);
    },
  };
}

function senderWithFaults(
  sender: ChainSender,
  environment: Pick<Environment, 'faults' | 'feeTimes'>,
): ChainSender {
  const { faults } = environment;
  const failWhenDown = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (faults.get(sender.chain) === 'down')
        throw new UnavailableError('The node does not respond');
      return work(...args);
    };
  };
  const { sweeping } = sender;
  return {
    ...sender,
    ...(sweeping && {
      sweeping: {
        ...sweeping,
        from: (deposit) => senderWithFaults(sweeping.from(deposit), environment),
      },
    }),
    // Reserves more than the final fee, like most real networks.
    estimate: failWhenDown(async (request) => {
      const usual = await sender.estimate(request);
      const fee = usual.fee * BigInt(environment.feeTimes);
      return { fee, reserve: fee * 2n };
    }),
    plan: failWhenDown(sender.plan),
    lookUp: failWhenDown(async (sent) => {
      const status = await sender.lookUp(sent);
      return status.state === 'block' && status.fee !== null
        ? { ...status, fee: status.fee / 2n }
        : status;
    }),
    async broadcast(raw) {
      const fault = faults.get(sender.chain);
      const result =
        fault === undefined || fault === 'lost_response' ? await sender.broadcast(raw) : null;
      return fault === undefined && result !== null
        ? result
        : { result: 'unknown', reason: 'The node does not respond' };
    },
  };
}

interface NewKey {
  name: string;
  maxPayout?: string;
  nonceWindow?: boolean;
}

async function addKey(
  { db, secrets, ids }: Context,
  templateId: string,
  { name, maxPayout, nonceWindow }: NewKey,
): Promise<TestKey> {
  const id = ids.uuid();
  const key = { key: `ck_${name}`, secret: createHash('sha256').update(name).digest('hex') };
  await sql`
    insert into api_key (account_id, id, api_key, secret_sealed, name, created_by, created_at, updated_at, permissions, max_payout, nonce_window)
    select account_id, ${id}, ${key.key}, ${secrets.seal(key.secret, id)}, ${name}, created_by, created_at, updated_at, permissions,
      ${maxPayout ?? null}::numeric, ${nonceWindow ?? false}
    from api_key where id = ${templateId}`.execute(db);
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
