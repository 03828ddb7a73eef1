import { mnemonicToSeedSync } from '@scure/bip39';
import { type Address, encodeFunctionData, type Hex, parseEther, parseGwei } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { compileContracts, startAnvil, withoutMethods, type Anvil } from '../../../test/anvil.ts';
import type { ChainAdapter, Cursor, OpenTransaction, ScanResult } from '../adapter.ts';
import { publicKeysOf } from '../keys.ts';
import { createEvmChain } from './chain.ts';
import { createJsonRpc } from './json-rpc.ts';
import { createEvmNode } from './node.ts';
import { setUpEvm } from './setup.ts';

const seed = mnemonicToSeedSync('abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about');
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
let ignored: string[];
let nextIndex = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  [token, lookAlike, forwarder] = [await deploy('Token'), await deploy('LookAlike'), await deploy('Forwarder')];
  adapter = await open(anvil.url);
});
afterAll(() => anvil.stop());

beforeEach(async () => {
  ignored = [];
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
  return createEvmChain({
    chain: 'ethereum',
    node,
    setup,
    keys,
    balances: { addresses: async () => [us, alsoUs].map((address) => address.toLowerCase()) },
    onIgnoredToken: (txid) => ignored.push(txid),
  });
}

async function newAddress(): Promise<Address> {
  const options = { kind: 'ETH', index: nextIndex++, amount: null, expirySeconds: 900, description: '', now: 0 };
  const target = await adapter.deriveTarget(options);
  watched.add(target.watchKeys[0]!);
  return target.address as Address;
}

async function scan(from: Cursor | null, open: OpenTransaction[] = [], maxBlocks = 100, of = adapter): Promise<ScanResult> {
  const match = async (asked: readonly string[]): Promise<ReadonlySet<string>> => new Set(asked.filter((key) => watched.has(key)));
  return of.scan(from, match, { maxBlocks, open, signal: AbortSignal.timeout(10_000) });
}

/** Scans on from the last cursor, as it would come back from the database. */
async function next(open: OpenTransaction[] = [], of = adapter): Promise<ScanResult> {
  const result = await scan(JSON.parse(JSON.stringify(cursor)) as Cursor, open, 100, of);
  cursor = result.cursor;
  return result;
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
    data: encodeFunctionData({ abi: contracts['Token']!.abi, functionName: 'transfer', args: [to, value] }),
    gas: 200_000n,
    ...more,
  });

function call(name: string, functionName: string, args: unknown[], to: Address, ether = '0'): Promise<Hex> {
  const data = encodeFunctionData({ abi: contracts[name]!.abi, functionName, args });
  return anvil.wallet.sendTransaction({ to, data, value: parseEther(ether), gas: 500_000n });
}

describe('an Ethereum node', () => {
  it('shows a payment while it waits, then in its block', async () => {
    const txid = await send(us, '0.25');
    const waiting = await next();
    expect(observed(waiting)).toMatchObject([{ key: `${txid}:n`, txid, asset: 'ETH', amount: parseAmount('0.25'), block: null }]);
    await mine(3);
    const mined = await next(observed(waiting));
    expect(observed(mined)).toMatchObject([{ key: `${txid}:n`, block: { height: mined.tip - 2 } }]);
    expect(mined).toMatchObject({ caughtUp: true, cursor: { height: mined.tip } });
    expect((await next(observed(mined))).events).toEqual([]);
  });

  it('shows a token payment under one key, waiting and mined', async () => {
    const txid = await transfer(token, us, 2_500_000n);
    const waiting = await next();
    expect(observed(waiting)).toMatchObject([{ key: `${txid}:0`, asset: 'ETH_USDT', amount: parseAmount('2.5'), block: null }]);
    await mine();
    const mined = await next(observed(waiting));
    expect(observed(mined)).toMatchObject([{ key: `${txid}:0`, asset: 'ETH_USDT', amount: parseAmount('2.5') }]);
    expect(mined.events).toHaveLength(1);
  });

  it('counts each transfer of one transaction', async () => {
    const txid = await call('Token', 'transferToAll', [[us, alsoUs, us], 1_000_000n], token);
    await mine();
    const seen = observed(await next());
    expect(seen.map(({ key }) => key)).toEqual([`${txid}:0`, `${txid}:1`, `${txid}:2`]);
    expect(new Set(seen.map(({ watchKey }) => watchKey)).size).toBe(2);
  });

  it('finds internal transfers, and none that was reverted inside', async () => {
    const paid = await call('Forwarder', 'pay', [us], forwarder, '0.1');
    await call('Forwarder', 'tryToPay', [us], forwarder, '0.2');
    await call('Forwarder', 'payAndRevert', [us], forwarder, '0.3');
    await mine();
    expect(await next()).toMatchObject({ events: [{ type: 'observed', observation: { key: `${paid}:i0`, amount: parseAmount('0.1') } }] });
    expect(await anvil.wallet.getBalance({ address: us })).toBe(parseEther('0.1'));
  });

  it('ignores a look-alike token, and says so', async () => {
    const txid = await transfer(lookAlike, us, 1_000_000_000n);
    expect((await next()).events).toEqual([]);
    await mine();
    expect((await next()).events).toEqual([]);
    expect(ignored).toEqual([txid]);
  });

  it('reports a payment that failed on the chain', async () => {
    const txid = await transfer(token, us, 9_000_000_000_000n);
    const waiting = await next();
    expect(observed(waiting)).toHaveLength(1);
    await mine();
    expect((await next(observed(waiting))).events).toEqual([{ type: 'failed', key: `${txid}:0`, reason: 'reverted on the chain' }]);
  });

  it('does not credit the value of a transaction that failed', async () => {
    await anvil.wallet.setCode({ address: us, bytecode: '0x60006000fd' });
    await send(us, '1');
    await mine();
    expect((await next()).events).toEqual([]);
    await anvil.wallet.setCode({ address: us, bytecode: '0x' });
  });

  it('reports the transaction that took the place of a waiting one', async () => {
    const nonce = await anvil.wallet.getTransactionCount({ address: anvil.wallet.account.address });
    const fee = (gwei: string): object => ({ nonce, maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: parseGwei(gwei) });
    const txid = await send(us, '0.4', fee('10'));
    const waiting = await next();
    const rival = await send(forwarder, '0', { ...fee('30'), to: anvil.wallet.account.address });
    expect((await next(observed(waiting))).events).toEqual([{ type: 'conflict', key: `${txid}:n`, by: rival }]);
    await mine();
    expect((await next(observed(waiting))).events).toEqual([{ type: 'conflict', key: `${txid}:n`, by: rival }]);
  });

  it('tells a transaction that left the mempool from a replaced one', async () => {
    const txid = await send(us, '0.4');
    const waiting = await next();
    await anvil.wallet.dropTransaction({ hash: txid });
    expect((await next(observed(waiting))).events).toEqual([{ type: 'gone', key: `${txid}:n` }]);
  });

  it('finds a reorganisation that happened while it was stopped', async () => {
    const before = cursor.height;
    const native = await send(us, '0.7');
    const tokens = await transfer(token, us, 5_000_000n);
    await mine();
    await mine(2);
    const seen = await next();
    expect(observed(seen)).toHaveLength(2);
    await anvil.wallet.request({ method: 'anvil_reorg', params: [3, []] } as never);
    await mine(2);
    const after = await next(observed(seen));
    expect(after.events).toEqual([
      { type: 'rollback', toHeight: before },
      { type: 'gone', key: `${native}:n` },
      { type: 'gone', key: `${tokens}:0` },
    ]);
    expect((await next()).events).toEqual([]);
  });

  it('keeps the key of a transfer that a reorganisation puts into another block', async () => {
    const raw = await anvil.wallet.prepareTransactionRequest({
      to: token,
      data: encodeFunctionData({ abi: contracts['Token']!.abi, functionName: 'transfer', args: [us, 7_000_000n] }),
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

  it('sees a payment wait again that a reorganisation put back into the mempool', async () => {
    const prepared = await anvil.wallet.prepareTransactionRequest({ to: us, value: parseEther('0.3'), gas: 100_000n });
    const serializedTransaction = await anvil.wallet.account.signTransaction(prepared as never);
    const txid = await anvil.wallet.sendRawTransaction({ serializedTransaction });
    await mine();
    const seen = await next();
    await anvil.wallet.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await anvil.wallet.sendRawTransaction({ serializedTransaction });
    const after = await next(observed(seen));
    expect(after.events).toMatchObject([{ type: 'rollback' }, { type: 'observed', observation: { key: `${txid}:n`, block: null } }]);
    await mine();
    expect(observed(await next(observed(after)))).toMatchObject([{ key: `${txid}:n`, block: { height: cursor.height } }]);
  });

  it('reads many blocks in pieces', async () => {
    await mine(45);
    const txid = await send(us, '0.01');
    await mine();
    const first = await scan(cursor, [], 25);
    expect(first).toMatchObject({ caughtUp: false, events: [], cursor: { height: cursor.height + 25 } });
    const second = await scan(first.cursor, [], 25);
    expect(observed(second).map((observation) => observation.txid)).toEqual([txid]);
    expect(second.caughtUp).toBe(true);
  });

  it('begins anew with the cursor of another chain, and calls what was there gone', async () => {
    const foreign: Cursor = { height: 900_000, hash: '0x1', ring: [{ height: 900_000, hash: '0x1' }], extra: { source: 'sandbox' } };
    const txid = `0x${'ab'.repeat(32)}`;
    const open = [{ key: `${txid}:0`, txid, conflicts: [], block: { height: 12, hash: '0x12' } }];
    expect((await scan(foreign, open)).events).toEqual([
      { type: 'rollback', toHeight: -1 },
      { type: 'gone', key: `${txid}:0` },
    ]);
  });

  it('says that it is well, and that it is not', async () => {
    expect(await adapter.health()).toMatchObject({ ok: true, detail: null });
    expect(adapter).toMatchObject({ network: 'testnet', source: 'node', kinds: ['ETH', 'ETH_USDT'], mempool: true });
  });
});

describe('a node that can not trace', () => {
  it('puts what no transaction explains on the operator’s list, once', async () => {
    const door = await withoutMethods(anvil.url, /^debug_/);
    const limited = await open(door.url);
    cursor = (await scan(null, [], 100, limited)).cursor;
    await send(us, '0.5');
    await call('Forwarder', 'pay', [us], forwarder, '0.1');
    await call('Forwarder', 'tryToPay', [alsoUs], forwarder, '0.2');
    await mine();
    const { events } = await next([], limited);
    expect(events).toMatchObject([
      { type: 'observed', observation: { amount: parseAmount('0.5') } },
      { type: 'unexplained', unexplained: { asset: 'ETH', address: us.toLowerCase(), amount: parseAmount('0.1'), txid: null } },
    ]);
    await mine();
    expect((await next([], limited)).events).toEqual([]);
    await door.stop();
  });

  it('is told from a node that is gone', async () => {
    const door = await withoutMethods(anvil.url, /^debug_/);
    const limited = await open(door.url);
    await door.stop();
    expect(await limited.health()).toMatchObject({ ok: false, detail: 'The node does not answer' });
    await expect(scan(cursor, [], 100, limited)).rejects.toThrow(/does not answer/);
    await expect(open(door.url)).rejects.toThrow(/ETH_RPC_URL names a node that does not answer/);
  });
});

describe('setUpEvm', () => {
  const node = () => createEvmNode(createJsonRpc({ url: anvil.url }));
  const refusal = (tokens: Record<string, string>) => setUpEvm({ chain: 'ethereum', node: node(), tokens, settings });

  it.each([
    ['wrong decimals', () => ({ ETH_DAI: token }), /has 6 decimals, not 18/],
    ['no contract', () => ({ ETH_USDT: `0x${'12'.repeat(20)}` }), /no token contract/],
    ['a contract that is no token', () => ({ ETH_USDT: forwarder }), /no token contract/],
    ['a token of another chain', () => ({ 'USDC-BASE': token }), /no token on Ethereum/],
    ['the coin itself', () => ({ ETH: token }), /no token on Ethereum/],
    ['one contract twice', () => ({ ETH_USDT: token, ETH_USDC: token }), /the same contract/],
    ['no address', () => ({ ETH_USDT: '0x12' }), /not an address/],
  ])('refuses %s', async (_, tokens, message) => {
    await expect(refusal(tokens())).rejects.toThrow(message);
  });

  it('offers no token on a test network unless its contracts are given', async () => {
    const setup = await setUpEvm({ chain: 'ethereum', node: node(), tokens: null, settings });
    expect(setup).toMatchObject({ network: 'testnet', canTrace: true });
    expect(setup.assets.tokens.size).toBe(0);
  });

  it.each([
    [137, null],
    [10, null],
    [1, 'mainnet'],
    [11_155_111, 'testnet'],
  ])('knows what chain %i is', async (chainId, network) => {
    const other = { ...node(), chainId: async () => chainId, tokenDecimals: async () => null };
    const setup = setUpEvm({ chain: 'ethereum', node: other, tokens: {}, settings });
    if (network === null) await expect(setup).rejects.toThrow(/neither Ethereum/);
    else expect(await setup).toMatchObject({ network, source: expect.stringContaining(`evm:${chainId}:0x`) });
  });
});
