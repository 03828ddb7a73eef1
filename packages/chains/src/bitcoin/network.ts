import { CHAINS, type ChainId, type UtxoChainId } from '@crypto-checkout/protocol/kind';
import type { AddressVersions } from '@crypto-checkout/protocol/chain-details';
import { utxoParameters } from './address.ts';

/** The network of a node, as the settings name it. */
export type BitcoinNetworkName = 'main' | 'test' | 'test4' | 'signet' | 'regtest';

/** The constants of one network of a UTXO chain. */
export interface BitcoinNetwork {
  chain: UtxoChainId;
  name: BitcoinNetworkName;
  /** The network of the accounts. */
  account: 'mainnet' | 'testnet';
  /** As `getblockchaininfo` names it. */
  nodeName: string;
  /** Hash of block 0; null where every operator can have another one. */
  genesis: string | null;
  versions: AddressVersions;
}

export type { UtxoChainId };
export const isUtxoChain = (chain: string): chain is UtxoChainId =>
  Object.hasOwn(CHAINS, chain) && CHAINS[chain as ChainId].family === 'utxo';
export const UTXO_CHAINS: readonly UtxoChainId[] = Object.keys(CHAINS).filter(isUtxoChain);

/** From each project's `chainparams.cpp`. */
const GENESIS: Readonly<
  Record<UtxoChainId, Readonly<Partial<Record<BitcoinNetworkName, string | null>>>>
> = {
  bitcoin: {
    main: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    test4: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
    // Of every signet, whatever signs its blocks.
    signet: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    regtest: null,
  },
  litecoin: {
    main: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
    test: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
    regtest: null,
  },
  dogecoin: {
    main: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
    test: 'bb0a78264637406b6360aad926284d544d7049f45189db5664f3c4d07350559e',
    regtest: null,
  },
};

export const networkNames = (chain: UtxoChainId): BitcoinNetworkName[] =>
  Object.keys(GENESIS[chain]) as BitcoinNetworkName[];

/** The network whose block 0 has this hash; null for every other one. */
export function networkOfGenesis(
  hash: string,
): { chain: UtxoChainId; name: BitcoinNetworkName } | null {
  for (const chain of UTXO_CHAINS)
    for (const name of networkNames(chain))
      if (GENESIS[chain][name] === hash) return { chain, name };
  return null;
}

/** @throws RangeError for a network that the chain does not have */
export function bitcoinNetwork(chain: UtxoChainId, name: BitcoinNetworkName): BitcoinNetwork {
  const genesis = GENESIS[chain][name];
  if (genesis === undefined) throw new RangeError(`${chain} has no network ${name}`);
  const utxo = utxoParameters(chain);
  const versions =
    name === 'main' ? utxo.mainnet : name === 'regtest' ? utxo.regtest : utxo.testnet;
  return {
    chain,
    name,
    account: name === 'main' ? 'mainnet' : 'testnet',
    nodeName: name === 'test4' ? 'testnet4' : name,
    genesis,
    versions,
  };
}
