import { mnemonicToSeedSync } from '@scure/bip39';
import { type Address, encodeFunctionData, type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  compileContracts,
  deploy,
  startAnvil,
  withoutMethods,
  type Anvil,
} from '../../test/support/anvil.ts';
import {
  answering,
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../test/support/rpc-proxy.ts';
import type { ChainAdapter, Cursor, Match, OpenTransaction, ScanResult } from '../adapter.ts';
import { publicKeysOf } from '../keys.ts';
import { createEvmAdapter } from './adapter.ts';
import { createJsonRpc } from '../json-rpc.ts';
import { createEvmNode } from './node.ts';
import { setUpEvm } from './setup.ts';

const keys = publicKeysOf(
  mnemonicToSeedSync(
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  ),
  { network: 'testnet' },
);
const contracts = compileContracts();
const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };

let anvil: Anvil;
let proxy: RpcProxy;
let token: Address;
let forwarder: Address;
let adapter: ChainAdapter;
let cursor: Cursor;
let us: Address;
let watchKey: string;
let nextIndex = 0;
let now = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, contracts['Token']!);
  forwarder = await deploy(anvil, contracts['Forwarder']!);
  proxy = await startRpcProxy(anvil.url);
  adapter = await open(proxy.url);
}, 60_000);
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});

beforeEach(async () => {
  proxy.change(null);
  const target = await adapter.deriveTarget({
    kind: 'ETH',
    index: nextIndex++,
    amount: null,
    expirySeconds: 900,
    description: '',
    now: 0,
  });
  us = target.address as Address;
  watchKey = target.watchKeys[0]!;
  cursor = (await scan(null)).cursor;
});

async function open(url: string): Promise<ChainAdapter> {
  const node = createEvmNode(createJsonRpc({ url }));
  return createEvmAdapter({
    chain: 'ethereum',
    node,
    setup: await setUpEvm({ chain: 'ethereum', node, tokens: { ETH_USDT: token }, settings }),
    keys,
    now: () => now,
  });
}

const scan = (from: Cursor | null, of = adapter, open: OpenTransaction[] = []) =>
  of.scan(from, async (asked) => new Set(asked.filter((key) => key === watchKey)), {
    maxBlocks: 100,
    open,
    signal: AbortSignal.timeout(10_000),
  });

/** Scans from the last cursor. */
async function next(open: OpenTransaction[] = [], of = adapter): Promise<ScanResult> {
  const result = await scan(cursor, of, open);
  cursor = result.cursor;
  return result;
}

const observed = ({ events }: ScanResult) =>
  events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));
const send = (ether = '0.1'): Promise<Hex> =>
  anvil.wallet.sendTransaction({ to: us, value: parseEther(ether), gas: 100_000n });
const sendToken = (units: bigint): Promise<Hex> =>
  anvil.wallet.sendTransaction({
    to: token,
    data: encodeFunctionData({
      abi: contracts['Token']!.abi,
      functionName: 'transfer',
      args: [us, units],
    }),
    gas: 200_000n,
  });
const mine = (blocks = 1): Promise<void> => anvil.wallet.mine({ blocks });

describe('transactions that a bridge makes', () => {
  it('reuse a number, and do not replace each other', async () => {
    // Deposits from Ethereum on Arbitrum have the number 0 each time.
    const asBridge: ChangeAnswer = ({ method }, answer) => {
      if (method !== 'eth_getBlockByNumber' || !answer.result) return answer;
      const found = answer.result as { transactions: unknown[] };
      const transactions = found.transactions.map((one) =>
        typeof one === 'object' ? { ...one, type: '0x64', nonce: '0x0' } : one,
      );
      return { result: { ...found, transactions } };
    };
    proxy.change(asBridge);
    const first = await send();
    await mine();
    const [observation] = observed(await next());
    expect(observation).toMatchObject({ txid: first, conflicts: [] });
    await send();
    await mine();
    const { key, block } = observation!;
    const before: OpenTransaction = {
      key,
      txid: first,
      conflicts: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266:0'],
      block,
    };
    expect((await next([before])).events.map(({ type }) => type)).toEqual(['observed']);
  });

  it('can be missing in the list of the block, and their tokens are credited', async () => {
    const txid = await sendToken(4_000_000n);
    await mine();
    // Deposits to Polygon are logs of a transaction that the block does not list.
    proxy.change(({ method }, answer) =>
      method === 'eth_getBlockByNumber' && answer.result
        ? { result: { ...answer.result, transactions: [] } }
        : answer,
    );
    expect(observed(await next())).toMatchObject([
      { key: `${txid}:0`, txid, asset: 'ETH_USDT', conflicts: [] },
    ]);
  });
});

describe('logs of another block', () => {
  it('leave the block unread, and the next scan finds the payment', async () => {
    const txid = await sendToken(4_000_000n);
    await mine();
    proxy.change(({ method }, answer) =>
      method === 'eth_getLogs'
        ? {
            result: (answer.result as object[]).map((log) => ({
              ...log,
              blockHash: `0x${'ab'.repeat(32)}`,
            })),
          }
        : answer,
    );
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(null);
    expect(observed(await next())).toMatchObject([{ key: `${txid}:0` }]);
  });
});

describe('a receipt that the provider does not have yet', () => {
  const RECEIPTS = /^eth_get(TransactionReceipt|BlockReceipts)$/;
  const otherBlock = `0x${'ab'.repeat(32)}`;

  it('leaves the block unread, and the next scan finds the payment', async () => {
    const txid = await send();
    await mine();
    proxy.change(answering(RECEIPTS, null));
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(null);
    expect(observed(await next())).toMatchObject([{ key: `${txid}:n` }]);
  });

  it('is no receipt of another block', async () => {
    const txid = await send();
    await mine();
    const moved = (receipt: unknown) => ({ ...(receipt as object), blockHash: otherBlock });
    proxy.change(({ method }, answer) => {
      if (method === 'eth_getTransactionReceipt') return { result: moved(answer.result) };
      if (method !== 'eth_getBlockReceipts') return answer;
      return { result: (answer.result as unknown[]).map(moved) };
    });
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(answering(/^eth_getBlockReceipts$/, []));
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(null);
    expect(observed(await next())).toMatchObject([{ key: `${txid}:n` }]);
  });

  it('is asked for singly where the provider has no receipts of a block', async () => {
    const limited = await withoutMethods(proxy.url, /^eth_getBlockReceipts$/);
    const behind = await open(limited.url);
    const txid = await send();
    await mine();
    proxy.change(answering(RECEIPTS, null));
    await expect(next([], behind)).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(null);
    expect(observed(await next([], behind))).toMatchObject([{ key: `${txid}:n` }]);
    await limited.stop();
  });

  it('does not fail a payment that waited in the mempool', async () => {
    const txid = await sendToken(9_000_000_000_000n);
    const waiting = observed(await next());
    expect(waiting).toHaveLength(1);
    await mine();
    proxy.change(answering(RECEIPTS, null));
    expect((await next(waiting)).events).toEqual([]);
    proxy.change(({ method }, answer) =>
      method === 'eth_getTransactionReceipt'
        ? { result: { ...(answer.result as object), blockHash: otherBlock } }
        : answer,
    );
    expect((await next(waiting)).events).toEqual([]);
    proxy.change(null);
    expect((await next(waiting)).events).toEqual([
      { type: 'failed', key: `${txid}:0`, reason: 'reverted on the chain' },
    ]);
  });
});

describe('logs that the provider does not have yet', () => {
  it('leave the block unread, and the next scan finds the payment', async () => {
    const txid = await sendToken(2_000_000n);
    await mine();
    proxy.change(answering(/^eth_getLogs$/, []));
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError' });
    proxy.change(null);
    expect(observed(await next())).toMatchObject([{ key: `${txid}:0` }]);
  });

  it('are not missing in a block with other logs only', async () => {
    const transfers = await sendToken(2_000_000n);
    await mine();
    // The filter finds nothing; the block's other logs explain its bloom.
    proxy.change(({ method, params }, answer) =>
      method === 'eth_getLogs' && 'topics' in (params[0] as object)
        ? { result: [] }
        : method === 'eth_getLogs'
          ? {
              result: (answer.result as { topics: string[] }[]).map((log) => ({
                ...log,
                topics: [otherTopic],
              })),
            }
          : answer,
    );
    expect(observed(await next())).toEqual([]);
    expect(transfers).toMatch(/^0x/);
  });
  const otherTopic = `0x${'cd'.repeat(32)}`;
});

describe('logs of a careless provider', () => {
  const changeLogs =
    (change: (logs: Record<string, unknown>[]) => object[]): ChangeAnswer =>
    ({ method }, answer) =>
      method === 'eth_getLogs'
        ? { result: change(answer.result as Record<string, unknown>[]) }
        : answer;

  it('count once when they are repeated', async () => {
    const txid = await sendToken(3_000_000n);
    await mine();
    proxy.change(changeLogs((logs) => [...logs, ...logs]));
    expect(observed(await next()).map(({ key }) => key)).toEqual([`${txid}:0`]);
  });

  it('are transfers only, also when the filter is ignored', async () => {
    const txid = await sendToken(3_000_000n);
    await mine();
    // An approval has the form of a transfer.
    const approval = `0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925`;
    proxy.change(
      changeLogs((logs) =>
        logs.flatMap((log) => [
          { ...log, topics: [approval, ...(log['topics'] as string[]).slice(1)] },
          { ...log, logIndex: '0x63' },
        ]),
      ),
    );
    expect(observed(await next()).map(({ key }) => key)).toEqual([`${txid}:0`]);
  });
});

describe('logs of several blocks', () => {
  const asked = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.calls('eth_getLogs');
    await work();
    return proxy.calls('eth_getLogs') - before;
  };
  const isRange = ([filter]: readonly unknown[]): boolean => 'fromBlock' in (filter as object);

  it('are read in one call', async () => {
    await mine(10);
    const txid = await sendToken(6_000_000n);
    await mine(10);
    let found: ScanResult;
    expect(await asked(async () => void (found = await next()))).toBe(1);
    expect(observed(found!)).toMatchObject([{ key: `${txid}:0` }]);
  });

  it('are read in smaller ranges, or by block, where the provider limits them', async () => {
    const most = new Map<string, number>();
    for (const [name, limit] of [
      ['four', 4],
      ['none', 0],
    ] as const) {
      const behind = await open(proxy.url);
      const txid = await sendToken(6_000_000n);
      await mine(20);
      proxy.change(({ method, params }, answer) => {
        if (method !== 'eth_getLogs' || !isRange(params)) return answer;
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        const size = Number(toBlock) - Number(fromBlock) + 1;
        if (size > limit) return { error: { code: -32_005, message: 'block range too wide' } };
        most.set(name, Math.max(most.get(name) ?? 0, size));
        return answer;
      });
      expect(observed(await next([], behind))).toMatchObject([{ key: `${txid}:0` }]);
      await mine(20);
      // The limit is learned.
      expect(await asked(() => next([], behind))).toBe(limit === 0 ? 20 : 10);
      proxy.change(null);
    }
    expect([...most]).toEqual([['four', 2]]);
  });

  it('are whole where the provider ends its answer in the middle of a block', async () => {
    const sent = [await sendToken(6_000_000n), await sendToken(7_000_000n)];
    await mine(2);
    sent.push(await sendToken(8_000_000n));
    await mine(2);
    proxy.change(({ method, params }, answer) =>
      method === 'eth_getLogs' && isRange(params)
        ? { result: (answer.result as object[]).slice(0, 1) }
        : answer,
    );
    expect(observed(await next()).map(({ key }) => key)).toEqual(sent.map((txid) => `${txid}:0`));
  });

  it('are whole where the provider ends its answer after a thousand logs', async () => {
    const sent = [await sendToken(6_000_000n), await sendToken(7_000_000n)];
    await mine(2);
    const other = `0x${'cd'.repeat(20)}`;
    proxy.change(({ method, params }, answer) => {
      if (method !== 'eth_getLogs' || !isRange(params)) return answer;
      const [first] = answer.result as object[];
      const logIndex = (at: number): string => `0x${(100 + at).toString(16)}`;
      const others = Array.from({ length: 999 }, (_, at) => ({
        ...first,
        address: other,
        logIndex: logIndex(at),
      }));
      return { result: [first, ...others] };
    });
    expect(observed(await next()).map(({ key }) => key)).toEqual(sent.map((txid) => `${txid}:0`));
  });

  it('are read by block when one of them was replaced meanwhile', async () => {
    const txid = await sendToken(6_000_000n);
    await mine(3);
    proxy.change(({ method, params }, answer) =>
      method === 'eth_getLogs' && isRange(params)
        ? {
            result: (answer.result as object[]).map((one) => ({
              ...one,
              blockHash: `0x${'ab'.repeat(32)}`,
            })),
          }
        : answer,
    );
    expect(observed(await next())).toMatchObject([{ key: `${txid}:0` }]);
  });
});

describe('a next block with a rival of a mined payment', () => {
  it('does not replace the payment', async () => {
    const txid = await send();
    await mine();
    const seen = observed(await next());
    expect(seen).toMatchObject([{ txid, block: { height: cursor.height } }]);
    const asked = { method: 'eth_getBlockByNumber', params: ['latest', true] } as const;
    const mined = (await anvil.wallet.request(asked as never)) as { transactions: object[] };
    proxy.change(({ method, params }, answer) =>
      method === 'eth_getBlockByNumber' && params[0] === 'pending'
        ? {
            result: {
              ...mined,
              number: `0x${(cursor.height + 1).toString(16)}`,
              transactions: mined.transactions.map((one) => ({
                ...one,
                hash: `0x${'cd'.repeat(32)}`,
              })),
            },
          }
        : answer,
    );
    const { events } = await next(seen);
    expect(events.filter(({ type }) => type !== 'observed')).toEqual([]);
  });
});

describe('a block that is not the one that was asked for', () => {
  const changeBlocks =
    (change: object): ChangeAnswer =>
    ({ method, params }, answer) =>
      method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x') && answer.result
        ? { result: { ...answer.result, ...change } }
        : answer;

  it.each([
    ['of another height', { number: '0x3b9aca00' }],
    ['without a hash, as pending blocks have none', { hash: null }],
  ])('%s moves no cursor and takes nothing back', async (_, change) => {
    const txid = await send();
    await mine();
    const seen = observed(await next());
    const { height } = cursor;
    await send();
    await mine();
    proxy.change(changeBlocks(change));
    expect(await next(seen)).toMatchObject({ events: [], caughtUp: false, cursor: { height } });
    proxy.change(null);
    expect(observed(await next(seen))).toHaveLength(1);
    expect(seen).toMatchObject([{ txid }]);
  });
});

describe('a provider that lags', () => {
  const HASH = `0x${'ef'.repeat(32)}`;
  /** The provider as it was at this moment, before the next blocks. */
  async function stoppedHere(): Promise<ChangeAnswer> {
    const header = { method: 'eth_getBlockByNumber', params: ['latest', false] } as const;
    const latest = (await anvil.wallet.request(header as never)) as { number: string };
    return ({ method, params }, answer) => {
      if (method !== 'eth_getBlockByNumber') return answer;
      if (params[0] === 'latest') return { result: latest };
      if (params[0] === 'pending') return { result: null };
      return Number(params[0]) > Number(latest.number) ? { result: null } : answer;
    };
  }

  it('takes back no block, and the cursor stays', async () => {
    const before = await stoppedHere();
    await send();
    await mine();
    const seen = observed(await next());
    const position = cursor;
    proxy.change((call, answer) =>
      call.method === 'eth_getTransactionByHash' ? { result: null } : before(call, answer),
    );
    for (let look = 0; look < 5; look += 1) {
      now += 60_000;
      expect(await next(seen)).toMatchObject({ events: [], caughtUp: false, cursor: position });
    }
    // The tip is of one backend, the blocks are of another.
    proxy.change((call, answer) => (call.params[0] === 'latest' ? answer : before(call, answer)));
    expect(await next(seen)).toMatchObject({ events: [], caughtUp: false, cursor: position });
    proxy.change(null);
    expect(await next(seen)).toMatchObject({ events: [], caughtUp: true });
  });

  it('reads the blocks that it has', async () => {
    await mine();
    const before = await stoppedHere();
    const txid = await send();
    await mine();
    proxy.change((call, answer) => (call.params[0] === 'latest' ? answer : before(call, answer)));
    const { height } = cursor;
    expect(await next()).toMatchObject({ caughtUp: false, cursor: { height: height + 1 } });
    proxy.change(null);
    expect(observed(await next())).toMatchObject([{ txid }]);
  });

  it('does not show where a reorganisation began', async () => {
    await mine();
    const middle = await stoppedHere();
    await mine();
    await next();
    const position = cursor;
    let asked = 0;
    proxy.change((call, answer) => {
      const { method, params } = call;
      if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return answer;
      // First another block in place of the newest, then a backend that lags.
      asked += 1;
      if (asked > 1) return middle(call, answer);
      return { result: { ...(answer.result as object), hash: HASH } };
    });
    expect(await next()).toMatchObject({ events: [], cursor: position });
    proxy.change(null);
    expect(await next()).toMatchObject({ events: [], caughtUp: true });
  });
});

describe('a waiting transaction without a trace', () => {
  const LOST = answering(/^eth_getTransactionByHash$/, null);
  const HIDDEN: ChangeAnswer = (call, answer) =>
    call.params[0] === 'pending' ? { result: null } : LOST(call, answer);

  it('is gone after several looks over a minute', async () => {
    const txid = await send();
    const waiting = observed(await next());
    expect(waiting).toHaveLength(1);
    proxy.change(HIDDEN);
    for (let look = 0; look < 5; look += 1) {
      expect((await next(waiting)).events).toEqual([]);
      now += 10_000;
    }
    now += 10_000;
    expect((await next(waiting)).events).toEqual([{ type: 'gone', key: `${txid}:n` }]);
    proxy.change(null);
    await anvil.wallet.dropTransaction({ hash: txid });
  });

  it('is not gone in the look in which the chain goes back', async () => {
    const fork = await anvil.wallet.snapshot();
    await mine();
    const txid = await send();
    const waiting = observed(await next());
    proxy.change(HIDDEN);
    for (let look = 0; look < 2; look += 1) {
      expect((await next(waiting)).events).toEqual([]);
      now += 60_000;
    }
    await anvil.wallet.revert({ id: fork });
    await anvil.wallet.dropTransaction({ hash: txid });
    await anvil.wallet.increaseTime({ seconds: 7 });
    await mine(2);
    const back = (await next(waiting)).events;
    expect(back.map(({ type }) => type)).toEqual(['rollback']);
    expect((await next(waiting)).events).toEqual([{ type: 'gone', key: `${txid}:n` }]);
  });

  it('is not gone after two looks, nor after it was seen in between', async () => {
    const txid = await send();
    const waiting = observed(await next());
    proxy.change(HIDDEN);
    expect((await next(waiting)).events).toEqual([]);
    now += 120_000;
    expect((await next(waiting)).events).toEqual([]);
    proxy.change(null);
    expect(observed(await next(waiting))).toHaveLength(1);
    proxy.change(HIDDEN);
    for (let look = 0; look < 5; look += 1) expect((await next(waiting)).events).toEqual([]);
    proxy.change(null);
    await anvil.wallet.dropTransaction({ hash: txid });
  });
});

describe('a provider that takes ten calls in a batch', () => {
  it('does not stop a scan that catches up', async () => {
    const txid = await send();
    await mine(40);
    proxy.limitBatch(10);
    const { events, caughtUp } = await next();
    expect(caughtUp).toBe(true);
    expect(events).toMatchObject([{ type: 'observed', observation: { txid } }]);
    proxy.limitBatch(Number.POSITIVE_INFINITY);
  });
});

describe('a provider without block 0', () => {
  const WITHOUT_GENESIS: ChangeAnswer = ({ method, params }, answer) =>
    method === 'eth_getBlockByNumber' && params[0] === '0x0' ? { result: null } : answer;

  it('is refused with one sentence', async () => {
    proxy.change(WITHOUT_GENESIS);
    await expect(open(proxy.url)).rejects.toMatchObject({
      name: 'ConfigError',
      message:
        'ETH_RPC_URL: the node does not return block 0, which identifies its chain; use a node that has it.',
    });
  });

  it('is refused when it answers with an error', async () => {
    proxy.change(({ method, params }, answer) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x0'
        ? { error: { code: 4444, message: 'pruned history unavailable' } }
        : answer,
    );
    await expect(open(proxy.url)).rejects.toMatchObject({ name: 'ConfigError' });
  });

  it('moves no cursor that was stored before', async () => {
    const txid = await send();
    await mine(2);
    const stored = { ...cursor, extra: { source: 'evm:31337:null' } };
    const result = await scan(stored);
    expect(observed(result)).toMatchObject([{ txid }]);
    expect(result.events).toHaveLength(1);
    expect(result.cursor.extra).toEqual(cursor.extra);
  });
});

describe('a node that cannot trace a block', () => {
  beforeEach(() => {
    now += 600_000;
  });
  const refuse =
    (message: string, until = Number.POSITIVE_INFINITY): ChangeAnswer =>
    ({ method }, answer) =>
      method === 'debug_traceBlockByHash' && proxy.calls(method) <= until
        ? { error: { code: -32_000, message } }
        : answer;

  it('because it has pruned the state does not stop the scan', async () => {
    proxy.change(refuse('required historical state unavailable (reexec=128)'));
    const txid = await send();
    await sendToken(5n);
    await mine(30);
    for (let look = 0; look < 2; look += 1)
      await expect(next()).rejects.toThrow('required historical state unavailable');
    const result = await next();
    expect(observed(result).map(({ asset }) => asset)).toEqual(['ETH', 'ETH_USDT']);
    expect(observed(result)[0]).toMatchObject({ txid });
    expect(result.caughtUp).toBe(true);
    const { height } = result.cursor;
    expect(result.untraced?.map((block) => block.height)).toEqual([height - 29]);
  });

  it('traces it later, with the key that a scan would have found', async () => {
    const data = encodeFunctionData({
      abi: contracts['Forwarder']!.abi,
      functionName: 'pay',
      args: [us],
    });
    const pay = { to: forwarder, data, value: 7n, gas: 100_000n };
    const txid = await anvil.wallet.sendTransaction(pay);
    await mine();
    const before = cursor;
    const [whole] = observed(await next());
    expect(whole).toMatchObject({ txid, watchKey });
    cursor = before;
    proxy.change(refuse('rate limit'));
    for (let look = 0; look < 2; look += 1) await expect(next()).rejects.toThrow('rate limit');
    const result = await next();
    expect(observed(result)).toEqual([]);
    const [block] = result.untraced!;
    const match: Match = async (asked) => new Set(asked.filter((key) => key === watchKey));
    await expect(adapter.traceBlock!(block!, match)).rejects.toThrow('rate limit');
    proxy.change(({ method }, answer) =>
      method === 'debug_traceBlockByHash' ? { result: [] } : answer,
    );
    expect(await adapter.traceBlock!(block!, match)).toEqual({ observations: [], complete: false });
    proxy.change(null);
    expect(await adapter.traceBlock!(block!, match)).toEqual({
      observations: [whole],
      complete: true,
    });
    const replaced = { height: block!.height, hash: `0x${'ab'.repeat(32)}` };
    expect(await adapter.traceBlock!(replaced, match)).toBeNull();
    expect(await adapter.traceBlock!(block!, async () => new Set())).toMatchObject({
      observations: [],
    });
  });

  it('is asked again before the block is read without it', async () => {
    proxy.change(refuse('rate limit', proxy.calls('debug_traceBlockByHash') + 2));
    const before = cursor;
    await mine();
    await expect(next()).rejects.toThrow('rate limit');
    await expect(next()).rejects.toThrow('rate limit');
    expect((await next()).cursor.height).toBe(before.height + 1);
    now += 600_000;
    proxy.change(refuse('rate limit'));
    await mine();
    await expect(next()).rejects.toThrow('rate limit');
    await expect(next()).rejects.toThrow('rate limit');
    expect((await next()).cursor.height).toBe(before.height + 2);
  });
});
