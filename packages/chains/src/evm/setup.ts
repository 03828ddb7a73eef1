import {
  CHAINS,
  DEVELOPMENT_CHAIN_IDS,
  KINDS,
  TEST_CHAIN_IDS,
  type ChainId,
  type Kind,
} from '@crypto-checkout/protocol/kind';
import type { BlockReference } from '../cursor.ts';
import { ConfigError, LoginError, UnavailableError } from '../error.ts';
import { parseEvmAddress } from './address.ts';
import { JsonRpcError } from '../json-rpc.ts';
import { withoutFrame } from '../rpc/http.ts';
import type { EvmNode } from './node.ts';
import type { EvmAssets } from './scan/transfers.ts';

export interface EvmSetup {
  network: 'mainnet' | 'testnet';
  chainId: number;
  assets: EvmAssets;
  /** The newest block at the start: the first scan reads the blocks after it. */
  beginning: BlockReference;
  /** Chain id and genesis hash; a cursor of another source is not resumed. */
  source: string;
  canTrace: boolean;
  /** A development chain: its newest block can have any age. */
  minesOnDemand: boolean;
}

export interface EvmSetupOptions {
  chain: ChainId;
  node: EvmNode;
  /**
   * Contracts by kind. Null: the built-in contracts on a main network, no tokens on a test network.
   */
  tokens: Readonly<Record<string, string>> | null;
  /** Names of the settings for error messages. */
  settings: { url: string; headers?: string; tokens: string };
  /** Called before the tokens are read; throws for a network that does not fit. */
  requireNetwork?: (network: EvmSetup['network']) => void;
}

type Names = EvmSetupOptions['settings'];

/** Nodes also report a short gap to the newest block as synchronising. */
const SYNCED_WITHIN_BLOCKS = 10;

/**
 * Checks that the node serves the configured chain, and that each token is a contract with the
 * expected decimals. A difference of one decimal would change every amount by a factor of ten.
 * @throws ConfigError with one sentence for a wrong answer
 * @throws UnavailableError with one sentence when the node does not answer
 */
export async function setUpEvm({
  chain,
  node,
  tokens,
  settings,
  requireNetwork,
}: EvmSetupOptions): Promise<EvmSetup> {
  const { name } = CHAINS[chain];
  const [chainId, tip] = await requireNodeAnswer(
    settings,
    Promise.all([node.chainId(), node.tip()]),
  );
  const network = networkOf(chain, chainId);
  if (network === null) {
    throw new ConfigError(
      `${settings.url} serves chain ${chainId}, which is neither ${name} nor one of its known test networks; set it to a node of ${name}.`,
    );
  }
  requireNetwork?.(network);
  await requireSynchronised(node, settings);
  const genesis = await genesisHash(node, settings);
  const listed = await listedTokens(node, {
    chain,
    tokens: tokensOn(network, { chain, tokens }),
    settings,
  });
  if (network === 'mainnet') await requireOwnSymbols(node, listed, settings);
  const coin = KINDS.find((kind) => kind.chain === chain);
  if (coin === undefined) throw new ConfigError(`${name} has no coin in the table of kinds.`);
  return {
    network,
    chainId,
    assets: { coin, tokens: listed },
    beginning: { height: tip.height, hash: tip.hash },
    source: `evm:${chainId}:${genesis}`,
    canTrace: await canTrace(node, tip.hash, settings),
    minesOnDemand: DEVELOPMENT_CHAIN_IDS.includes(chainId),
  };
}

/** A node that still reads old blocks would show payments late, or not at all. */
async function requireSynchronised(node: EvmNode, settings: Names): Promise<void> {
  const syncing = await requireNodeAnswer(settings, node.syncing());
  if (syncing === null || syncing.target - syncing.height <= SYNCED_WITHIN_BLOCKS) return;
  throw new UnavailableError(
    `${settings.url}: the node is still synchronising (block ${syncing.height} of ${syncing.target}); its chain is offered when it has caught up.`,
  );
}

/** Without it, two chains with the same id could not be told apart. */
async function genesisHash(node: EvmNode, settings: Names): Promise<string> {
  const [hash = null] = await node.hashesAt([0]).catch((error: unknown) => {
    if (error instanceof JsonRpcError) return [null];
    return requireNodeAnswer(settings, Promise.reject(error));
  });
  if (hash !== null) return hash;
  throw new ConfigError(
    `${settings.url}: the node does not return block 0, which identifies its chain; use a node that has it.`,
  );
}

/** The network that a node with this chain id is on; null when the chain has no such network. */
export function networkOf(chain: ChainId, chainId: number): EvmSetup['network'] | null {
  const { evmChainId, testEvmChainId } = CHAINS[chain];
  if (chainId === evmChainId) return 'mainnet';
  return chainId === testEvmChainId || TEST_CHAIN_IDS.includes(chainId) ? 'testnet' : null;
}

/** The kinds of a chain by its settings alone, without an answer of its node. */
export function configuredKinds(
  network: EvmSetup['network'],
  options: Pick<EvmSetupOptions, 'chain' | 'tokens'>,
): string[] {
  const tokens = tokensOn(network, options);
  const listed = KINDS.filter(({ chain }) => chain === options.chain);
  return listed
    .filter(({ kind }, at) => at === 0 || tokens[kind] !== undefined)
    .map(({ kind }) => kind);
}

const tokensOn = (
  network: EvmSetup['network'],
  { chain, tokens }: Pick<EvmSetupOptions, 'chain' | 'tokens'>,
): Readonly<Record<string, string>> => tokens ?? (network === 'mainnet' ? tableTokens(chain) : {});

function tableTokens(chain: ChainId): Record<string, string> {
  return Object.fromEntries(
    KINDS.flatMap(({ kind, chain: of, contract }) =>
      of === chain && contract !== null ? [[kind, contract] as const] : [],
    ),
  );
}

async function listedTokens(
  node: EvmNode,
  {
    chain,
    tokens,
    settings,
  }: Required<Pick<EvmSetupOptions, 'chain' | 'settings'>> & {
    tokens: Readonly<Record<string, string>>;
  },
): Promise<Map<string, Kind>> {
  const listed = new Map<string, Kind>();
  for (const [name, text] of Object.entries(tokens)) {
    const kind = KINDS.find((candidate) => candidate.kind === name && candidate.chain === chain);
    if (kind === undefined || kind.paymentString !== 'evm_token') {
      throw new ConfigError(`${settings.tokens}: ${name} is no token on ${CHAINS[chain].name}.`);
    }
    const contract = contractOf(settings.tokens, name, text);
    const duplicate = listed.get(contract);
    if (duplicate !== undefined)
      throw new ConfigError(
        `${settings.tokens}: ${duplicate.kind} and ${name} have the same contract.`,
      );
    const decimals = await requireNodeAnswer(settings, node.tokenDecimals(contract));
    if (decimals === null)
      throw new ConfigError(
        `${settings.tokens}: there is no token contract for ${name} at ${text}; set its contract on this network.`,
      );
    if (decimals !== kind.decimals) {
      throw new ConfigError(
        `${settings.tokens}: the contract of ${name} at ${text} has ${decimals} decimals, not ${kind.decimals}; set the contract of ${name}.`,
      );
    }
    listed.set(contract, kind);
  }
  return listed;
}

/**
 * Tokens of one dollar have the same decimals, so contracts that were swapped show by their symbol
 * only. Other symbols are no mistake: issuers rename tokens. On test networks anyone makes them.
 */
async function requireOwnSymbols(
  node: EvmNode,
  listed: ReadonlyMap<string, Kind>,
  settings: Names,
): Promise<void> {
  const known = new Set(KINDS.map((kind) => kind.symbol.toUpperCase()));
  for (const [contract, { kind, symbol: own }] of listed) {
    const symbol = await requireNodeAnswer(settings, node.tokenSymbol(contract));
    const found = symbol?.toUpperCase() ?? null;
    // A bridged token, such as USDC.e, may have the symbol of its original.
    if (found === null || !known.has(found) || own.toUpperCase().startsWith(found)) continue;
    throw new ConfigError(
      `${settings.tokens}: the contract of ${kind} at ${contract} is that of ${found}; set the contract of ${kind}.`,
    );
  }
}

function contractOf(setting: string, name: string, text: string): string {
  try {
    return parseEvmAddress(text).address.toLowerCase();
  } catch (cause) {
    throw new ConfigError(`${setting}: the contract of ${name} is not an address.`, { cause });
  }
}

/**
 * Providers refuse tracing in many forms: by an error, by a page, by silence. It is a refusal if
 * the node answers something else.
 */
async function canTrace(node: EvmNode, blockHash: string, settings: Names): Promise<boolean> {
  try {
    return await node.canTrace(blockHash);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    await requireNodeAnswer(settings, node.tip());
    return false;
  }
}

/** Turns an error of a request into one sentence that names the settings. */
export async function requireNodeAnswer<T>(
  { url, headers }: Pick<Names, 'url' | 'headers'>,
  request: Promise<T>,
): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof LoginError)
      throw new UnavailableError(
        `${url}: the node refuses the credentials (HTTP 401); correct those in ${url}${headers === undefined ? '' : ` or ${headers}`}.`,
      );
    if (cause instanceof UnavailableError)
      throw new UnavailableError(`${url}: the node does not respond (${withoutFrame(cause)})`);
    throw new ConfigError(`${url}: the node does not respond like an Ethereum node.`, {
      cause,
    });
  }
}
