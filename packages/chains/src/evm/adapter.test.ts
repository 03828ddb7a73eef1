import { mnemonicToSeedSync } from '@scure/bip39';
import { type Address, encodeFunctionData, type Hex, parseEther, parseGwei } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import {
  compileContracts,
  startAnvil,
  withoutMethods,
  type Anvil,
} from '../../test/support/anvil.ts';
import { answering, startRpcProxy } from '../../test/support/rpc-proxy.ts';
import type { ChainAdapter, Cursor, OpenTransaction, ScanResult } from '../adapter.ts';
import { publicKeysOf } from '../keys.ts';
import { createEvmAdapter } from './adapter.ts';
import { createJsonRpc } from '../json-rpc.ts';
import { createEvmNode } from './node.ts';
import { setUpEvm } from './setup.ts';

const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const contracts = compileContracts();
const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };

let anvil: Anvil;
let token: Address;
let lookAlike: Address;
let forwarder: Address;
let adapter: ChainAdapter;
let cursor: Cursor;
let us: Address;
let alsoUs: Address;
let watched: Set<string>;
let nextIndex = 0;
let now = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  [token, lookAlike, forwarder] = [
    await deploy('Token'),
    await deploy('LookAlike'),
    await deploy('Forwarder'),
  ];
  adapter = await open(anvil.url);
});
afterAll(() => anvil.stop());

beforeEach(async () => {
  watched = new Set();
  [us, alsoUs] = [await newAddress(), await newAddress()];
  cursor = (await scan(null)).cursor;
});

async function deploy(name: string): Promise<Address> {
  const { abi, bytecode } = contracts[name]!;
  const hash = await anvil.wallet.deployContract({ abi, bytecode });
  await anvil.wallet.mine({ blocks: 1 });
  return (await anvil.wallet.getTransactionReceipt({ hash })).contractAddress!;
}

async function open(url: string): Promise<ChainAdapter> {
  const node = createEvmNode(createJsonRpc({ url }));
  const setup = await setUpEvm({ chain: 'ethereum', node, tokens: { ETH_USDT: token }, settings });
  return createEvmAdapter({
    chain: 'ethereum',
    node,
    setup,
    keys,
    now: () => now,
  });
}

async function newAddress(): Promise<Address> {
  const options = {
    kind: 'ETH',
    index: nextIndex++,
    amount: null,
    expirySeconds: 900,
    description: '',
    now: 0,
  };
  const target = await adapter.deriveTarget(options);
  watched.add(target.watchKeys[0]!);
  return target.address as Address;
}

async function scan(
  from: Cursor | null,
  open: OpenTransaction[] = [],
  maxBlocks = 100,
  of = adapter,
): Promise<ScanResult> {
  const match = async (asked: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set(asked.filter((key) => watched.has(key)));
  return of.scan(from, match, { maxBlocks, open, signal: AbortSignal.timeout(10_000) });
}

/** Continues from the last cursor after a JSON round trip, as the database stores it. */
async function next(open: OpenTransaction[] = [], of = adapter): Promise<ScanResult> {
  const result = await scan(JSON.parse(JSON.stringify(cursor)) as Cursor, open, 100, of);
  cursor = result.cursor;
  return result;
}

/** Scans until a transaction without a trace counts as gone. */
async function nextAfterMinute(open: OpenTransaction[]): Promise<ScanResult> {
  for (let look = 0; look < 2; look += 1) {
    expect((await next(open)).events).toEqual([]);
    now += 30_000;
  }
  return next(open);
}

function observed({ events }: ScanResult) {
  return events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));
}

const send = (to: Address, ether: string, more: object = {}): Promise<Hex> =>
  anvil.wallet.sendTransaction({ to, value: parseEther(ether), gas: 100_000n, ...more });
const mine = (blocks = 1): Promise<void> => anvil.wallet.mine({ blocks });
const transfer = (contract: Address, to: Address, value: bigint, more: object = {}): Promise<Hex> =>
  anvil.wallet.sendTransaction({
    to: contract,
    data: encodeFunctionData({
      abi: contracts['Token']!.abi,
      functionName: 'transfer',
      args: [to, value],
    }),
    gas: 200_000n,
    ...more,
  });

function call(
  name: string,
  functionName: string,
  args: unknown[],
  to: Address,
  ether = '0',
): Promise<Hex> {
  const data = encodeFunctionData({ abi: contracts[name]!.abi, functionName, args });
  return anvil.wallet.sendTransaction({ to, data, value: parseEther(ether), gas: 500_000n });
}

describe('createEvmAdapter', () => {
  it('reports a payment in the mempool, then in its block', async () => {
    const txid = await send(us, '0.25');
    const waiting = await next();
    expect(observed(waiting)).toMatchObject([
      { key: `${txid}:n`, txid, asset: 'ETH', amount: parseAmount('0.25'), block: null },
    ]);
    await mine(3);
    const mined = await next(observed(waiting));
    expect(observed(mined)).toMatchObject([{ key: `${txid}:n`, block: { height: mined.tip - 2 } }]);
    expect(mined).toMatchObject({ caughtUp: true, cursor: { height: mined.tip } });
    expect((await next(observed(mined))).events).toEqual([]);
  });

  it('reports a token payment under the same key in the mempool and in a block', async () => {
    const txid = await transfer(token, us, 2_500_000n);
    const waiting = await next();
    expect(observed(waiting)).toMatchObject([
      { key: `${txid}:0`, asset: 'ETH_USDT', amount: parseAmount('2.5'), block: null },
    ]);
    await mine();
    const mined = await next(observed(waiting));
    expect(observed(mined)).toMatchObject([
      { key: `${txid}:0`, asset: 'ETH_USDT', amount: parseAmount('2.5') },
    ]);
    expect(mined.events).toHaveLength(1);
  });

  it('reports each transfer of one transaction', async () => {
    const txid = await call('Token', 'transferToAll', [[us, alsoUs, us], 1_000_000n], token);
    await mine();
    const seen = observed(await next());
    expect(seen.map(({ key }) => key)).toEqual([`${txid}:0`, `${txid}:1`, `${txid}:2`]);
    expect(new Set(seen.map(({ watchKey }) => watchKey)).size).toBe(2);
  });

  it('reports internal transfers except reverted ones', async () => {
    const paid = await call('Forwarder', 'pay', [us], forwarder, '0.1');
    await call('Forwarder', 'tryToPay', [us], forwarder, '0.2');
    await call('Forwarder', 'payAndRevert', [us], forwarder, '0.3');
    await mine();
    expect(await next()).toMatchObject({
      events: [
        { type: 'observed', observation: { key: `${paid}:i0`, amount: parseAmount('0.1') } },
      ],
    });
    expect(await anvil.wallet.getBalance({ address: us })).toBe(parseEther('0.1'));
  });

  it('reports a look-alike token apart from payments', async () => {
    const txid = await transfer(lookAlike, us, 1_000_000_000n);
    expect((await next()).events).toEqual([]);
    await mine();
    const { events, cursor: at } = await next();
    expect(events).toEqual([
      {
        type: 'unlisted',
        transfer: {
          key: `${txid}:0`,
          txid,
          contract: lookAlike.toLowerCase(),
          watchKey: `evm:${us.toLowerCase()}`,
          units: 1_000_000_000n,
          height: at.height,
        },
      },
    ]);
  });

  it('reports a reverted payment as failed', async () => {
    const txid = await transfer(token, us, 9_000_000_000_000n);
    const waiting = await next();
    expect(observed(waiting)).toHaveLength(1);
    await mine();
    expect((await next(observed(waiting))).events).toEqual([
      { type: 'failed', key: `${txid}:0`, reason: 'reverted on the chain' },
    ]);
  });

  it('does not report the value of a failed transaction', async () => {
    await anvil.wallet.setCode({ address: us, bytecode: '0x60006000fd' });
    await send(us, '1');
    await mine();
    expect((await next()).events).toEqual([]);
    await anvil.wallet.setCode({ address: us, bytecode: '0x' });
  });

  it('reports the replacement of a pending transaction as a conflict', async () => {
    const nonce = await anvil.wallet.getTransactionCount({ address: anvil.wallet.account.address });
    const fee = (gwei: string): object => ({
      nonce,
      maxFeePerGas: parseGwei(gwei),
      maxPriorityFeePerGas: parseGwei(gwei),
    });
    const txid = await send(us, '0.4', fee('10'));
    const waiting = await next();
    const rival = await send(forwarder, '0', { ...fee('30'), to: anvil.wallet.account.address });
    expect((await next(observed(waiting))).events).toEqual([
      { type: 'conflict', key: `${txid}:n`, by: rival },
    ]);
    await mine();
    expect((await next(observed(waiting))).events).toEqual([
      { type: 'conflict', key: `${txid}:n`, by: rival },
    ]);
  });

  it('reports a transaction that left the mempool as gone, not as replaced', async () => {
    const txid = await send(us, '0.4');
    const waiting = await next();
    await anvil.wallet.dropTransaction({ hash: txid });
    expect((await nextAfterMinute(observed(waiting))).events).toEqual([
      { type: 'gone', key: `${txid}:n` },
    ]);
  });

  it('finds a reorganisation during a downtime', async () => {
    const before = cursor.height;
    const native = await send(us, '0.7');
    const tokens = await transfer(token, us, 5_000_000n);
    await mine();
    await mine(2);
    const seen = await next();
    expect(observed(seen)).toHaveLength(2);
    await anvil.wallet.request({ method: 'anvil_reorg', params: [3, []] } as never);
    await mine(2);
    expect((await next(observed(seen))).events).toEqual([{ type: 'rollback', toHeight: before }]);
    const unmined = observed(seen).map((transaction) => ({ ...transaction, block: null }));
    expect((await nextAfterMinute(unmined)).events).toEqual([
      { type: 'gone', key: `${native}:n` },
      { type: 'gone', key: `${tokens}:0` },
    ]);
    expect((await next()).events).toEqual([]);
  });

  it('keeps the key of a transfer when a reorganisation moves it to another block', async () => {
    const raw = await anvil.wallet.prepareTransactionRequest({
      to: token,
      data: encodeFunctionData({
        abi: contracts['Token']!.abi,
        functionName: 'transfer',
        args: [us, 7_000_000n],
      }),
      gas: 200_000n,
    });
    const serialized = await anvil.wallet.account.signTransaction(raw as never);
    const txid = await anvil.wallet.sendRawTransaction({ serializedTransaction: serialized });
    await mine(2);
    const seen = await next();
    await anvil.wallet.request({ method: 'anvil_reorg', params: [2, [[serialized, 1]]] } as never);
    await mine();
    const after = await next(observed(seen));
    expect(after.events[0]).toMatchObject({ type: 'rollback' });
    expect(observed(after)).toMatchObject([{ key: `${txid}:0`, amount: parseAmount('7') }]);
    expect(observed(after)[0]?.block?.hash).not.toBe(observed(seen)[0]?.block?.hash);
    expect(after.events).toHaveLength(2);
  });

  it('reports a payment as pending again when a reorganisation returns it to the mempool', async () => {
    const prepared = await anvil.wallet.prepareTransactionRequest({
      to: us,
      value: parseEther('0.3'),
      gas: 100_000n,
    });
    const serializedTransaction = await anvil.wallet.account.signTransaction(prepared as never);
    const txid = await anvil.wallet.sendRawTransaction({ serializedTransaction });
    await mine();
    const seen = await next();
    await anvil.wallet.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await anvil.wallet.sendRawTransaction({ serializedTransaction });
    const after = await next(observed(seen));
    expect(after.events).toMatchObject([
      { type: 'rollback' },
      { type: 'observed', observation: { key: `${txid}:n`, block: null } },
    ]);
    await mine();
    expect(observed(await next(observed(after)))).toMatchObject([
      { key: `${txid}:n`, block: { height: cursor.height } },
    ]);
  });

  it('stops at maxBlocks and continues in the next scan', async () => {
    await mine(45);
    const txid = await send(us, '0.01');
    await mine();
    const first = await scan(cursor, [], 25);
    expect(first).toMatchObject({
      caughtUp: false,
      events: [],
      cursor: { height: cursor.height + 25 },
    });
    const second = await scan(first.cursor, [], 25);
    expect(observed(second).map((observation) => observation.txid)).toEqual([txid]);
    expect(second.caughtUp).toBe(true);
  });

  it('restarts on a cursor of another chain and reports its transactions as gone', async () => {
    const foreign: Cursor = {
      height: 900_000,
      hash: '0x1',
      ring: [{ height: 900_000, hash: '0x1' }],
      extra: { source: 'sandbox' },
    };
    const txid = `0x${'ab'.repeat(32)}`;
    const open = [{ key: `${txid}:0`, txid, conflicts: [], block: { height: 12, hash: '0x12' } }];
    expect((await scan(foreign, open)).events).toEqual([
      { type: 'rollback', toHeight: -1 },
      { type: 'gone', key: `${txid}:0` },
    ]);
  });

  it('reports its health, network and kinds', async () => {
    expect(await adapter.health()).toMatchObject({ ok: true, detail: null });
    expect(adapter).toMatchObject({
      network: 'testnet',
      source: 'node',
      kinds: ['ETH', 'ETH_USDT'],
      mempool: true,
    });
  });
});

describe('a node without tracing', () => {
  it('reads the coin only from transactions, and all of it from balances', async () => {
    const proxy = await withoutMethods(anvil.url, /^debug_/);
    const limited = await open(proxy.url);
    cursor = (await scan(null, [], 100, limited)).cursor;
    const addresses = [us, alsoUs].map((address) => address.toLowerCase());
    const before = (await limited.balancesAt!(cursor.height, addresses))!;
    await send(us, '0.5');
    await call('Forwarder', 'pay', [us], forwarder, '0.1');
    await call('Forwarder', 'tryToPay', [alsoUs], forwarder, '0.2');
    await call('Token', 'transfer', [alsoUs, 7n], token);
    await mine();
    const { events } = await next([], limited);
    expect(events).toMatchObject([
      { type: 'observed', observation: { asset: 'ETH', amount: parseAmount('0.5') } },
      { type: 'observed', observation: { asset: 'ETH_USDT' } },
    ]);
    const after = (await limited.balancesAt!(cursor.height, addresses))!;
    expect(after.map(({ amount }, at) => formatAmount(amount - before[at]!.amount))).toEqual([
      '0.6',
      '0',
      '0',
      '0.000007',
    ]);
    expect(after.map(({ address, asset }) => [address, asset])).toEqual([
      [addresses[0], 'ETH'],
      [addresses[1], 'ETH'],
      [addresses[0], 'ETH_USDT'],
      [addresses[1], 'ETH_USDT'],
    ]);
    await proxy.stop();
  });

  it('is distinguished from an unreachable node', async () => {
    const proxy = await withoutMethods(anvil.url, /^debug_/);
    const limited = await open(proxy.url);
    await proxy.stop();
    expect(await limited.health()).toMatchObject({ ok: false, detail: 'The node does not answer' });
    await expect(scan(cursor, [], 100, limited)).rejects.toThrow(/does not answer/);
    await expect(open(proxy.url)).rejects.toThrow(/ETH_RPC_URL: the node does not respond/);
  });

  it('is distinguished from a node that goes away while it is tried', async () => {
    let isGone = false;
    const rpc = createJsonRpc({
      url: anvil.url,
      attempts: 1,
      fetch: async (input, init) => {
        isGone ||= (init!.body as string).includes('debug_');
        if (isGone) throw new TypeError('fetch failed');
        return fetch(input, init);
      },
    });
    const node = createEvmNode(rpc);
    await expect(setUpEvm({ chain: 'ethereum', node, tokens: {}, settings })).rejects.toThrow(
      'ETH_RPC_URL: the node does not respond',
    );
  });
});

describe('setUpEvm', () => {
  const node = () => createEvmNode(createJsonRpc({ url: anvil.url }));
  const setUpWith = (tokens: Record<string, string>) =>
    setUpEvm({ chain: 'ethereum', node: node(), tokens, settings });

  it.each([
    ['wrong decimals', () => ({ ETH_DAI: token }), /has 6 decimals, not 18/],
    ['no contract', () => ({ ETH_USDT: `0x${'12'.repeat(20)}` }), /no token contract/],
    ['a contract that is no token', () => ({ ETH_USDT: forwarder }), /no token contract/],
    ['a token of another chain', () => ({ 'USDC-BASE': token }), /no token on Ethereum/],
    ['the coin itself', () => ({ ETH: token }), /no token on Ethereum/],
    ['a contract listed twice', () => ({ ETH_USDT: token, ETH_USDC: token }), /the same contract/],
    ['no address', () => ({ ETH_USDT: '0x12' }), /not an address/],
  ])('rejects %s', async (_, tokens, message) => {
    await expect(setUpWith(tokens())).rejects.toThrow(message);
  });

  it('refuses the contract of another known token on a main network', async () => {
    const main = { ...node(), chainId: async () => 1 };
    const tokenWith = (symbol: string | null, tokens: Record<string, string>) =>
      setUpEvm({
        chain: 'ethereum',
        node: { ...main, tokenSymbol: async () => symbol },
        tokens,
        settings,
      });
    await expect(
      setUpEvm({ chain: 'ethereum', node: main, tokens: { ETH_USDC: token }, settings }),
    ).rejects.toThrow(
      `ETH_TOKENS: the contract of ETH_USDC at ${token.toLowerCase()} is that of USDT; set the contract of ETH_USDC.`,
    );
    await setUpEvm({ chain: 'ethereum', node: main, tokens: { ETH_USDT: token }, settings });
    for (const symbol of ['usdt', 'USD₮0', 'FAUCET', null])
      expect((await tokenWith(symbol, { ETH_USDT: token })).assets.tokens.size).toBe(1);
    await expect(tokenWith('usdc', { ETH_USDT: token })).rejects.toThrow(/is that of USDC/);
  });

  it('lists no tokens on a test network without configured contracts', async () => {
    const setup = await setUpEvm({ chain: 'ethereum', node: node(), tokens: null, settings });
    expect(setup).toMatchObject({ network: 'testnet', canTrace: true });
    expect(setup.assets.tokens.size).toBe(0);
  });

  it.each([
    [137, null],
    [10, null],
    [1, 'mainnet'],
    [11_155_111, 'testnet'],
  ])('detects the network of chain %i', async (chainId, network) => {
    const other = { ...node(), chainId: async () => chainId, tokenDecimals: async () => null };
    const setup = setUpEvm({ chain: 'ethereum', node: other, tokens: {}, settings });
    if (network === null) await expect(setup).rejects.toThrow(/neither Ethereum/);
    else
      expect(await setup).toMatchObject({
        network,
        source: expect.stringContaining(`evm:${chainId}:0x`),
      });
  });

  it.each([
    [{ currentBlock: '0x64', highestBlock: '0x3e8' }, true],
    [{ currentBlock: '0x3e0', highestBlock: '0x3e8' }, false],
    [{ stages: [] }, false],
    [false, false],
  ])('with the sync state %j waits: %s', async (result, waits) => {
    const proxy = await startRpcProxy(anvil.url);
    proxy.change(answering(/^eth_syncing$/, result));
    const other = createEvmNode(createJsonRpc({ url: proxy.url }));
    const setup = setUpEvm({ chain: 'ethereum', node: other, tokens: {}, settings });
    if (waits)
      await expect(setup).rejects.toThrow(
        'ETH_RPC_URL: the node is still synchronising (block 100 of 1000); its chain is offered when it has caught up.',
      );
    else expect(await setup).toMatchObject({ network: 'testnet' });
    await proxy.stop();
  });
});
