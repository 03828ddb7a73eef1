import fc from 'fast-check';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentBody } from '../callback/stored-body.ts';
import { presentInvoice } from '../invoice/present.ts';
import { renewInvoice } from '../invoice/renew.ts';
import { INVOICE_MOVES } from '../invoice/state.ts';
import { findInvoices } from '../invoice/store.ts';
import {
  chainHoldings,
  requireBooks,
  testShop,
  type ShownInvoice,
  type TestShop,
} from '../../test/support/shop.ts';
import { presentTransaction } from '../transaction/present.ts';
import { TRANSACTION_MOVES } from '../transaction/state.ts';
import { findTransactions } from '../transaction/views.ts';
import { expireInvoices } from '../settlement/expire-invoices.ts';
import { markUnconfirmedTransactions } from '../settlement/mark-unconfirmed.ts';
import { payInvoice } from '../sandbox/pay.ts';
import { scanChain } from './scan.ts';

const CHAINS = ['bitcoin', 'ethereum'] as const;
const RUNS = 17;
const SEEDS = [20_261_121, 20_261_122, 20_261_123];
/** `npm test` plays a third of the histories, another one each day; `npm run nightly` plays all. */
const sample = process.env['SAMPLE_SEED'];
const seeds =
  sample === undefined ? SEEDS : SEEDS.filter((_, at) => at === Number(sample) % SEEDS.length);
if (seeds.length === 0) throw new Error('SAMPLE_SEED must be a whole number');
if (sample !== undefined) console.log(`random histories: a third of them, SAMPLE_SEED=${sample}`);

/** One event on the chains or in the API. Numbers select among the existing objects. */
type Step =
  | { do: 'pay'; invoice: number; percent: number; kind: 'own' | 'token'; outputs: number }
  | { do: 'mine'; chain: number; blocks: number }
  | { do: 'replace'; transaction: number; paysUs: boolean }
  | { do: 'drop'; transaction: number }
  | { do: 'fail'; transaction: number }
  | { do: 'reorganise'; chain: number; depth: number; drop: boolean }
  | { do: 'advance'; seconds: number }
  | { do: 'renew'; invoice: number; extend: boolean }
  | { do: 'scan twice' };

const pick = fc.nat(99);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      invoice: pick,
      percent: fc.constantFrom(20, 50, 99, 100, 100, 150),
      kind: fc.constantFrom('own' as const, 'own' as const, 'own' as const, 'token' as const),
      outputs: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('mine' as const),
      chain: pick,
      blocks: fc.constantFrom(1, 1, 2, 6, 13),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      transaction: pick,
      paysUs: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), transaction: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), transaction: pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reorganise' as const),
      chain: pick,
      depth: fc.constantFrom(1, 2, 5, 7, 14),
      drop: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      seconds: fc.constantFrom(1, 300, 900, 90_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('renew' as const),
      invoice: pick,
      extend: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scan twice' as const) }) },
);

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: [...CHAINS] });
});
afterAll(() => shop.close());

/** Invoices and transactions before the event, to check their moves. */
interface History {
  statuses: Map<string, string>;
  reported: Set<string>;
}

describe('random histories', () => {
  it.each(seeds)(
    'the ledger balances, states move by their tables, and callbacks equal a GET (seed %i)',
    async (seed) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
          const invoices = [
            await shop.create(),
            await shop.create({ kind: 'ETH', min_confirmations: 3, fee_amount: '0.001' }),
            await shop.create({ kind: 'ETH', amount: undefined }),
          ];
          const history: History = { statuses: new Map(), reported: await reportedCallbacks() };
          for (const next of [
            ...steps,
            { do: 'mine', chain: 0, blocks: 20 },
            { do: 'mine', chain: 1, blocks: 20 },
            { do: 'advance', seconds: 100_000 },
          ] as Step[]) {
            await perform(next, invoices);
            await settleAndCompare(history);
            await requireBooks(shop.context);
            await requireSolvency();
            await requireMoves(history, invoices);
          }
          await requireEnd(invoices);
        }),
        { numRuns: RUNS, seed, endOnFailure: true },
      );
    },
    240_000,
  );
});

async function perform(next: Step, invoices: readonly ShownInvoice[]): Promise<void> {
  const { context, world, accountId } = shop;
  const invoice = 'invoice' in next ? invoices[next.invoice % invoices.length]! : null;
  // An impossible event (no such transaction, wrong state) is refused and changes nothing.
  const refused = (): void => {};
  switch (next.do) {
    case 'pay': {
      const amount = amountOf(invoice!, next.percent);
      const payment =
        next.kind === 'token' && invoice!.kind === 'ETH'
          ? { kind: 'ETH_USDT', amount: '5' }
          : { outputs: Array.from({ length: next.outputs }, () => amount) };
      await payInvoice(context, world, { invoiceId: invoice!.id, ...payment });
      return;
    }
    case 'mine':
      await world.mine(CHAINS[next.chain % 2]!, next.blocks);
      return;
    case 'replace':
      await world.replace(await someTransaction(next.transaction), next.paysUs).catch(refused);
      return;
    case 'drop':
      await world.drop(await someTransaction(next.transaction)).catch(refused);
      return;
    case 'fail':
      // A transaction that is final on its chain cannot fail any more.
      await world.fail(await someTransaction(next.transaction, true)).catch(refused);
      return;
    case 'reorganise':
      await world.reorganise(CHAINS[next.chain % 2]!, next.depth, next.drop).catch(refused);
      return;
    case 'advance':
      context.clock.advance(next.seconds * 1000);
      return;
    case 'renew':
      await renewInvoice(context, accountId, invoice!.id, { extend: next.extend }).catch(refused);
      return;
    case 'scan twice':
      await Promise.all([...CHAINS, ...CHAINS].map((chain) => scanChain(context, chain)));
  }
}

function amountOf(invoice: ShownInvoice, percent: number): string {
  const full = parseAmount(
    invoice.amount.invoiced.amount === '0' ? '0.04' : invoice.amount.invoiced.amount,
  );
  const part = (full * BigInt(percent)) / 100n;
  return formatAmount(part - (part % 10n ** 10n));
}

async function someTransaction(number: number, open = false): Promise<string> {
  const { rows } = await sql<{ txid: string }>`
    select txid from transaction where status = any(${open ? ['pending', 'confirmed'] : ['pending', 'confirmed', 'complete']}::text[])
    order by number desc limit 6`.execute(shop.context.db);
  return rows[number % Math.max(1, rows.length)]?.txid ?? 'none';
}

/** I14: a callback equals a GET at the version that it reports. */
async function settleAndCompare(history: History): Promise<void> {
  const { context } = shop;
  const works = [
    ...CHAINS.map((chain) => () => scanChain(context, chain)),
    () => expireInvoices(context),
    () => markUnconfirmedTransactions(context),
  ];
  for (const work of works) {
    await work();
    const { rows } = await sql<{ id: string; resource: string; resource_id: string; body: string }>`
      select id, resource, resource_id, body from callback where not (id = any(${[...history.reported]}::uuid[]))`.execute(
      context.db,
    );
    for (const { id, resource, resource_id, body } of rows) {
      history.reported.add(id);
      const { result, callback_id } = JSON.parse(sentBody(body)) as {
        result: unknown;
        callback_id: string;
      };
      expect(callback_id).toBe(id);
      if (resource === 'invoice')
        expect(result).toEqual(presentInvoice((await findInvoices(context.db, [resource_id]))[0]!));
      else
        expect(result).toEqual(
          presentTransaction((await findTransactions(context.db, [resource_id]))[0]!),
        );
    }
  }
}

async function reportedCallbacks(): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from callback`.execute(shop.context.db);
  return new Set(rows.map(({ id }) => id));
}

/** I11: wallet balances equal the funds on the chains; frozen amounts are not on the chain. */
async function requireSolvency(): Promise<void> {
  const held = await chainHoldings(shop.context, ['mempool', 'block']);
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, sum(amount)::text as amount from balance where bucket in ('pending', 'available') group by currency`.execute(
    shop.context.db,
  );
  const frozenRows = await sql<{ asset: string; amount: string }>`
    select t.asset, sum(t.amount)::text as amount from transaction t join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
    where t.credit = 'frozen' and s.state in ('mempool', 'block') group by t.asset`.execute(
    shop.context.db,
  );
  for (const asset of new Set([...held.keys(), ...rows.map(({ currency }) => currency)])) {
    const amount = held.get(asset) ?? 0n;
    const booked = parseAmount(rows.find(({ currency }) => currency === asset)?.amount ?? '0');
    const frozen = parseAmount(frozenRows.rows.find((row) => row.asset === asset)?.amount ?? '0');
    expect(formatAmount(booked + frozen), asset).toBe(formatAmount(amount));
  }
}

/** I9: final states stay final. */
async function requireMoves(history: History, invoices: readonly ShownInvoice[]): Promise<void> {
  const ids = invoices.map(({ id }) => id);
  const { rows } = await sql<{ id: string; status: string; what: string; events: string[] }>`
    select id, status, 'invoice' as what, events from invoice where id = any(${ids}::uuid[])
    union all select id, status, 'transaction', events from transaction where invoice_id = any(${ids}::uuid[])`.execute(
    shop.context.db,
  );
  for (const { id, status, what, events } of rows) {
    const before = history.statuses.get(id);
    const table: Readonly<Record<string, readonly string[]>> =
      what === 'invoice' ? INVOICE_MOVES : TRANSACTION_MOVES;
    if (before !== undefined && before !== status)
      expect([what, before, reachable(table, before)]).toEqual([
        what,
        before,
        expect.arrayContaining([status]),
      ]);
    if (events.includes('invoice_complete')) expect(events.at(-1)).toBe('invoice_complete');
    history.statuses.set(id, status);
  }
}

/** Several scans happen between two steps, so several moves may happen. */
function reachable(table: Readonly<Record<string, readonly string[]>>, from: string): string[] {
  const direct = table[from] ?? [];
  return [...new Set([...direct, ...direct.flatMap((to) => table[to] ?? [])])];
}

/** Once everything has confirmed and expired, nothing stays open. */
async function requireEnd(invoices: readonly ShownInvoice[]): Promise<void> {
  const ids = invoices.map(({ id }) => id);
  const { rows } = await sql<{ status: string; credit: string; state: string }>`
    select t.status, t.credit, s.state from transaction t join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
    where t.invoice_id = any(${ids}::uuid[])`.execute(shop.context.db);
  const expected: Readonly<Record<string, readonly [string, string][]>> = {
    block: [['complete', 'available']],
    replaced: [
      ['replaced', 'none'],
      ['complete', 'frozen'],
    ],
    failed: [
      ['failed', 'none'],
      ['complete', 'frozen'],
    ],
    dropped: [
      ['unconfirmed', 'none'],
      ['complete', 'frozen'],
    ],
    mempool: [],
  };
  for (const { status, credit, state } of rows)
    expect(expected[state], `${state}: ${status} ${credit}`).toContainEqual([status, credit]);
  const [fixed, second, reusable] = await Promise.all(invoices.map(({ id }) => shop.get(id)));
  for (const invoice of [fixed, second]) expect(['complete', 'expired']).toContain(invoice?.status);
  expect(reusable?.status).toBe('new');
}
