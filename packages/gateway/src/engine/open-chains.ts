import type { Logger } from 'pino';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { type Config, ConfigError } from '../config.ts';
import type { Db } from '../database/database.ts';
import { isTestnetDatabase, requireSameNetwork } from '../account/first-start.ts';
import { EVM_CHAINS, nodeSettingNames } from '../settings/evm-nodes.ts';
import { bitcoinSettingNames } from '../settings/bitcoin.ts';
import { UTXO_CHAINS } from '@crypto-checkout/chains/bitcoin/network';
import { fundingAddress } from '@crypto-checkout/chains/bitcoin/send/own-key';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from '../sandbox/chains.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Signer } from '@crypto-checkout/chains/signer';
import {
  type BitcoinConnection,
  createBitcoinChain,
  createBitcoinConnection,
} from './bitcoin-chain.ts';
import { watchFunding } from './coin-store.ts';
import {
  createEvmChain,
  createEvmProviders,
  type EvmChain,
  type EvmProviders,
} from './evm-chain.ts';
import { requireColdAddresses } from './cold-address.ts';
import { createLightningChain, type LightningChain } from './lightning-chain.ts';
import { requireSafeAddresses } from './node-address.ts';
import { type Network, type Networks, requireOneNetwork } from './one-network.ts';
import { openKeys, signerAddress, type KeyConfig } from './open-keys.ts';
import { findKnownNode } from './same-lightning-node.ts';
import { beginScan, findSource } from './scan-progress.ts';

type NodeConfig = Pick<
  Config,
  'nodes' | 'bitcoinNodes' | 'sweepTo' | 'lightning' | 'keysMode' | 'signerUrl' | 'signerTls'
>;

export interface OpenChainsOptions {
  config: Pick<Config, 'sandbox'> & KeyConfig & NodeConfig;
  db: Db;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Whether the database was used before, so that its keys must exist. Default false. */
  isUsed?: boolean;
  /** Called before keys are made; throws for settings that do not fit the network. */
  requireSettings?: (network: OpenChains['network']) => void;
}

export interface OpenChains {
  network: Network;
  keys: PublicKeys;
  chains: Map<ChainId, ChainAdapter>;
  /** Senders of the chains behind nodes; the sandbox has its own. */
  senders: Map<ChainId, ChainSender>;
  signer: Signer;
  /**
   * Asks the providers that did not answer so far; kinds and senders of a chain appear with its
   * first provider.
   * @returns wrong answers, each with one sentence for the operator
   */
  openLate(): Promise<{ chain: ChainId; mistake: string }[]>;
}

/**
 * Opens the chains that the settings name: chains behind nodes and, on a test network, the sandbox
 * for all others. An account belongs to one network: beside a main network nothing is simulated,
 * and a kind without a chain is not offered. A node that does not answer delays its chain only.
 * @throws ConfigError if a node does not match its settings, or if no chain is left to offer
 */
export async function openChains({
  config,
  db,
  log,
  isUsed = false,
  requireSettings,
}: OpenChainsOptions): Promise<OpenChains> {
  const all = await openNodes(config, db, log);
  const { nodes, bitcoin, lightning } = all;
  const network = await networkOf(all, db);
  await requireSameNetwork(db, {
    isTestnet: network === 'testnet',
    hasNodes: hasAny(all),
  });
  // A node on the wrong network lacks the token contracts, and has another key, too.
  if (all.mistake !== null) throw all.mistake;
  if (network === 'mainnet') requireSafeNodes(config, nodes, log);
  if (network === 'mainnet' && config.testMnemonic !== null)
    throw new ConfigError(
      'TEST_MNEMONIC must not be set on a main network: its value is published.',
    );
  requireSettings?.(network);
  const { keys, signer } = openKeys({ config, network, db, log, mustExist: isUsed });
  await requireColdAddresses(config, keys, db);
  const chains = new Map<ChainId, ChainAdapter>();
  const senders = new Map<ChainId, ChainSender>();
  if (network === 'testnet' && config.sandbox) {
    const except = new Set<ChainId>([...nodes, ...bitcoin].map(({ chain }) => chain));
    if (lightning !== null) except.add('lightning');
    for (const [chain, adapter] of createSandboxChains({ db, keys, except }))
      chains.set(chain, adapter);
  }
  const opened: OpenedChain[] = [
    ...nodes.map((providers) => createEvmChain(providers, { network, keys, log })),
    ...bitcoin.map((connection) =>
      createBitcoinChain(connection, { network, keys, db, keysMode: config.keysMode, log }),
    ),
  ];
  await beginScans(all, keys, db);
  for (const { adapter } of opened) chains.set(adapter.chain, adapter);
  if (lightning !== null) chains.set('lightning', lightning.adapter(network));
  addSenders(opened, lightning, senders);
  if (chains.size === 0)
    throw new ConfigError(
      'There is no chain to offer: SANDBOX is false, and no node is set, for example by ETH_RPC_URL.',
    );
  return {
    network,
    keys,
    chains,
    senders,
    signer,
    async openLate() {
      const expected = { 'the database': network, ...networksOf(all) };
      const mistakes = [
        ...(await openRest([...nodes, ...bitcoin], expected)),
        ...(lightning === null ? [] : await openRest([asNode(lightning)], expected)),
      ];
      await beginScans(all, keys, db);
      for (const chain of addSenders(opened, lightning, senders))
        log.info({ event: 'chain_opened', chain }, 'the node answers now: its coins are offered');
      return mistakes;
    },
  };
}

/** The nodes that the settings name. */
interface AllNodes {
  nodes: readonly EvmProviders[];
  bitcoin: readonly BitcoinConnection[];
  lightning: LightningChain | null;
  /** The first wrong answer of an EVM or lightning node. */
  mistake: Error | null;
}

const hasAny = ({ nodes, bitcoin, lightning }: AllNodes): boolean =>
  nodes.length > 0 || bitcoin.length > 0 || lightning !== null;

type OpenedChain = Pick<EvmChain, 'adapter' | 'sender'>;

/** From here on a kind can be paid, also before the first scan. */
async function beginScans(
  { nodes, bitcoin, lightning }: AllNodes,
  keys: PublicKeys,
  db: Db,
): Promise<void> {
  for (const { chain, open } of nodes)
    if (open[0] !== undefined) await beginScan(db, chain, open[0].setup);
  for (const { chain, setup } of bitcoin) {
    if (setup === null) continue;
    await watchFunding(db, chain, fundingAddress(keys, setup.network));
    await beginScan(db, chain, setup);
  }
  if (lightning?.setup != null) await beginScan(db, 'lightning', lightning.setup.scan);
}

/** @returns chains that got a sender */
function addSenders(
  opened: readonly OpenedChain[],
  lightning: LightningChain | null,
  senders: Map<ChainId, ChainSender>,
): ChainId[] {
  const all: { chain: ChainId; sender: () => ChainSender | null }[] = opened.map(
    ({ adapter: { chain }, sender }) => ({ chain, sender }),
  );
  if (lightning !== null) all.push({ chain: 'lightning', sender: () => lightning.sender() });
  return all.flatMap(({ chain, ...open }) => {
    const sender = senders.has(chain) ? null : open.sender();
    if (sender === null) return [];
    senders.set(chain, sender);
    return [chain];
  });
}

async function openNodes(
  config: NodeConfig,
  db: Db,
  log: OpenChainsOptions['log'],
): Promise<AllNodes> {
  const nodes = await createNodes(config, db);
  const bitcoin = await openBitcoin(config);
  const lightning = createLightning(config, db, log);
  const late = [...nodes, ...(lightning === null ? [] : [lightning])];
  const opened = await Promise.allSettled(late.map((node) => node.tryToOpen(null)));
  const [mistake = null] = opened.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as Error] : [],
  );
  return { nodes, bitcoin, lightning, mistake };
}

async function createNodes(config: NodeConfig, db: Db): Promise<EvmProviders[]> {
  const chains = EVM_CHAINS.filter((chain) => config.nodes[chain].providers.length > 0);
  return Promise.all(
    chains.map(async (chain) =>
      createEvmProviders(chain, config.nodes[chain], await findSource(db, chain)),
    ),
  );
}

async function openBitcoin({ bitcoinNodes }: NodeConfig): Promise<BitcoinConnection[]> {
  const connections = UTXO_CHAINS.flatMap((chain) => {
    const node = bitcoinNodes[chain];
    return node === undefined ? [] : [createBitcoinConnection(chain, node)];
  });
  await Promise.all(connections.map((connection) => connection.tryToOpen(null)));
  return connections;
}

function createLightning(
  config: NodeConfig,
  db: Db,
  log: OpenChainsOptions['log'],
): LightningChain | null {
  const { lightning: node, keysMode } = config;
  if (node === null) return null;
  const signer = keysMode === 'signer' ? signerAddress(config) : null;
  return createLightningChain({
    node,
    keysMode,
    signer,
    known: () => findKnownNode(db, Date.now()),
    readSource: () => findSource(db, 'lightning'),
    log,
  });
}

type LateNode = Pick<EvmProviders, 'tryToOpen'> & { chain: ChainId };

const asNode = (lightning: LightningChain): LateNode => ({
  chain: 'lightning',
  tryToOpen: (expected) => lightning.tryToOpen(expected),
});

async function openRest(
  nodes: readonly LateNode[],
  expected: Networks,
): Promise<{ chain: ChainId; mistake: string }[]> {
  const results = await Promise.all(
    nodes.map(async (providers) => {
      try {
        await providers.tryToOpen(expected);
        return [];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return [{ chain: providers.chain, mistake: error.message }];
      }
    }),
  );
  return results.flat();
}

/** The networks of the nodes that answered, by their settings. */
function networksOf({ nodes, bitcoin, lightning }: AllNodes): Networks {
  const found: Record<string, Network> = {};
  for (const { chain, network } of nodes)
    if (network !== null) found[nodeSettingNames(chain).url] = network;
  for (const { chain, setup } of bitcoin)
    if (setup !== null) found[bitcoinSettingNames(chain).network] = setup.network.account;
  const network = lightning?.network ?? null;
  if (lightning !== null && network !== null) found[lightning.setting] = network;
  return found;
}

/** The network of the nodes that answer; without an answer that of the database. */
async function networkOf(all: AllNodes, db: Db): Promise<Network> {
  const { nodes, bitcoin, lightning, mistake } = all;
  if (!hasAny(all)) return 'testnet';
  const found = networksOf(all);
  requireOneNetwork(found);
  const [network] = Object.values(found);
  if (network !== undefined) return network;
  if (mistake !== null) throw mistake;
  const isTestnet = await isTestnetDatabase(db);
  if (isTestnet !== null) return isTestnet ? 'testnet' : 'mainnet';
  const reason = [...nodes, ...bitcoin][0]?.reason ?? lightning?.reason ?? '';
  // A whole sentence has its remedy.
  if (reason.endsWith('.')) throw new ConfigError(reason);
  throw new ConfigError(
    `${reason}, and the first start needs it: the node decides between a main and a test network.`,
  );
}

function requireSafeNodes(
  config: NodeConfig,
  nodes: readonly EvmProviders[],
  log: OpenChainsOptions['log'],
): void {
  for (const chain of UTXO_CHAINS) {
    const { node = null, esplora = null } = config.bitcoinNodes[chain] ?? {};
    const names = bitcoinSettingNames(chain);
    if (node !== null) requireSafeAddresses(names.url, [node.url]);
    if (esplora === null) continue;
    requireSafeAddresses(names.esplora, [esplora]);
    if (node === null)
      log.warn(
        { event: 'single_provider', chain },
        `${names.esplora} is the only source of its chain, so nothing checks its blocks: set ${names.url}, too`,
      );
  }
  for (const { chain, all } of nodes) {
    const { url } = nodeSettingNames(chain);
    requireSafeAddresses(
      url,
      config.nodes[chain].providers.map((provider) => provider.url),
    );
    if (all.length === 1)
      log.warn(
        { event: 'single_provider', chain },
        `${url} names one provider, so nothing checks its blocks: add a second one`,
      );
  }
}
