import { expect, it } from 'vitest';
import { type BitcoinNetworkName, bitcoinNetwork, type UtxoChainId } from './network.ts';
import type { BitcoinNode } from './node.ts';
import { setUpBitcoin } from './setup.ts';

/** Blocks 0 as each project's `chainparams.cpp` has them. */
const GENESIS = {
  main: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  testnet3: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  testnet4: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  signet: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  litecoin: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
  litecoinTest: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
  dogecoin: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
  dogecoinTest: 'bb0a78264637406b6360aad926284d544d7049f45189db5664f3c4d07350559e',
};
const settings = {
  url: 'X_RPC_URL',
  network: 'X_NETWORK',
  user: 'X_RPC_USER',
  password: 'X_RPC_PASSWORD',
  cookie: 'X_RPC_COOKIE',
};

/** A synchronised node that says so of itself. */
function nodeOf(chain: string, genesis: string): BitcoinNode {
  const tip = { height: 900, hash: 'ab'.repeat(32), time: 0 };
  return {
    chainInfo: async () => ({ chain, blocks: 900, headers: 900 }),
    hashesAt: async () => [genesis],
    probeVerboseBlocks: async () => {},
    mempool: async () => [],
    transactions: async () => [null],
    tip: async () => tip,
  } as unknown as BitcoinNode;
}

const setUp = (
  [chain, name]: [UtxoChainId, BitcoinNetworkName],
  node: [string, keyof typeof GENESIS],
) =>
  setUpBitcoin({
    network: bitcoinNetwork(chain, name),
    node: nodeOf(node[0], GENESIS[node[1]]),
    settings,
  });

it.each<[UtxoChainId, BitcoinNetworkName, string, keyof typeof GENESIS, 'mainnet' | 'testnet']>([
  ['bitcoin', 'main', 'main', 'main', 'mainnet'],
  ['bitcoin', 'test4', 'testnet4', 'testnet4', 'testnet'],
  ['bitcoin', 'signet', 'signet', 'signet', 'testnet'],
  ['bitcoin', 'regtest', 'regtest', 'main', 'testnet'],
  ['litecoin', 'main', 'main', 'litecoin', 'mainnet'],
  ['litecoin', 'test', 'test', 'litecoinTest', 'testnet'],
  ['dogecoin', 'main', 'main', 'dogecoin', 'mainnet'],
  ['dogecoin', 'test', 'test', 'dogecoinTest', 'testnet'],
])('a node of %s in the network %s is taken as it names itself', async (...row) => {
  const [chain, name, nodeName, genesis, account] = row;
  const { network, source } = await setUp([chain, name], [nodeName, genesis]);
  expect(network).toMatchObject({ chain, account });
  expect(source).toBe(`${chain}:${name}:${GENESIS[genesis]}`);
});

it.each<[BitcoinNetworkName, string, keyof typeof GENESIS, string]>([
  ['test4', 'test', 'testnet3', 'X_RPC_URL serves the network test, but X_NETWORK is test4'],
  ['main', 'testnet4', 'testnet4', 'X_RPC_URL serves the network testnet4, but X_NETWORK is main'],
  ['main', 'main', 'litecoin', 'X_RPC_URL is no node of Bitcoin: its first block is another one'],
  ['test4', 'testnet4', 'testnet3', 'X_RPC_URL is no node of Bitcoin: its first block is another'],
])('BTC_NETWORK=%s refuses a node in the network %s with block 0 of %s', async (...row) => {
  const [name, nodeName, genesis, sentence] = row;
  await expect(setUp(['bitcoin', name], [nodeName, genesis])).rejects.toThrow(sentence);
});

it('Bitcoin has no network `test`, only `test4`', () => {
  expect(() => bitcoinNetwork('bitcoin', 'test')).toThrow('bitcoin has no network test');
});
