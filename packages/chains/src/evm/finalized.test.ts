import { mnemonicToSeedSync } from '@scure/bip39';
import { type Hex, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../../test/support/anvil.ts';
import { startRpcProxy, type RpcProxy } from '../../test/support/rpc-proxy.ts';
import type { ChainAdapter } from '../adapter.ts';
import { createJsonRpc } from '../json-rpc.ts';
import { publicKeysOf } from '../keys.ts';
import { createEvmAdapter } from './adapter.ts';
import { createEvmNode } from './node.ts';
import { setUpEvm } from './setup.ts';

// Published test words without funds.
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'mainnet' });
const settings = { url: 'POLYGON_RPC_URL', tokens: 'POLYGON_TOKENS' };

let anvil: Anvil;
let proxy: RpcProxy;
let adapter: ChainAdapter;
let newest: { number: bigint; hash: Hex };

beforeAll(async () => {
  anvil = await startAnvil('--chain-id', '137', '--slots-in-an-epoch', '1');
  proxy = await startRpcProxy(anvil.url);
  const node = createEvmNode(createJsonRpc({ url: proxy.url }));
  const setup = await setUpEvm({ chain: 'polygon', node, tokens: {}, settings });
  adapter = createEvmAdapter({ chain: 'polygon', node, setup, keys });
});
afterEach(() => proxy.change(null));
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});

const scan = async () => {
  const begun = await adapter.scan(null, none, limits());
  await anvil.wallet.mine({ blocks: 10 });
  return adapter.scan(begun.cursor, none, limits());
};
const none = async () => new Set<string>();
const limits = () => ({ maxBlocks: 25, open: [], signal: new AbortController().signal });
/** Changes the answer for the finalized block only. */
const finalizedAs = (answer: (block: Record<string, unknown>) => unknown): void =>
  proxy.change(({ method, params }, own) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? { result: answer(own.result as Record<string, unknown>) }
      : own,
  );

it('is the block that the node names', async () => {
  const { finalized } = await scan();
  const { number } = await anvil.wallet.getBlock({ blockTag: 'finalized' });
  expect(finalized).toBe(Number(number));
});

it('is one call for each look, however many blocks are new', async () => {
  const before = proxy.calls('eth_getBlockByNumber');
  await scan();
  const perLook = proxy.calls('eth_getBlockByNumber') - before;
  // Two looks; each reads the newest block, the pending one and the finalized one. Ten blocks are
  // new, and the second look begins at the hash of the first.
  expect(perLook).toBeLessThanOrEqual(2 * 3 + 10 + 1);
});

it.each([
  ['there is none', () => null],
  [
    'it is the newest block, which is final on no chain',
    (block: Record<string, unknown>) => ({
      ...block,
      number: toHex(newest.number),
      hash: newest.hash,
    }),
  ],
  [
    'its hash is not the scanned one',
    (block: Record<string, unknown>) => ({ ...block, hash: `0x${'ab'.repeat(32)}` }),
  ],
  [
    'it is above the newest block',
    (block: Record<string, unknown>) => ({ ...block, number: '0xffffff' }),
  ],
])('is unknown when %s', async (_, answer) => {
  const begun = await adapter.scan(null, none, limits());
  await anvil.wallet.mine({ blocks: 10 });
  newest = await anvil.wallet.getBlock();
  finalizedAs(answer);
  expect((await adapter.scan(begun.cursor, none, limits())).finalized).toBeUndefined();
});

it('is unknown when the node refuses the call', async () => {
  proxy.change(({ method, params }, own) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? { error: { code: -39001, message: 'finalized block not found' } }
      : own,
  );
  expect((await scan()).finalized).toBeUndefined();
});
