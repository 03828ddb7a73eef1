import { mnemonicToSeedSync } from '@scure/bip39';
import { type Address, encodeFunctionData, type Hex, parseGwei, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { compileContracts, startAnvil } from '../../../chains/test/support/anvil.ts';
import { testDatabase } from '../../test/support/database.ts';
import { testClock, testIds } from '../../test/support/context.ts';
import type {
  ChainAdapter,
  Cursor,
  DepositTarget,
  Observation,
  OpenTransaction,
  ScanEvent,
  ScanResult,
} from '@crypto-checkout/chains/adapter';
import { createEvmAdapter } from '@crypto-checkout/chains/evm/adapter';
import { createJsonRpc } from '@crypto-checkout/chains/json-rpc';
import { createEvmNode } from '@crypto-checkout/chains/evm/node';
import { setUpEvm } from '@crypto-checkout/chains/evm/setup';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from '../sandbox/chains.ts';
import { createSandboxWorld } from '../sandbox/world.ts';

/** A chain that a test can drive. Every adapter must report the same events for it. */
interface Driver {
  adapter: ChainAdapter;
  kind: string;
  pay(target: DepositTarget, amount: string): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** A transaction with the same input that does not pay us. */
  replace(txid: string): Promise<string>;
  drop(txid: string): Promise<void>;
  /** Makes a pending payment fail when it is mined. */
  payAndFail(target: DepositTarget): Promise<{ txid: string; fail(): Promise<void> }>;
  /** Removes blocks with their transactions and adds at least as many empty ones. */
  reorganise(depth: number): Promise<void>;
  /** Scans before a transaction without a trace counts as gone, each after half a minute. */
  looksBeforeGone: number;
  advance(ms: number): void;
  stop(): Promise<void>;
}

const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });

async function sandboxDriver(chain: ChainId, kind: string): Promise<Driver> {
  const database = await testDatabase();
  const world = createSandboxWorld({ db: database.db, clock: testClock(), ids: testIds() });
  const pay = async (
    { watchKeys: [watchKey = ''], address }: DepositTarget,
    amount: string,
  ): Promise<string> => {
    const output = {
      asset: kindOf(kind)?.asset ?? '',
      address: address ?? '',
      watchKey,
      amount: parseAmount(amount),
    };
    return (await world.pay(chain, [output])).txid;
  };
  return {
    adapter: createSandboxChains({ db: database.db, keys }).get(chain)!,
    kind,
    pay,
    mine: async (blocks) => void (await world.mine(chain, blocks)),
    replace: async (txid) => (await world.replace(txid, false)).txid,
    drop: (txid) => world.drop(txid),
    async payAndFail(target) {
      const txid = await pay(target, '1');
      return { txid, fail: () => world.fail(txid) };
    },
    reorganise: async (depth) => void (await world.reorganise(chain, depth, true)),
    looksBeforeGone: 0,
    advance: () => {},
    stop: () => database.close(),
  };
}

async function anvilDriver(kind: 'ETH' | 'ETH_USDT'): Promise<Driver> {
  let now = 0;
  const { url, wallet, stop } = await startAnvil();
  const { abi, bytecode } = compileContracts()['Token']!;
  const deployed = await wallet.deployContract({ abi, bytecode });
  await wallet.mine({ blocks: 2 });
  const token = (await wallet.getTransactionReceipt({ hash: deployed })).contractAddress!;
  const node = createEvmNode(createJsonRpc({ url }));
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  const setup = await setUpEvm({ chain: 'ethereum', node, tokens: { ETH_USDT: token }, settings });
  const fee = (gwei: string): object => ({
    gas: 200_000n,
    maxFeePerGas: parseGwei(gwei),
    maxPriorityFeePerGas: parseGwei(gwei),
  });
  const transfer = (to: Address, units: bigint): Promise<Hex> =>
    wallet.sendTransaction({
      to: token,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, units] }),
      ...fee('5'),
    });
  const addressOf = (target: DepositTarget): Address => target.address as Address;
  return {
    adapter: createEvmAdapter({
      chain: 'ethereum',
      node,
      setup,
      keys,
      now: () => now,
    }),
    kind,
    pay(target, amount) {
      if (kind === 'ETH_USDT') return transfer(addressOf(target), toUnits(parseAmount(amount), 6));
      return wallet.sendTransaction({
        to: addressOf(target),
        value: toUnits(parseAmount(amount), 18),
        ...fee('5'),
      });
    },
    mine: (blocks) => wallet.mine({ blocks }),
    async replace(txid) {
      const { nonce } = await wallet.getTransaction({ hash: txid as Hex });
      return wallet.sendTransaction({ to: wallet.account.address, nonce, ...fee('50') });
    },
    drop: (txid) => wallet.dropTransaction({ hash: txid as Hex }),
    async payAndFail(target) {
      if (kind === 'ETH_USDT') {
        const txid = await transfer(addressOf(target), parseUnits('9', 18));
        return { txid, fail: () => wallet.mine({ blocks: 1 }) };
      }
      // An account whose code rejects payments.
      const txid = await wallet.sendTransaction({ to: addressOf(target), value: 1n, ...fee('5') });
      return {
        txid,
        async fail() {
          await wallet.setCode({ address: addressOf(target), bytecode: '0x60006000fd' });
          await wallet.mine({ blocks: 1 });
        },
      };
    },
    async reorganise(depth) {
      await wallet.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      await wallet.mine({ blocks: 1 });
    },
    looksBeforeGone: 2,
    advance: (ms) => void (now += ms),
    stop,
  };
}

describe.each<[string, () => Promise<Driver>]>([
  ['sandbox bitcoin', () => sandboxDriver('bitcoin', 'BTC')],
  ['sandbox ethereum', () => sandboxDriver('ethereum', 'ETH')],
  ['sandbox solana token', () => sandboxDriver('solana', 'USDC-SOL')],
  ['anvil coin', () => anvilDriver('ETH')],
  ['anvil token', () => anvilDriver('ETH_USDT')],
])('%s', (_, start) => {
  let driver: Driver;
  let target: DepositTarget;
  let cursor: Cursor | null;
  let index = 0;

  beforeAll(async () => {
    driver = await start();
    await driver.mine(1);
  });
  afterAll(() => driver.stop());
  beforeEach(async () => {
    const options = {
      kind: driver.kind,
      index: index++,
      amount: null,
      expirySeconds: 900,
      description: '',
      now: 0,
    };
    target = await driver.adapter.deriveTarget(options);
    cursor = null;
    await scanToTip();
  });

  /** Scans to the tip, with the cursor as the database returns it. */
  async function scanToTip(
    open: readonly OpenTransaction[] = [],
  ): Promise<ScanResult & { observed: Observation[] }> {
    const match = async (asked: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set(asked.filter((key) => target.watchKeys.includes(key)));
    const events: ScanEvent[] = [];
    for (;;) {
      const limits = { maxBlocks: 5, open, signal: AbortSignal.timeout(10_000) };
      const result = await driver.adapter.scan(
        JSON.parse(JSON.stringify(cursor)) as Cursor | null,
        match,
        limits,
      );
      cursor = result.cursor;
      events.push(...result.events);
      if (!result.caughtUp) continue;
      const observed = events.flatMap((event) =>
        event.type === 'observed' ? [event.observation] : [],
      );
      return { ...result, events, observed };
    }
  }

  /** Scans as often as a driver needs to report a transaction as gone; nothing else is reported. */
  async function scanUntilGone(
    open: readonly OpenTransaction[],
    reported = 0,
  ): Promise<ScanEvent[]> {
    if (reported > 0) return [];
    for (let look = 0; look < driver.looksBeforeGone; look += 1) {
      expect((await scanToTip(open)).events).toEqual([]);
      driver.advance(30_000);
    }
    return (await scanToTip(open)).events;
  }

  it('offers the tested kind', () => {
    expect(driver.adapter.kinds).toContain(driver.kind);
    expect(driver.adapter.network).toBe('testnet');
  });

  it('reports a payment in the mempool, in a block, and its depth', async () => {
    const txid = await driver.pay(target, '1.25');
    const waiting = await scanToTip();
    expect(waiting.observed).toMatchObject([
      { txid, asset: kindOf(driver.kind)?.asset, amount: parseAmount('1.25'), block: null },
    ]);
    expect(waiting.observed[0]?.conflicts).toHaveLength(1);
    await driver.mine(1);
    const mined = await scanToTip(waiting.observed);
    expect(mined.observed).toMatchObject([
      {
        key: waiting.observed[0]?.key,
        watchKey: waiting.observed[0]?.watchKey,
        block: { height: mined.tip },
      },
    ]);
    await driver.mine(11);
    const deep = await scanToTip(mined.observed);
    expect(deep.events).toEqual([]);
    expect(deep.tip).toBe(mined.tip + 11);
  });

  it('reports nothing twice, and no payments to others', async () => {
    await driver.pay(target, '2');
    await driver.mine(1);
    const { observed } = await scanToTip();
    expect(observed).toHaveLength(1);
    expect((await scanToTip(observed)).events).toEqual([]);
    const others = {
      ...target,
      watchKeys: ['evm:0x0000000000000000000000000000000000000001'],
      address: '0x0000000000000000000000000000000000000001',
    };
    await driver.pay(others, '3');
    await driver.mine(1);
    expect((await scanToTip(observed)).events).toEqual([]);
  });

  it('finds the same payments again from an old cursor', async () => {
    const before = cursor;
    await driver.pay(target, '1');
    await driver.pay(target, '2');
    await driver.mine(7);
    const first = await scanToTip();
    cursor = before;
    expect((await scanToTip()).events).toEqual(first.events);
    expect(first.observed).toHaveLength(2);
  });

  it('reverts payments of a reorganisation', async () => {
    await driver.mine(2);
    const fork = (await scanToTip()).tip;
    await driver.pay(target, '1');
    await driver.mine(2);
    const { observed } = await scanToTip();
    await driver.reorganise(2);
    const unmined = observed.map((payment) => ({ ...payment, block: null }));
    const { events } = await scanToTip(observed);
    expect(events[0]).toEqual({ type: 'rollback', toHeight: fork });
    expect([...events.slice(1), ...(await scanUntilGone(unmined, events.length - 1))]).toEqual([
      { type: 'gone', key: observed[0]?.key },
    ]);
  });

  it('names the replacing transaction', async () => {
    const txid = await driver.pay(target, '1');
    const { observed } = await scanToTip();
    const by = await driver.replace(txid);
    expect((await scanToTip(observed)).events).toEqual([
      { type: 'conflict', key: observed[0]?.key, by },
    ]);
    await driver.mine(1);
    expect((await scanToTip(observed)).events).toEqual([
      { type: 'conflict', key: observed[0]?.key, by },
    ]);
  });

  it('reports a dropped transaction as gone', async () => {
    const txid = await driver.pay(target, '1');
    const { observed } = await scanToTip();
    await driver.drop(txid);
    expect(await scanUntilGone(observed)).toEqual([{ type: 'gone', key: observed[0]?.key }]);
  });

  it('reports a failed transaction as failed', async () => {
    const { fail } = await driver.payAndFail(target);
    const { observed } = await scanToTip();
    expect(observed).toHaveLength(1);
    await fail();
    expect((await scanToTip(observed)).events).toMatchObject([
      { type: 'failed', key: observed[0]?.key },
    ]);
  });
});
