import { bitcoin, bitcoinDetails } from './bitcoin.ts';
import { lightning, lightningDetails } from './lightning.ts';
import { litecoin, litecoinDetails } from './litecoin.ts';
import { dogecoin, dogecoinDetails } from './dogecoin.ts';
import { liquid, liquidDetails } from './liquid.ts';
import { xrp, xrpDetails } from './xrp.ts';
import { ton, tonDetails } from './ton.ts';
import { solana, solanaDetails } from './solana.ts';
import { ethereum, ethereumDetails } from './ethereum.ts';
import { base, baseDetails } from './base.ts';
import { arbitrum, arbitrumDetails } from './arbitrum.ts';
import { polygon, polygonDetails } from './polygon.ts';
import { bsc, bscDetails } from './bsc.ts';
import { celo, celoDetails } from './celo.ts';
import { tron, tronDetails } from './tron.ts';
import type { Chain, ChainDetails } from './chain.ts';

export type { AddressVersions, ChainDetails, Market, UtxoParameters } from './chain.ts';

/** Every chain. Pickers use the order for kinds that `kinds/popularity.ts` does not rank. */
const TABLE = {
  bitcoin,
  lightning,
  litecoin,
  dogecoin,
  liquid,
  xrp,
  ton,
  solana,
  ethereum,
  base,
  arbitrum,
  polygon,
  bsc,
  celo,
  tron,
};

export type ChainId = keyof typeof TABLE;

/** Chains with the Ethereum virtual machine, which JSON-RPC nodes of one form serve. */
export type EvmChainId = {
  [Id in ChainId]: (typeof TABLE)[Id]['family'] extends 'evm' ? Id : never;
}[ChainId];

/** Bitcoin and its descendants, which nodes with Bitcoin Core's JSON-RPC serve. */
export type UtxoChainId = {
  [Id in ChainId]: (typeof TABLE)[Id]['family'] extends 'utxo' ? Id : never;
}[ChainId];

export const CHAINS: Readonly<{ [Id in ChainId]: Chain<ChainId> & { id: Id } }> = TABLE;

/** The names of all kinds, for tables that the compiler checks. */
export type KindName = { [Id in ChainId]: keyof (typeof TABLE)[Id]['coins'] }[ChainId];

/**
 * The facts of each chain for servers. A table apart from `CHAINS`, so that browsers do not load
 * it.
 */
export const CHAIN_DETAILS: Readonly<Record<ChainId, ChainDetails>> = {
  bitcoin: bitcoinDetails,
  lightning: lightningDetails,
  litecoin: litecoinDetails,
  dogecoin: dogecoinDetails,
  liquid: liquidDetails,
  xrp: xrpDetails,
  ton: tonDetails,
  solana: solanaDetails,
  ethereum: ethereumDetails,
  base: baseDetails,
  arbitrum: arbitrumDetails,
  polygon: polygonDetails,
  bsc: bscDetails,
  celo: celoDetails,
  tron: tronDetails,
};
