import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { ensureFirstStart } from '../account/first-start.ts';
import { sentBody } from '../callback/stored-body.ts';
import type { ChainAdapter } from '../chain/adapter.ts';
import { loadKeys } from '../chain/keys.ts';
import { createSandboxChains } from '../chain/sandbox/chains.ts';
import { payInvoice, type PayRequest } from '../chain/sandbox/pay.ts';
import { createSandboxWorld, type SandboxWorld } from '../chain/sandbox/world.ts';
import { settle } from '../chain/scan.ts';
import type { Context } from '../context.ts';
import { presentTransaction } from '../transaction/present.ts';
import { findTransactions } from '../transaction/store.ts';
import { testContext, type TestContext } from '../test-context.ts';
import { verifyBooks } from '../wallet/verify.ts';
import { createInvoice } from './create.ts';
import { presentInvoice } from './present.ts';
import { findInvoices } from './store.ts';

// Published test words; nothing but tests has them.
const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = loadKeys('', { network: 'testnet', mnemonic });

export type ShownInvoice = ReturnType<typeof presentInvoice>;
export type ShownTransaction = ReturnType<typeof presentTransaction>;

export interface TestShop {
  context: TestContext;
  world: SandboxWorld;
  accountId: string;
  profileId: string;
  /** Creates an invoice: 100 USD in BTC, unless told otherwise. */
  create(payload?: Record<string, unknown>): Promise<ShownInvoice>;
  get(id: string): Promise<ShownInvoice>;
  /** All transactions of an invoice, oldest first. */
  transactions(invoiceId: string): Promise<ShownTransaction[]>;
  /** Each of these settles what it makes due and checks the books. */
  pay(invoiceId: string, how?: Omit<PayRequest, 'invoiceId'>): Promise<string>;
  mine(kind: string, blocks?: number): Promise<void>;
  replace(txid: string, paysUs?: boolean): Promise<string>;
  drop(txid: string): Promise<void>;
  fail(txid: string): Promise<void>;
  reorganise(kind: string, depth: number, drop?: boolean): Promise<void>;
  advance(seconds: number): Promise<void>;
  settle(): Promise<void>;
  /** Events that were told about a resource, in order. */
  events(resourceId: string): Promise<string[]>;
  balance(currency: string): Promise<{ pending: string; available: string; frozen: string }>;
  close(): Promise<void>;
}

export interface TestShopOptions {
  chains?: readonly ChainId[];
  overrides?: Partial<Context>;
}

/** A gateway without HTTP: first start, sandbox chains, a clock that stands still. */
export async function testShop({ chains, overrides = {} }: TestShopOptions = {}): Promise<TestShop> {
  const adapters = new Map<ChainId, ChainAdapter>();
  const context = await testContext({ chains: adapters, ...overrides });
  for (const [chain, adapter] of createSandboxChains({ db: context.db, keys })) {
    if (chains === undefined || chains.includes(chain)) adapters.set(chain, adapter);
  }
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  const world = createSandboxWorld(context);
  const chainOf = (kind: string): ChainId => kindOf(kind)?.chain ?? 'bitcoin';
  const settled = async (): Promise<void> => {
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
        await createInvoice(context, accountId, { profile_id: profileId, amount: '100', currency: 'USD', kind: 'BTC', ...payload }),
      ),
    get: show,
    transactions: (invoiceId) => transactionsOf(context, invoiceId),
    async pay(invoiceId, how = {}) {
      const { txid } = await payInvoice(context, world, { invoiceId, ...how });
      await settled();
      return txid;
    },
    async mine(kind, blocks = 1) {
      await world.mine(chainOf(kind), blocks);
      await settled();
    },
    async replace(txid, paysUs = false) {
      const replacement = await world.replace(txid, paysUs);
      await settled();
      return replacement.txid;
    },
    async drop(txid) {
      await world.drop(txid);
      await settled();
    },
    async fail(txid) {
      await world.fail(txid);
      await settled();
    },
    async reorganise(kind, depth, drop = false) {
      await world.reorganise(chainOf(kind), depth, drop);
      await settled();
    },
    async advance(seconds) {
      context.clock.advance(seconds * 1000);
      await settled();
    },
    settle: settled,
    events: async (resourceId) => (await callbacksOf(context, resourceId)).map(({ event }) => event),
    balance: (currency) => balanceOf(context, currency),
    close: () => context.close(),
  };
}

async function transactionsOf(context: Context, invoiceId: string): Promise<ShownTransaction[]> {
  const { rows } = await sql<{ id: string }>`
    select id from transaction where invoice_id = ${invoiceId} order by created_at, number`.execute(context.db);
  const views = await findTransactions(
    context.db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id }) => presentTransaction(views.find((view) => view.id === id)!));
}

/** Callbacks of a resource, in the order in which their events happened. */
export async function callbacksOf(context: Context, resourceId: string): Promise<{ event: string; body: string }[]> {
  const { rows } = await sql<{ event: string; body: string }>`
    select c.event, c.body from (select id, events from invoice union all select id, events from transaction union all select id, events from payout) r
    join callback c on c.resource_id = r.id where r.id = ${resourceId} order by array_position(r.events, c.event)`.execute(context.db);
  return rows.map(({ event, body }) => ({ event, body: sentBody(body) }));
}

async function balanceOf(context: Context, currency: string): Promise<{ pending: string; available: string; frozen: string }> {
  const { rows } = await sql<{ bucket: string; amount: string }>`
    select bucket, sum(amount)::text as amount from balance where currency = ${currency} group by bucket`.execute(context.db);
  const of = (bucket: string): string => formatAmount(parseAmount(rows.find((row) => row.bucket === bucket)?.amount ?? '0'));
  return { pending: of('pending'), available: of('available'), frozen: of('frozen') };
}

/** The books after every step: what must hold whatever happened, the money and what was told about it (invariants I1 to I6, I8 and I13). */
export async function requireBooks({ db }: Pick<Context, 'db'>): Promise<void> {
  expect(await verifyBooks(db)).toEqual([]);
  const none = async (what: string, query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await query.execute(db);
    expect(rows, what).toEqual([]);
  };
  await none(
    'I8: every event has exactly one callback',
    sql`select * from (select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction
          union all select id, unnest(events) from payout) e
        full join (select resource_id as id, event from callback) c using (id, event)
        where c.id is null or e.id is null`,
  );
  await none(
    'I8: no event is listed twice',
    sql`select id, event from (select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction
          union all select id, unnest(events) from payout) e
        group by id, event having count(*) > 1`,
  );
  await none(
    'I13: no two invoices share an address',
    sql`select chain, address, tag from invoice where address is not null group by chain, address, tag having count(*) > 1`,
  );
}

/** What the world's chains hold for us, per coin: what the wallets must hold, whatever became of invoices. */
export async function chainHoldings({ db }: Pick<Context, 'db'>, states: readonly string[]): Promise<Map<string, Amount>> {
  const { rows } = await sql<{ asset: string; amount: string }>`
    select o.asset, sum(o.amount)::text as amount from sandbox_output o join sandbox_transaction t using (chain, txid)
    join deposit_target d on d.watch_key = o.watch_key
    where t.state = any(${[...states]}) group by o.asset`.execute(db);
  return new Map(rows.map(({ asset, amount }) => [asset, parseAmount(amount)]));
}
