import { CHAINS, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { ConfigError } from '../../config.ts';
import { parseEvmAddress } from '../derive/evm.ts';
import type { EvmNode } from './node.ts';
import type { EvmAssets } from './transfers.ts';

export interface EvmSetup {
  network: 'mainnet' | 'testnet';
  chainId: number;
  assets: EvmAssets;
  /** Chain id and genesis: cursors of another chain mean nothing here. */
  source: string;
  canTrace: boolean;
}

export interface EvmSetupOptions {
  chain: ChainId;
  node: EvmNode;
  /** Contracts by kind; null takes the table's on a main network, and no token on a test network. */
  tokens: Readonly<Record<string, string>> | null;
  /** Names of the settings, for messages. */
  settings: { url: string; tokens: string };
}

/** Holesky, Hoodi, and what anvil, Hardhat and geth's development mode use. */
const TEST_CHAIN_IDS: readonly number[] = [17_000, 560_048, 31_337, 1_337];

/**
 * Looks whether the node is what the settings say: the chain, and for each token a contract with the decimals of our table. One
 * wrong decimal would be a factor of ten in money (T21).
 * @throws ConfigError with one sentence
 */
export async function setUpEvm({ chain, node, tokens, settings }: EvmSetupOptions): Promise<EvmSetup> {
  const { name } = CHAINS[chain];
  const [chainId, tip] = await answering(settings.url, Promise.all([node.chainId(), node.tip()]));
  const network = networkOf(chain, chainId);
  if (network === null) {
    throw new ConfigError(`${settings.url} answers for chain ${chainId}, which is neither ${name} nor one of its known test networks.`);
  }
  const [genesis] = await node.hashesAt([0]);
  const listed = await listedTokens(node, { chain, tokens: tokens ?? (network === 'mainnet' ? tableTokens(chain) : {}), settings });
  const coin = KINDS.find((kind) => kind.chain === chain);
  if (coin === undefined) throw new ConfigError(`${name} has no coin in the table of kinds.`);
  return {
    network,
    chainId,
    assets: { coin, tokens: listed },
    source: `evm:${chainId}:${genesis}`,
    canTrace: await node.canTrace(tip.hash),
  };
}

function networkOf(chain: ChainId, chainId: number): EvmSetup['network'] | null {
  const { evmChainId, testEvmChainId } = CHAINS[chain];
  if (chainId === evmChainId) return 'mainnet';
  return chainId === testEvmChainId || TEST_CHAIN_IDS.includes(chainId) ? 'testnet' : null;
}

function tableTokens(chain: ChainId): Record<string, string> {
  return Object.fromEntries(
    KINDS.flatMap(({ kind, chain: of, contract }) => (of === chain && contract !== null ? [[kind, contract] as const] : [])),
  );
}

async function listedTokens(
  node: EvmNode,
  { chain, tokens, settings }: Required<Pick<EvmSetupOptions, 'chain' | 'settings'>> & { tokens: Readonly<Record<string, string>> },
): Promise<Map<string, Kind>> {
  const listed = new Map<string, Kind>();
  for (const [name, text] of Object.entries(tokens)) {
    const kind = KINDS.find((candidate) => candidate.kind === name && candidate.chain === chain);
    if (kind === undefined || kind.paymentString !== 'evm_token') {
      throw new ConfigError(`${settings.tokens} names ${name}, which is no token on ${CHAINS[chain].name}.`);
    }
    const contract = contractOf(settings.tokens, name, text);
    const twin = listed.get(contract);
    if (twin !== undefined) throw new ConfigError(`${settings.tokens} gives ${twin.kind} and ${name} the same contract.`);
    const decimals = await answering(settings.url, node.tokenDecimals(contract));
    if (decimals === null) throw new ConfigError(`${settings.tokens}: there is no token contract of ${name} at ${text}.`);
    if (decimals !== kind.decimals) {
      throw new ConfigError(`${settings.tokens}: the contract of ${name} at ${text} has ${decimals} decimals, not ${kind.decimals}.`);
    }
    listed.set(contract, kind);
  }
  return listed;
}

function contractOf(setting: string, name: string, text: string): string {
  try {
    return parseEvmAddress(text).address.toLowerCase();
  } catch (cause) {
    throw new ConfigError(`${setting}: the contract of ${name} is not an address.`, { cause });
  }
}

async function answering<T>(setting: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw new ConfigError(`${setting} names a node that does not answer as an Ethereum node does.`, { cause });
  }
}
