import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { takeLease } from '../database/lease.ts';
import { expireInvoices } from '../settlement/expire-invoices.ts';
import {
  requireBooks,
  testShop,
  type ShownInvoice,
  type TestShop,
} from '../../test/support/shop.ts';
import { assignMoney, dismissMoney } from '../unassigned/assign.ts';
import { listUnlisted } from '../unassigned/unlisted-tokens.ts';
import { listUnassigned } from '../unassigned/store.ts';
import type {
  ChainAdapter,
  Observation,
  ScanEvent,
  ScanResult,
} from '@crypto-checkout/chains/adapter';
import { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import { readChainStates } from '../http/monitoring/chain-state.ts';
import { scanChain } from './scan.ts';

let shop: TestShop;
/** Results of the next scans of bitcoin, in order; then none. */
let script: Partial<ScanResult>[];
let opened: string[][];
let watched: readonly string[];

beforeEach(async () => {
  shop = await testShop({ chains: ['bitcoin'] });
  script = [];
  opened = [];
  const sandbox = shop.context.chains.get('bitcoin')!;
  const scripted: ChainAdapter = {
    ...sandbox,
    scan: async (cursor, match, { open, watched: payable }) => {
      opened.push(open.map(({ key }) => key));
      watched = await payable!();
      const next = script.shift();
      const tip = next?.tip ?? cursor?.height ?? 100;
      const events = next?.events ?? [];
      const scanned = events.flatMap((event) =>
        event.type === 'observed' ? [event.observation.watchKey] : [],
      );
      const owned = await match(scanned);
      return {
        events: events.filter(
          (event) => event.type !== 'observed' || owned.has(event.observation.watchKey),
        ),
        tip,
        cursor: next?.cursor ?? { height: tip, hash: `block ${tip}`, ring: [] },
        caughtUp: next?.caughtUp ?? true,
      };
    },
  };
  (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', scripted);
});
afterEach(() => shop.close());

async function keyOf({ id }: ShownInvoice): Promise<string> {
  const { watch_key } = await shop.context.db
    .selectFrom('deposit_target')
    .select('watch_key')
    .where('invoice_id', '=', id)
    .executeTakeFirstOrThrow();
  return watch_key;
}

function observed(watchKey: string, more: Partial<Observation> = {}): ScanEvent {
  const observation: Observation = {
    key: 'tx1:0',
    txid: 'tx1',
    asset: 'BTC',
    watchKey,
    amount: parseAmount('0.002'),
    block: null,
    conflicts: ['out:0'],
    ...more,
  };
  return { type: 'observed', observation };
}

const inBlock = (height: number, hash = `block ${height}`): Pick<Observation, 'block'> => ({
  block: { height, hash, time: shop.context.clock.now() },
});

async function find(...events: ScanEvent[]): Promise<void> {
  script.push({ events });
  await scanChain(shop.context, 'bitcoin');
  await requireBooks(shop.context);
}

async function findAt(tip: number, ...events: ScanEvent[]): Promise<void> {
  script.push({ tip, events });
  await scanChain(shop.context, 'bitcoin');
  await requireBooks(shop.context);
}

/** Everything that the engine writes. */
async function everything(): Promise<unknown[]> {
  const tables = [
    'invoice',
    'transaction',
    'posting',
    'balance',
    'callback',
    'alarm',
    'unassigned',
  ] as const;
  const rows: unknown[] = [];
  for (const table of tables)
    rows.push(
      (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(shop.context.db)).rows,
    );
  return rows;
}

describe('observations', () => {
  it('repeated change nothing, not even a version', async () => {
    const watchKey = await keyOf(await shop.create());
    for (const events of [
      [observed(watchKey)],
      [observed(watchKey, inBlock(101))],
      [
        { type: 'rollback', toHeight: 100 },
        { type: 'gone', key: 'tx1:0' },
      ],
      [{ type: 'conflict', key: 'tx1:0', by: 'tx2' }],
      [
        {
          type: 'unexplained',
          unexplained: {
            key: 'u:0',
            txid: null,
            asset: 'BTC',
            address: 'a',
            amount: 1n,
            reason: 'r',
            height: 1,
          },
        },
      ],
    ] satisfies ScanEvent[][]) {
      await findAt(101, ...events);
      const before = await everything();
      await findAt(101, ...events);
      await findAt(101, ...events, ...events);
      expect(await everything()).toEqual(before);
    }
  });

  it('repeated three times in one scan are one payment', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await findAt(101, observed(watchKey), observed(watchKey), observed(watchKey, inBlock(101)));
    expect(await shop.transactions(invoice.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await shop.balance('BTC')).toEqual({ pending: '0', available: '0.002', frozen: '0' });
  });

  it.each([
    ['less', '0.0019'],
    ['more', '0.0025'],
  ])('in a block count with %s than the mempool showed', async (_, amount) => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await find(observed(watchKey));
    expect(await shop.balance('BTC')).toEqual({ pending: '0.002', available: '0', frozen: '0' });
    // A token can take a fee of each transfer; only the block shows it.
    const moved = { ...inBlock(101), amount: parseAmount(amount) };
    await findAt(101, observed(watchKey, moved));
    await findAt(101, observed(watchKey, moved));
    expect(await shop.balance('BTC')).toEqual({ pending: '0', available: amount, frozen: '0' });
    expect(await shop.transactions(invoice.id)).toMatchObject([
      { status: 'confirmed', amount: { paid: { amount } } },
    ]);
    await findAt(106, observed(watchKey, moved));
    expect((await shop.get(invoice.id)).status).toBe(amount === '0.0025' ? 'complete' : 'pending');
  });

  it('of unlisted tokens are listed and credit nothing', async () => {
    const watchKey = await keyOf(await shop.create());
    const transfer = {
      key: '0x1:0',
      txid: '0x1',
      contract: '0xaa',
      watchKey,
      units: 5n,
      height: 101,
    };
    await find({ type: 'unlisted', transfer });
    await find({ type: 'unlisted', transfer });
    expect(await listUnlisted(shop.context.db, 10)).toMatchObject([
      { contract: '0xaa', units: '5', txid: '0x1' },
    ]);
    expect(await shop.balance('BTC')).toEqual({ pending: '0', available: '0', frozen: '0' });
  });

  it('of unknown watch keys are ignored', async () => {
    await find(
      { type: 'gone', key: 'nobody:0' },
      { type: 'conflict', key: 'nobody:1', by: 'x' },
      { type: 'failed', key: 'nobody:2', reason: 'x' },
      { type: 'rollback', toHeight: 0 },
    );
    expect(await shop.balance('BTC')).toEqual({ pending: '0', available: '0', frozen: '0' });
  });

  it('of unassigned funds, read again once an invoice has the address, credit the invoice', async () => {
    const unexplained = {
      key: 'tx1:0',
      txid: 'tx1',
      asset: 'BTC',
      address: 'a',
      amount: parseAmount('0.002'),
      reason: 'no such tag',
      height: 1,
    };
    await find({ type: 'unexplained', unexplained });
    const invoice = await shop.create();
    await find(observed(await keyOf(invoice)));
    expect(await shop.transactions(invoice.id)).toMatchObject([{ status: 'pending' }]);
    expect(await listUnassigned(shop.context.db, { settled: false, limit: 10 })).toEqual([]);
  });

  it.each(['put to a wallet', 'dismissed'])(
    'of funds that were %s are not credited again',
    async (what) => {
      const unexplained = {
        key: 'tx1:0',
        txid: 'tx1',
        asset: 'BTC',
        address: 'a',
        amount: parseAmount('0.002'),
        reason: 'no such tag',
        height: 1,
      };
      await find({ type: 'unexplained', unexplained });
      const [waiting] = await listUnassigned(shop.context.db, { settled: false, limit: 10 });
      const settlement = { id: waiting!.id, reason: 'The buyer wrote', by: 'ada' };
      if (what === 'dismissed') await dismissMoney(shop.context, settlement);
      else await assignMoney(shop.context, { ...settlement, accountId: shop.accountId });
      const invoice = await shop.create();
      await find(observed(await keyOf(invoice)));
      expect(await shop.transactions(invoice.id)).toEqual([]);
      expect((await shop.balance('BTC')).available).toBe(what === 'dismissed' ? '0' : '0.002');
    },
  );

  it('of a zero transfer are no payment', async () => {
    const invoice = await shop.create();
    await find(observed(await keyOf(invoice), { amount: 0n }));
    expect(await shop.transactions(invoice.id)).toEqual([]);
  });

  it('of a payment mined again in another block move it there', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await findAt(101, observed(watchKey, inBlock(101)));
    await findAt(
      103,
      { type: 'rollback', toHeight: 100 },
      observed(watchKey, { ...inBlock(103, 'other'), conflicts: ['out:7'] }),
    );
    expect(await shop.transactions(invoice.id)).toMatchObject([
      { status: 'confirmed', confirmations: 1 },
    ]);
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  it('of a payment mined under another index are another payment, and the old one is gone', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await findAt(101, observed(watchKey, inBlock(101)));
    await findAt(
      102,
      { type: 'rollback', toHeight: 100 },
      observed(watchKey, { key: 'tx1:5', ...inBlock(102) }),
      {
        type: 'gone',
        key: 'tx1:0',
      },
    );
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.002');
    expect(await shop.balance('BTC')).toEqual({ pending: '0', available: '0.002', frozen: '0' });
  });

  it('of a block restore a payment that was thought replaced', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await find(observed(watchKey));
    await find({ type: 'conflict', key: 'tx1:0', by: 'tx2' });
    expect(await shop.transactions(invoice.id)).toMatchObject([{ status: 'replaced' }]);
    await findAt(101, observed(watchKey, inBlock(101)));
    expect(await shop.transactions(invoice.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await shop.balance('BTC')).toMatchObject({ available: '0.002' });
  });

  it('of a rollback and the same block again are no reorganisation', async () => {
    const watchKey = await keyOf(await shop.create());
    await findAt(101, observed(watchKey, inBlock(101)));
    const before = await everything();
    await findAt(101, { type: 'rollback', toHeight: 100 }, observed(watchKey, inBlock(101)));
    expect(await everything()).toEqual(before);
  });
});

describe('depths', () => {
  it('grow with every block, without an event', async () => {
    const invoice = await shop.create({ min_confirmations: 4 });
    await findAt(101, observed(await keyOf(invoice), inBlock(101)));
    await findAt(102);
    await findAt(103);
    expect(await shop.transactions(invoice.id)).toMatchObject([
      { status: 'pending', confirmations: 3 },
    ]);
    const [shown] = (await shop.get(invoice.id)).transactions;
    expect(shown?.confirmations).toBe(3);
    await findAt(104);
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  it('are reached in one step after a long pause', async () => {
    const invoice = await shop.create();
    await findAt(500, observed(await keyOf(invoice), inBlock(101)));
    expect((await shop.get(invoice.id)).status).toBe('complete');
    expect(await shop.events(invoice.id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });
});

describe('an adapter', () => {
  it('receives open and frozen transactions', async () => {
    const watchKey = await keyOf(await shop.create());
    await findAt(101, observed(watchKey, inBlock(101)));
    await findAt(102);
    await findAt(106);
    await findAt(107);
    await findAt(102, { type: 'rollback', toHeight: 100 });
    await findAt(102);
    expect(opened).toEqual([[], ['tx1:0'], ['tx1:0'], [], [], ['tx1:0']]);
  });

  it('can ask for the keys that can be paid now', async () => {
    const invoice = await shop.create();
    await findAt(101);
    expect(watched).toEqual([await keyOf(invoice)]);
  });

  it('is called again until the tip is reached', async () => {
    const invoice = await shop.create();
    script.push(
      { tip: 110, caughtUp: false },
      { tip: 110, caughtUp: false, events: [observed(await keyOf(invoice), inBlock(105))] },
      { tip: 110 },
    );
    await scanChain(shop.context, 'bitcoin');
    expect(script).toEqual([]);
    expect((await shop.get(invoice.id)).status).toBe('complete');
  });
});

describe('a replacing payment', () => {
  beforeEach(async () => {
    shop.context.zeroConf = { covers: () => true, isSafe: () => Promise.resolve(true) };
    await sql`update profile_currency set zero_conf_max_amount = '1'`.execute(shop.context.db);
  });
  const first = { key: 'tx1:0', txid: 'tx1' };
  const second = { key: 'tx2:0', txid: 'tx2', conflicts: ['out:9', 'out:0'] };
  const zeroConfOf = async (id: string) =>
    (await shop.transactions(id)).map((row) => [row.txid, row.zero_conf_status]);

  it('is accepted without a confirmation if nothing was replaced', async () => {
    const invoice = await shop.create({ zero_conf_enabled: true });
    await find(observed(await keyOf(invoice), first));
    expect(await zeroConfOf(invoice.id)).toEqual([['tx1', 'confirmed']]);
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  describe.each([
    ['an invoice', '100'],
    ['a reusable address', undefined],
  ])('of %s', (_, amount) => {
    it.each<[string, string[]]>([
      ['less', ['0.00199999']],
      ['the same', ['0.002']],
      ['a satoshi more', ['0.00200001']],
      ['in several outputs', ['0.001', '0.001', '0.002']],
    ])('by %s waits for its block', async (__, amounts) => {
      const invoice = await shop.create({ zero_conf_enabled: true, amount });
      const watchKey = await keyOf(invoice);
      await find(observed(watchKey, first));
      const outputs = amounts.map((text, at) =>
        observed(watchKey, { ...second, key: `tx2:${at}`, amount: parseAmount(text) }),
      );
      await find({ type: 'conflict', key: 'tx1:0', by: 'tx2' }, ...outputs);
      expect(await zeroConfOf(invoice.id)).toEqual([
        ['tx1', 'unconfirmed'],
        ...amounts.map(() => ['tx2', 'unconfirmed']),
      ]);
      expect((await shop.get(invoice.id)).status).not.toBe('paid');
      await findAt(
        101,
        ...outputs.map((event) =>
          event.type === 'observed'
            ? observed(watchKey, { ...event.observation, ...inBlock(101) })
            : event,
        ),
      );
      expect((await shop.transactions(invoice.id)).slice(1)).toMatchObject(
        amounts.map(() => ({ status: 'confirmed' })),
      );
    });

    it('of a payment lost in an earlier scan waits', async () => {
      const invoice = await shop.create({ zero_conf_enabled: true, amount });
      const watchKey = await keyOf(invoice);
      await find(observed(watchKey, first));
      await find({ type: 'conflict', key: 'tx1:0', by: 'another' });
      await find(observed(watchKey, { ...second, amount: parseAmount('0.003') }));
      expect(await zeroConfOf(invoice.id)).toEqual([
        ['tx1', 'unconfirmed'],
        ['tx2', 'unconfirmed'],
      ]);
    });

    it('of a payment in the same scan waits', async () => {
      const invoice = await shop.create({ zero_conf_enabled: true, amount });
      const watchKey = await keyOf(invoice);
      await find(observed(watchKey, first), observed(watchKey, second), {
        type: 'conflict',
        key: 'tx1:0',
        by: 'tx2',
      });
      expect(await zeroConfOf(invoice.id)).toEqual([
        ['tx1', 'unconfirmed'],
        ['tx2', 'unconfirmed'],
      ]);
    });
  });

  it('of another invoice waits', async () => {
    const [one, other] = [await shop.create(), await shop.create({ zero_conf_enabled: true })];
    await find(observed(await keyOf(one), first));
    await find(observed(await keyOf(other), second), { type: 'conflict', key: 'tx1:0', by: 'tx2' });
    expect(await zeroConfOf(other.id)).toEqual([['tx2', 'unconfirmed']]);
  });

  it('of another invoice, lost in an earlier scan, waits', async () => {
    const [one, other] = [await shop.create(), await shop.create({ zero_conf_enabled: true })];
    await find(observed(await keyOf(one), first));
    await find({ type: 'conflict', key: 'tx1:0', by: 'somebody' });
    await find(observed(await keyOf(other), second));
    expect(await zeroConfOf(other.id)).toEqual([['tx2', 'unconfirmed']]);
  });

  it('with two outputs uses its price once; the rest is too late for it', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    await find(observed(watchKey, first));
    shop.context.clock.advance(1_000_000);
    await find(observed(watchKey, second), observed(watchKey, { ...second, key: 'tx2:1' }), {
      type: 'conflict',
      key: 'tx1:0',
      by: 'tx2',
    });
    const rows = await shop.context.db
      .selectFrom('transaction')
      .select(['observation_key', 'late'])
      .orderBy('observation_key')
      .execute();
    expect(rows).toEqual([
      { observation_key: 'tx1:0', late: false },
      { observation_key: 'tx2:0', late: false },
      { observation_key: 'tx2:1', late: true },
    ]);
  });
});

describe('exchange rates', () => {
  it('may be missing: payments are recorded, and priced with their block', async () => {
    const invoice = await shop.create({ amount: undefined });
    const watchKey = await keyOf(invoice);
    const { current } = shop.context.rates;
    shop.context.rates.current = () => Promise.reject(new Error('no source answers'));
    await find(observed(watchKey));
    const [seen] = await shop.transactions(invoice.id);
    expect(seen).toMatchObject({ currency_rates: {}, amount: { paid: { quotes: {} } } });
    shop.context.rates.current = current;
    await findAt(101, observed(watchKey, inBlock(101)));
    const [confirmed] = await shop.transactions(invoice.id);
    expect(confirmed).toMatchObject({
      currency_rates: { BTC: { USD: '50000' } },
      amount: { paid: { quotes: { USD: '100' } } },
    });
  });
});

describe('a reorganisation deeper than the stored blocks', () => {
  it('stops the chain, and raises one alarm until the chain is read on', async () => {
    const { bitcoinNodes } = loadConfig({ BTC_RPC_URL: 'http://127.0.0.1:9' });
    shop.context.config = { ...shop.context.config, bitcoinNodes };
    const adapter = shop.context.chains.get('bitcoin')!;
    const failing: ChainAdapter = {
      ...adapter,
      scan: () => Promise.reject(new ReorganisationTooDeep('bitcoin', 500)),
    };
    (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', failing);
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(scanChain(shop.context, 'bitcoin')).rejects.toThrow('goes deeper');
    const reason =
      'BTC_RPC_URL: The node has another chain than the one that this database read: a reorganisation of bitcoin at height 500 goes deeper than the stored blocks. Set the node of that chain; only for a trial, begin with an empty database and DATA_DIR';
    expect(await shop.context.db.selectFrom('alarm').selectAll().execute()).toMatchObject([
      { chain: 'bitcoin', resource_id: null, reason },
    ]);
    expect(await bitcoinState()).toMatchObject({ ok: false, detail: reason });
    (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', adapter);
    await scanChain(shop.context, 'bitcoin');
    expect(await shop.context.db.selectFrom('alarm').selectAll().execute()).toEqual([]);
    expect(await bitcoinState()).toMatchObject({ ok: true });
  });

  const bitcoinState = async (): Promise<unknown> =>
    (await readChainStates(shop.context, shop.context.clock.real())).get('bitcoin');
});

describe('two scanners', () => {
  it('find each payment once', async () => {
    const invoices = await Promise.all(Array.from({ length: 10 }, () => shop.create()));
    const events = await Promise.all(
      invoices.map(async (invoice, at) =>
        observed(await keyOf(invoice), { key: `tx${at}:0`, txid: `tx${at}` }),
      ),
    );
    script.push({ events }, { events }, { events });
    await Promise.all([1, 2, 3].map(() => scanChain(shop.context, 'bitcoin')));
    await requireBooks(shop.context);
    for (const { id } of invoices) expect(await shop.transactions(id)).toHaveLength(1);
    expect(await shop.balance('BTC')).toMatchObject({ pending: '0.02' });
  });

  it('never both write: the one that lost the lease is refused', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    const { scan } = shop.context.chains.get('bitcoin')!;
    const slow: ChainAdapter = {
      ...shop.context.chains.get('bitcoin')!,
      scan: async (...args) => {
        const result = await scan(...args);
        // Its lease expires during the pause, and another process takes over.
        await sql`update lease set until = clock_timestamp() - interval '1 second'`.execute(
          shop.context.db,
        );
        expect(
          await takeLease(shop.context.db, 'scan:bitcoin', 'somebody else', 30),
        ).not.toBeNull();
        return result;
      },
    };
    (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', slow);
    script.push({ events: [observed(watchKey)] });
    await scanChain(shop.context, 'bitcoin');
    expect(await shop.transactions(invoice.id)).toEqual([]);
  });
});

describe('a failure', () => {
  it.each(['transaction', 'posting', 'callback', 'invoice', 'chain_cursor'])(
    'while writing %s loses nothing: the next scan does it all',
    async (table) => {
      const { db } = shop.context;
      const invoice = await shop.create();
      const watchKey = await keyOf(invoice);
      await sql`create function stop() returns trigger language plpgsql as 'begin raise exception ''the process dies here''; end'`.execute(
        db,
      );
      await sql`create trigger stop before insert or update on ${sql.table(table)} execute function stop()`.execute(
        db,
      );
      const before = await everything();
      script.push({ tip: 101, events: [observed(watchKey, inBlock(101))] });
      await expect(scanChain(shop.context, 'bitcoin')).rejects.toThrow('the process dies here');
      expect(await everything()).toEqual(before);
      expect(await db.selectFrom('chain_cursor').selectAll().execute()).toEqual([]);
      await sql`drop trigger stop on ${sql.table(table)}`.execute(db);
      await findAt(101, observed(watchKey, inBlock(101)));
      expect((await shop.get(invoice.id)).status).toBe('paid');
      expect(await shop.events(invoice.id)).toEqual(['invoice_pending', 'invoice_confirmed']);
    },
  );
});

describe('expiry', () => {
  it('never wins against a payment that arrived in time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const invoice = await shop.create();
      const key = `race${round}:0`;
      const event = observed(await keyOf(invoice), { key, txid: `race${round}`, ...inBlock(101) });
      shop.context.clock.advance(900_000);
      await scanChain(shop.context, 'bitcoin').catch(() => {});
      script.push({ tip: 101 + round, events: [event] });
      // After a complete scan past the expiry this payment is late; without one it is in time.
      await Promise.all([scanChain(shop.context, 'bitcoin'), expireInvoices(shop.context)]);
      await expireInvoices(shop.context);
      await requireBooks(shop.context);
      expect((await shop.get(invoice.id)).status).toBe('expired');
    }
    for (let round = 0; round < 8; round += 1) {
      const invoice = await shop.create();
      const event = observed(await keyOf(invoice), {
        key: `won${round}:0`,
        txid: `won${round}`,
        ...inBlock(201 + round),
      });
      shop.context.clock.advance(901_000);
      script.push({ tip: 201 + round, events: [event] });
      await Promise.all([
        expireInvoices(shop.context),
        scanChain(shop.context, 'bitcoin'),
        expireInvoices(shop.context),
      ]);
      await requireBooks(shop.context);
      expect((await shop.get(invoice.id)).status).toBe('paid');
    }
  });

  it('waits for a scan, at most an hour', async () => {
    const invoice = await shop.create();
    shop.context.clock.advance(1_000_000);
    await expireInvoices(shop.context);
    expect((await shop.get(invoice.id)).status).toBe('new');
    shop.context.clock.advance(3_600_000);
    await expireInvoices(shop.context);
    expect((await shop.get(invoice.id)).status).toBe('expired');
  });

  it('skips fully paid invoices, and processes more than one batch', async () => {
    const invoices: Awaited<ReturnType<typeof shop.create>>[] = [];
    // A few at a time: a longer wait for a connection is refused.
    while (invoices.length < 450)
      invoices.push(...(await Promise.all(Array.from({ length: 15 }, () => shop.create()))));
    const paid: ScanEvent[] = [];
    for (const [at, invoice] of invoices.slice(0, 250).entries())
      paid.push(observed(await keyOf(invoice), { key: `m${at}:0`, txid: `m${at}` }));
    await find(...paid);
    shop.context.clock.advance(900_000);
    await scanChain(shop.context, 'bitcoin');
    expect(await expireInvoices(shop.context)).toBe(200);
    expect(await expireInvoices(shop.context)).toBe(0);
    const { rows } = await sql<{
      status: string;
      n: number;
    }>`select status, count(*) as n from invoice group by status order by status`.execute(
      shop.context.db,
    );
    expect(rows).toEqual([
      { status: 'expired', n: 200 },
      { status: 'pending', n: 250 },
    ]);
  });
});

describe('five thousand outputs in one block', () => {
  it('to one address are all recorded', async () => {
    const invoice = await shop.create();
    const watchKey = await keyOf(invoice);
    const dust = Array.from({ length: 5_000 }, (_, at) =>
      observed(watchKey, {
        key: `dust:${at}`,
        txid: 'dust',
        amount: parseAmount('0.00000001'),
        ...inBlock(101),
      }),
    );
    const started = performance.now();
    await findAt(101, ...dust);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.00005');
    expect((await shop.get(invoice.id)).transactions).toHaveLength(250);
    expect(await shop.balance('BTC')).toMatchObject({ available: '0.00005' });
  }, 60_000);
});
