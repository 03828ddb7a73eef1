import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { ensureFirstStart } from '../../src/account/first-start.ts';
import { sentBody } from '../../src/callback/stored-body.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { loadKeys } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from '../../src/sandbox/chains.ts';
import { payInvoice, type PayRequest } from '../../src/sandbox/pay.ts';
import { createSandboxWorld, type SandboxWorld } from '../../src/sandbox/world.ts';
import { settle } from '../../src/worker/settle.ts';
import type { Context } from '../../src/context.ts';
import { presentTransaction } from '../../src/transaction/present.ts';
import { findTransactions } from '../../src/transaction/views.ts';
import { testContext, type TestContext } from './context.ts';
import type { TestDatabase } from './database.ts';
import { verifyBooks } from '../../src/ledger/verify.ts';
import { createInvoice } from '../../src/invoice/create.ts';
import { presentInvoice } from '../../src/invoice/present.ts';
import { findInvoices } from '../../src/invoice/store.ts';

// Published test mnemonic, for tests only.
const mnemonic =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = loadKeys('', { network: 'testnet', mnemonic });

export type ShownInvoice = ReturnType<typeof presentInvoice>;
export type ShownTransaction = ReturnType<typeof presentTransaction>;

export interface TestShop {
  context: TestContext;
  world: SandboxWorld;
  accountId: string;
  profileId: string;
  /** Creates an invoice. Default: 100 USD in BTC. */
  create(payload?: Record<string, unknown>): Promise<ShownInvoice>;
  get(id: string): Promise<ShownInvoice>;
  /** All transactions of an invoice, oldest first. */
  transactions(invoiceId: string): Promise<ShownTransaction[]>;
  /** This and the following methods process due work and check the ledger. */
  pay(invoiceId: string, how?: Omit<PayRequest, 'invoiceId'>): Promise<string>;
  mine(kind: string, blocks?: number): Promise<void>;
  replace(txid: string, paysUs?: boolean): Promise<string>;
  drop(txid: string): Promise<void>;
  fail(txid: string): Promise<void>;
  reorganise(kind: string, depth: number, drop?: boolean): Promise<void>;
  advance(seconds: number): Promise<void>;
  settle(): Promise<void>;
  /** Events of a resource's callbacks, in order. */
  events(resourceId: string): Promise<string[]>;
  balance(currency: string): Promise<{ pending: string; available: string; frozen: string }>;
  close(): Promise<void>;
}

export interface TestShopOptions {
  chains?: readonly ChainId[];
  overrides?: Partial<Context>;
  /** Default: a new one. */
  database?: TestDatabase;
}

/** A gateway without HTTP: initial account, sandbox chains, a stopped clock. */
export async function testShop({
  chains,
  overrides = {},
  database,
}: TestShopOptions = {}): Promise<TestShop> {
  const adapters = new Map<ChainId, ChainAdapter>();
  const context = await testContext({ chains: adapters, ...overrides }, database);
  for (const [chain, adapter] of createSandboxChains({ db: context.db, keys })) {
    if (chains === undefined || chains.includes(chain)) adapters.set(chain, adapter);
  }
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  const world = createSandboxWorld(context);
  const settleAndCheck = async (): Promise<void> => {
    await settle(context);
    await requireBooks(context);
  };
  const show = async (id: string): Promise<ShownInvoice> => {
    const [view] = await findInvoices(context.db, [id], accountId);
    if (!view) throw new Error(`No invoice ${id}`);
    return presentInvoice(view);
  };
  return {
    context,
    world,
    accountId,
    profileId,
    create: async (payload = {}) =>
      presentInvoice(
        await createInvoice(context, accountId, {
          profile_id: profileId,
          amount: '100',
          currency: 'USD',
          kind: 'BTC',
          ...payload,
        }),
      ),
    get: show,
    transactions: (invoiceId) => transactionsOf(context, invoiceId),
    async pay(invoiceId, how = {}) {
      const { txid } = await payInvoice(context, world, { invoiceId, ...how });
      await settleAndCheck();
      return txid;
    },
    ...chainSteps(world, settleAndCheck),
    async advance(seconds) {
      context.clock.advance(seconds * 1000);
      await settleAndCheck();
    },
    settle: settleAndCheck,
    events: async (resourceId) =>
      (await callbacksOf(context, resourceId)).map(({ event }) => event),
    balance: (currency) => balanceOf(context, currency),
    close: () => context.close(),
  };
}

const chainOf = (kind: string): ChainId => kindOf(kind)?.chain ?? 'bitcoin';

/** Steps of the sandbox chains; after each one the gateway settles. */
function chainSteps(
  world: TestShop['world'],
  settleAndCheck: () => Promise<void>,
): Pick<TestShop, 'mine' | 'replace' | 'drop' | 'fail' | 'reorganise'> {
  return {
    async mine(kind, blocks = 1) {
      await world.mine(chainOf(kind), blocks);
      await settleAndCheck();
    },
    async replace(txid, paysUs = false) {
      const replacement = await world.replace(txid, paysUs);
      await settleAndCheck();
      return replacement.txid;
    },
    async drop(txid) {
      await world.drop(txid);
      await settleAndCheck();
    },
    async fail(txid) {
      await world.fail(txid);
      await settleAndCheck();
    },
    async reorganise(kind, depth, drop = false) {
      await world.reorganise(chainOf(kind), depth, drop);
      await settleAndCheck();
    },
  };
}

async function transactionsOf(context: Context, invoiceId: string): Promise<ShownTransaction[]> {
  const { rows } = await sql<{ id: string }>`
    select id from transaction where invoice_id = ${invoiceId} order by created_at, number`.execute(
    context.db,
  );
  const views = await findTransactions(
    context.db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id }) => presentTransaction(views.find((view) => view.id === id)!));
}

/** Callbacks of a resource in the order of their events. */
export async function callbacksOf(
  context: Context,
  resourceId: string,
): Promise<{ event: string; body: string }[]> {
  const { rows } = await sql<{ event: string; body: string }>`
    select c.event, c.body from (select id, events from invoice union all select id, events from transaction union all select id, events from payout union all select id, events from refund) r
    join callback c on c.resource_id = r.id where r.id = ${resourceId} order by array_position(r.events, c.event)`.execute(
    context.db,
  );
  return rows.map(({ event, body }) => ({ event, body: sentBody(body) }));
}

async function balanceOf(
  context: Context,
  currency: string,
): Promise<{ pending: string; available: string; frozen: string }> {
  const { rows } = await sql<{ bucket: string; amount: string }>`
    select bucket, sum(amount)::text as amount from balance where currency = ${currency} group by bucket`.execute(
    context.db,
  );
  const of = (bucket: string): string =>
    formatAmount(parseAmount(rows.find((row) => row.bucket === bucket)?.amount ?? '0'));
  return { pending: of('pending'), available: of('available'), frozen: of('frozen') };
}

/** Checks the ledger and the invariants of callbacks and addresses. */
export async function requireBooks({ db }: Pick<Context, 'db'>): Promise<void> {
  expect(await verifyBooks(db)).toEqual([]);
  const expectNoRows = async (invariant: string, query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await query.execute(db);
    expect(rows, invariant).toEqual([]);
  };
  await expectNoRows(
    'every event has exactly one callback',
    sql`select * from (select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction
          union all select id, unnest(events) from payout union all select id, unnest(events) from refund) e
        full join (select resource_id as id, event from callback) c using (id, event)
        where c.id is null or e.id is null`,
  );
  await expectNoRows(
    'no event is listed twice',
    sql`select id, event from (select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction
          union all select id, unnest(events) from payout union all select id, unnest(events) from refund) e
        group by id, event having count(*) > 1`,
  );
  await expectNoRows(
    'no two invoices share an address',
    sql`select chain, address, tag from invoice where address is not null group by chain, address, tag having count(*) > 1`,
  );
}

/** Amounts per coin on our sandbox addresses. The wallets must hold the same amounts. */
export async function chainHoldings(
  { db }: Pick<Context, 'db'>,
  states: readonly string[],
): Promise<Map<string, Amount>> {
  const { rows } = await sql<{ asset: string; amount: string }>`
    select o.asset, sum(o.amount)::text as amount from sandbox_output o join sandbox_transaction t using (chain, txid)
    join deposit_target d on d.watch_key = o.watch_key
    where t.state = any(${[...states]}) group by o.asset`.execute(db);
  return new Map(rows.map(({ asset, amount }) => [asset, parseAmount(amount)]));
}
