import { mnemonicToSeedSync } from '@scure/bip39';
import { type Address, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../test/support/anvil.ts';
import {
  answering,
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../test/support/rpc-proxy.ts';
import type { ChainAdapter, ScanResult } from './adapter.ts';
import { createEvmAdapter } from './evm/adapter.ts';
import { createEvmNode } from './evm/node.ts';
import { setUpEvm } from './evm/setup.ts';
import { UnavailableError } from './error.ts';
import { createFailover, createFailoverAdapter, createFailoverRpc } from './failover.ts';
import { createJsonRpc, type JsonRpc } from './json-rpc.ts';
import { publicKeysOf } from './keys.ts';

const keys = publicKeysOf(
  mnemonicToSeedSync(
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  ),
  { network: 'testnet' },
);
const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
const FAILING: ChangeAnswer = () => {
  throw new Error('The proxy is closed');
};

describe('createFailover', () => {
  interface Fake {
    name: string;
    tip: number | null;
    fails: boolean;
  }
  let now: number;
  let providers: Fake[];
  let switches: string[];

  beforeEach(() => {
    now = 0;
    switches = [];
    providers = ['first', 'second'].map((name) => ({ name, tip: 100, fails: false }));
  });

  const open = () =>
    createFailover({
      providers: () =>
        providers.map((value) => ({ name: value.name, value, tip: async () => value.tip })),
      maxLag: 2,
      now: () => now,
      onSwitch: (to) => void switches.push(to),
    });
  const use = async ({ name, fails }: Fake): Promise<string> => {
    if (fails) throw new UnavailableError(`${name} does not answer`);
    return name;
  };

  it('prefers the first provider', async () => {
    expect(await open().look(use)).toBe('first');
    expect(switches).toEqual([]);
  });

  it('ends a look that fails, and takes the next provider for the next look', async () => {
    const failover = open();
    providers[0]!.fails = true;
    await expect(failover.look(use)).rejects.toThrow('first does not answer');
    expect(await failover.look(use)).toBe('second');
    expect(switches).toEqual(['second']);
    providers[0]!.fails = false;
    now += 29_000;
    expect(await failover.look(use)).toBe('second');
    now += 2_000;
    expect(await failover.look(use)).toBe('first');
  });

  it('repeats a call with the next provider', async () => {
    const failover = open();
    providers[0]!.fails = true;
    expect(await failover.call(use)).toBe('second');
    providers[1]!.fails = true;
    await expect(failover.call(use)).rejects.toThrow('second does not answer');
    providers.pop();
    await expect(open().call(use)).rejects.toThrow('first does not answer');
  });

  it('leaves a provider that lags within seconds, and not for a block or two', async () => {
    const failover = open();
    providers[1]!.tip = 102;
    expect(await failover.look(use)).toBe('first');
    providers[1]!.tip = 103;
    now += 5_000;
    expect(await failover.look(use)).toBe('second');
    providers[0]!.tip = 103;
    now += 5_000;
    expect(await failover.look(use)).toBe('first');
  });

  it('leaves a provider that does not show its tip', async () => {
    const failover = open();
    providers[0]!.tip = null;
    expect(await failover.look(use)).toBe('second');
  });

  it('tries the longest unused provider when every provider failed', async () => {
    const failover = open();
    for (const provider of providers) provider.fails = true;
    await expect(failover.look(use)).rejects.toThrow('first');
    now += 1;
    await expect(failover.look(use)).rejects.toThrow('second');
    now += 1;
    await expect(failover.look(use)).rejects.toThrow('first');
  });

  it('keeps its provider after an error of its own', async () => {
    const failover = open();
    const fail = (): Promise<never> => Promise.reject(new Error('the database is gone'));
    await expect(failover.look(fail)).rejects.toThrow('database');
    expect(await failover.look(use)).toBe('first');
  });

  it('needs no tip of a single provider', async () => {
    providers.pop();
    providers[0]!.tip = null;
    expect(await open().look(use)).toBe('first');
    providers.pop();
    await expect(open().look(use)).rejects.toMatchObject({ name: 'UnavailableError' });
  });
});

describe('two providers of a chain', () => {
  let anvil: Anvil;
  let proxies: [RpcProxy, RpcProxy];
  let rpcs: JsonRpc[];
  let adapters: ChainAdapter[];
  let chain: ChainAdapter;
  let rpc: JsonRpc;
  let us: Address;
  let watchKey: string;
  let now = 0;

  beforeAll(async () => {
    anvil = await startAnvil();
    proxies = [await startRpcProxy(anvil.url), await startRpcProxy(anvil.url)];
  }, 60_000);
  afterAll(async () => {
    for (const proxy of proxies ?? []) await proxy.stop();
    await anvil?.stop();
  });
  beforeEach(async () => {
    for (const proxy of proxies) proxy.change(null);
    rpcs = proxies.map(({ url }) => createJsonRpc({ url, sleep: async () => {} }));
    adapters = await Promise.all(rpcs.map(open));
    const failover = createFailover({
      providers: () =>
        rpcs.map((value, at) => ({
          name: String(at),
          value: { rpc: value, adapter: adapters[at]! },
          tip: async () => (await adapters[at]!.health()).tip,
        })),
      maxLag: 2,
      now: () => now,
    });
    rpc = createFailoverRpc(failover);
    chain = createFailoverAdapter({
      chain: 'ethereum',
      network: 'testnet',
      failover,
      adapters: () => adapters,
      compares: true,
      hasTraces: true,
      configuredKinds: ['ETH'],
      closedReason: () => 'never',
    });
    const target = await chain.deriveTarget({
      kind: 'ETH',
      index: 0,
      amount: null,
      expirySeconds: 900,
      description: '',
      now: 0,
    });
    us = target.address as Address;
    [watchKey] = target.watchKeys as [string];
  });

  async function open(of: JsonRpc): Promise<ChainAdapter> {
    const node = createEvmNode(of);
    return createEvmAdapter({
      chain: 'ethereum',
      node,
      setup: await setUpEvm({ chain: 'ethereum', node, tokens: {}, settings }),
      keys,
    });
  }
  const scan = (from: ScanResult | null): Promise<ScanResult> =>
    chain.scan(
      from?.cursor ?? null,
      async (asked) => new Set(asked.filter((k) => k === watchKey)),
      {
        maxBlocks: 25,
        open: [],
        signal: AbortSignal.timeout(10_000),
      },
    );

  it('are one chain with the kinds of its coins', () => {
    expect(chain).toMatchObject({ chain: 'ethereum', source: 'node', kinds: ['ETH'] });
  });

  it('find a payment when the first provider fails', async () => {
    const before = await scan(null);
    const txid = await anvil.wallet.sendTransaction({ to: us, value: parseEther('0.1') });
    await anvil.wallet.mine({ blocks: 1 });
    proxies[0].change(FAILING);
    now += 60_000;
    const { events } = await scan(before);
    expect(events).toMatchObject([{ observation: { txid } }]);
    expect((await chain.health()).ok).toBe(true);
    proxies[1].change(FAILING);
    expect((await chain.health()).ok).toBe(false);
  });

  it('answer no look together', async () => {
    const before = await scan(null);
    await anvil.wallet.mine({ blocks: 3 });
    const calls = () => proxies.map((proxy) => proxy.calls('eth_getLogs'));
    const [first, second] = calls() as [number, number];
    // It fails in the middle of the look.
    proxies[0].change(({ method }, answer) =>
      method === 'eth_getLogs' ? { error: { code: -32000, message: 'header not found' } } : answer,
    );
    await anvil.wallet.sendTransaction({ to: us, value: parseEther('0.1') });
    await anvil.wallet.mine({ blocks: 1 });
    await scan(before).catch(() => {});
    expect(calls()[1]).toBe(second);
    expect(calls()[0]).toBeGreaterThanOrEqual(first);
  });

  it('send calls to the other when one fails', async () => {
    proxies[0].change(FAILING);
    now += 60_000;
    expect(await createEvmNode(rpc).chainId()).toBe(31_337);
  });

  it('are asked for the traces of a block until one has traced it whole', async () => {
    const before = await scan(null);
    await anvil.wallet.sendTransaction({ to: us, value: 1n });
    await anvil.wallet.mine({ blocks: 1 });
    const { height, hash } = (await scan(before)).cursor;
    const trace = () => chain.traceBlock!({ height, hash }, async () => new Set());
    const refusal: ChangeAnswer = ({ method }, answer) =>
      method === 'debug_traceBlockByHash' ? { error: { code: -32_601, message: 'no' } } : answer;
    const none = answering(/^debug_/, []);
    proxies[0].change(refusal);
    proxies[1].change(refusal);
    await expect(trace()).rejects.toThrow('no (-32601)');
    proxies[0].change(none);
    expect(await trace()).toMatchObject({ complete: false });
    proxies[0].change(refusal);
    proxies[1].change(none);
    expect(await trace()).toMatchObject({ complete: false });
    proxies[1].change(null);
    expect(await trace()).toMatchObject({ complete: true });
    proxies[0].change(none);
    expect(await trace()).toMatchObject({ complete: true });
    const calls = proxies[1].calls('debug_traceBlockByHash');
    proxies[0].change(null);
    expect(await trace()).toMatchObject({ complete: true });
    expect(proxies[1].calls('debug_traceBlockByHash')).toBe(calls);
    expect(
      await chain.traceBlock!({ height, hash: `0x${'ab'.repeat(32)}` }, async () => new Set()),
    ).toBeNull();
  });

  it('compare the hash of a block', async () => {
    await anvil.wallet.mine({ blocks: 2 });
    const { height, hash } = (await adapters[0]!.blockAt(1))!;
    expect(await chain.compareBlock!({ height, hash })).toBe('same');
    expect(await chain.compareBlock!({ height, hash: `0x${'ab'.repeat(32)}` })).toBe('different');
    proxies[1].change(answering(/^eth_getBlockByNumber$/, null));
    expect(await chain.compareBlock!({ height, hash })).toBe('unknown');
    proxies[1].change(FAILING);
    expect(await chain.compareBlock!({ height, hash })).toBe('unknown');
  });
});

describe('a chain without a provider yet', () => {
  it('offers no kind, is not healthy and names the reason', async () => {
    const failover = createFailover<{ adapter: ChainAdapter }>({ providers: () => [], maxLag: 2 });
    const chain = createFailoverAdapter({
      chain: 'ethereum',
      network: 'mainnet',
      failover,
      adapters: () => [],
      compares: false,
      configuredKinds: ['ETH'],
      closedReason: () => 'ETH_RPC_URL: the node does not respond',
    });
    expect(chain).toMatchObject({ chain: 'ethereum', network: 'mainnet', kinds: [] });
    expect(chain.configuredKinds).toEqual(['ETH']);
    expect(chain.compareBlock).toBeUndefined();
    const detail = 'ETH_RPC_URL: the node does not respond';
    expect(await chain.health()).toEqual({ ok: false, tip: null, detail });
    const limits = { maxBlocks: 1, open: [], signal: AbortSignal.timeout(1_000) };
    await expect(chain.scan(null, async () => new Set(), limits)).rejects.toThrow(detail);
  });
});
