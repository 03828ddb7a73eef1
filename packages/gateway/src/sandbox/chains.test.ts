import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import { testClock, testIds } from '../../test/support/context.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import type {
  ChainAdapter,
  Cursor,
  OpenTransaction,
  ScanEvent,
  ScanResult,
} from '@crypto-checkout/chains/adapter';
import { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from './chains.ts';
import { createSandboxWorld, type SandboxWorld } from './world.ts';

const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const US = 'watched';
const match = async (watchKeys: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(watchKeys.filter((key) => key.startsWith(US)));

let database: TestDatabase;
let world: SandboxWorld;
let chains: Map<ChainId, ChainAdapter>;

beforeAll(async () => {
  database = await testDatabase();
  world = createSandboxWorld({ db: database.db, clock: testClock(), ids: testIds() });
  chains = createSandboxChains({ db: database.db, keys });
});
afterAll(() => database.close());

function adapter(chain: ChainId): ChainAdapter {
  const found = chains.get(chain);
  if (found === undefined) throw new Error(`No ${chain}`);
  return found;
}

async function scan(
  chain: ChainId,
  cursor: Cursor | null,
  open: OpenTransaction[] = [],
  maxBlocks = 500,
): Promise<ScanResult> {
  return adapter(chain).scan(cursor, match, {
    maxBlocks,
    open,
    signal: AbortSignal.timeout(5_000),
  });
}

function pay(chain: ChainId, ...amounts: string[]): Promise<{ txid: string }> {
  const asset = KINDS.find((kind) => kind.chain === chain)?.asset ?? '';
  return world.pay(
    chain,
    amounts.map((amount) => ({
      asset,
      address: 'address',
      watchKey: US,
      amount: parseAmount(amount),
    })),
  );
}

function openOf(result: ScanResult): OpenTransaction[] {
  return result.events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));
}

function observed(events: readonly ScanEvent[]) {
  return events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));
}

describe('createSandboxChains', () => {
  it('simulates every chain, with every kind that has a known contract', () => {
    expect([...chains.keys()].toSorted()).toEqual(Object.keys(CHAINS).toSorted());
    const offered = [...chains.values()].flatMap(({ kinds }) => kinds);
    expect(KINDS.map(({ kind }) => kind).filter((kind) => !offered.includes(kind))).toEqual([
      'JAMBO-SOL',
    ]);
  });

  it('refuses a main network', () => {
    expect(() =>
      createSandboxChains({ db: database.db, keys: publicKeysOf(seed, { network: 'mainnet' }) }),
    ).toThrow(/main network/);
  });

  it('leaves out the chains that a node serves', () => {
    expect(
      createSandboxChains({ db: database.db, keys, except: new Set(['ethereum'] as const) }).has(
        'ethereum',
      ),
    ).toBe(false);
  });

  it('reports its health', async () => {
    expect(await adapter('ton').health()).toMatchObject({ ok: true, detail: null });
  });
});

describe('scanning a sandbox chain', () => {
  it('reports a payment in the mempool, then in a block, each output separately', async () => {
    const start = await scan('bitcoin', null);
    const { txid } = await pay('bitcoin', '0.1', '0.2');
    const waiting = await scan('bitcoin', start.cursor);
    expect(observed(waiting.events)).toMatchObject([
      {
        key: `${txid}:0`,
        txid,
        asset: 'BTC',
        watchKey: US,
        amount: parseAmount('0.1'),
        block: null,
      },
      { key: `${txid}:1`, amount: parseAmount('0.2'), block: null },
    ]);
    const block = await world.mine('bitcoin', 3);
    const mined = await scan('bitcoin', waiting.cursor, openOf(waiting));
    expect(observed(mined.events).map((observation) => observation.block?.height)).toEqual([
      block.height - 2,
      block.height - 2,
    ]);
    expect(mined).toMatchObject({ tip: block.height, caughtUp: true });
    expect(await scan('bitcoin', mined.cursor)).toMatchObject({ events: [], cursor: mined.cursor });
  });

  it('reports payments mined before the first scan', async () => {
    const { txid } = await pay('litecoin', '1');
    await world.mine('litecoin', 1);
    expect(observed((await scan('litecoin', null)).events)).toMatchObject([
      { txid, block: { height: 1 } },
    ]);
  });

  it('stops after the given number of blocks and continues from there', async () => {
    await world.mine('dogecoin', 5);
    const { txid } = await pay('dogecoin', '1');
    await world.mine('dogecoin', 1);
    const first = await scan('dogecoin', null, [], 4);
    expect(first).toMatchObject({ caughtUp: false, events: [] });
    const second = await scan('dogecoin', first.cursor, [], 4);
    expect(second).toMatchObject({
      caughtUp: true,
      events: [{ type: 'observed', observation: { txid } }],
    });
  });

  it.each([
    ['back in the mempool', false],
    ['vanished', true],
  ])('finds a reorganisation after a restart, with the transaction %s', async (_, drop) => {
    const { txid } = await pay('ethereum', '0.5');
    const { height } = await world.mine('ethereum', 1);
    await world.mine('ethereum', 2);
    const before = await scan('ethereum', null);
    const stored = JSON.parse(JSON.stringify(before.cursor)) as Cursor;
    const tip = await world.reorganise('ethereum', 3, drop);
    const after = await scan('ethereum', stored, openOf(before));
    expect(after.events[0]).toEqual({ type: 'rollback', toHeight: height - 1 });
    expect(after.cursor.hash).toBe(tip.hash);
    const rest = after.events.slice(1);
    if (drop) expect(rest).toContainEqual({ type: 'gone', key: `${txid}:0` });
    else expect(observed(rest)).toMatchObject([{ txid, block: null }]);
    const again = await world.mine('ethereum', 1);
    const final = await scan('ethereum', after.cursor, openOf(before));
    expect(observed(final.events).map(({ block }) => block?.hash)).toEqual(
      drop ? [] : [again.hash],
    );
  });

  it('reports a conflict with the replacing transaction', async () => {
    const first = await scan('base', null);
    const { txid } = await pay('base', '0.3');
    const waiting = await scan('base', first.cursor);
    const replacement = await world.replace(txid, false);
    const after = await scan('base', waiting.cursor, openOf(waiting));
    expect(after.events).toEqual([{ type: 'conflict', key: `${txid}:0`, by: replacement.txid }]);
    await world.mine('base', 1);
    expect((await scan('base', after.cursor, openOf(waiting))).events).toEqual(after.events);
  });

  it('reports a replacement that also pays us', async () => {
    const start = await scan('polygon', null);
    const { txid } = await pay('polygon', '3');
    const waiting = await scan('polygon', start.cursor);
    const replacement = await world.replace(txid, true);
    const { events } = await scan('polygon', waiting.cursor, openOf(waiting));
    expect(events).toMatchObject([
      { type: 'observed', observation: { txid: replacement.txid, amount: parseAmount('3') } },
      { type: 'conflict', key: `${txid}:0`, by: replacement.txid },
    ]);
  });

  it('distinguishes dropped from failed', async () => {
    const start = await scan('bsc', null);
    const dropped = await pay('bsc', '1');
    const failed = await pay('bsc', '2');
    const waiting = await scan('bsc', start.cursor);
    await world.drop(dropped.txid);
    await world.fail(failed.txid);
    expect((await scan('bsc', waiting.cursor, openOf(waiting))).events).toEqual([
      { type: 'gone', key: `${dropped.txid}:0` },
      { type: 'failed', key: `${failed.txid}:0`, reason: 'failed on the chain' },
    ]);
  });

  it('reports XRP without a known tag as unassigned', async () => {
    const start = await scan('xrp', null);
    await world.pay('xrp', [
      { asset: 'XRP', address: keys.xrp, watchKey: `xrp:${keys.xrp}`, amount: parseAmount('25') },
    ]);
    expect((await scan('xrp', start.cursor)).events).toEqual([]);
    await world.mine('xrp', 1);
    expect((await scan('xrp', start.cursor)).events).toMatchObject([
      {
        type: 'unexplained',
        unexplained: { address: keys.xrp, asset: 'XRP', reason: 'no destination tag' },
      },
    ]);
  });

  it('reports the unknown tag of an XRP payment', async () => {
    const start = await scan('xrp', null);
    for (const tag of ['99', '98']) {
      await world.pay('xrp', [
        {
          asset: 'XRP',
          address: keys.xrp,
          watchKey: `xrp:${keys.xrp}:${tag}`,
          amount: parseAmount('7'),
        },
      ]);
      await world.mine('xrp', 1);
    }
    expect((await scan('xrp', start.cursor)).events).toMatchObject([
      { unexplained: { address: keys.xrp, reason: 'no invoice has destination tag 99' } },
      { unexplained: { address: keys.xrp, reason: 'no invoice has destination tag 98' } },
    ]);
  });

  it('ignores XRP that went to another address', async () => {
    const start = await scan('xrp', null);
    const address = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY';
    for (const watchKey of [`xrp:${address}:7`, `xrp:${address}`]) {
      await world.pay('xrp', [{ asset: 'XRP', address, watchKey, amount: parseAmount('10') }]);
    }
    await world.mine('xrp', 1);
    expect((await scan('xrp', start.cursor)).events).toEqual([]);
  });

  it('settles lightning at once', async () => {
    const start = await scan('lightning', null);
    const { txid } = await pay('lightning', '0.001');
    const settled = await scan('lightning', start.cursor);
    expect(observed(settled.events)).toMatchObject([
      { txid, asset: 'BTC', block: { height: settled.tip } },
    ]);
  });

  it('refuses impossible changes of a transaction', async () => {
    const { txid } = await pay('celo', '1');
    await world.mine('celo', 1);
    await expect(world.replace(txid, true)).rejects.toMatchObject({ reason: 'InvalidState' });
    await expect(world.drop(txid)).rejects.toMatchObject({ reason: 'InvalidState' });
    await expect(world.drop('unknown')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(world.reorganise('celo', 1_000, false)).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    await expect(world.reorganise('lightning', 1, false)).rejects.toMatchObject({
      reason: 'InvalidState',
    });
  });

  it('stops at a reorganisation deeper than the stored blocks', async () => {
    await world.mine('tron', 300);
    const { cursor } = await scan('tron', null);
    await world.reorganise('tron', 280, false);
    await expect(scan('tron', cursor)).rejects.toThrow(ReorganisationTooDeep);
  });

  it('starts again with a cursor of another source', async () => {
    const foreign: Cursor = {
      height: 99,
      hash: '0xabc',
      ring: [{ height: 99, hash: '0xabc' }],
      extra: { source: 'evm:31337' },
    };
    expect((await scan('arbitrum', foreign)).cursor).toMatchObject({
      height: 0,
      extra: { source: 'sandbox' },
    });
  });

  it('loses nothing when mining and paying run concurrently', async () => {
    const start = await scan('ton', null);
    const paid = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 4 === 0 ? world.mine('ton', 1) : pay('ton', '1'),
      ),
    );
    await world.mine('ton', 1);
    const txids = paid.flatMap((result) => ('txid' in result ? [result.txid] : []));
    expect(
      new Set(observed((await scan('ton', start.cursor)).events).map(({ txid }) => txid)),
    ).toEqual(new Set(txids));
  });
});
