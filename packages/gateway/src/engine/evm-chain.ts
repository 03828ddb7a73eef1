import type { Logger } from 'pino';
import { CHAINS, type EvmChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';
import { createEvmAdapter } from '@crypto-checkout/chains/evm/adapter';
import { createEvmNode, type EvmNode } from '@crypto-checkout/chains/evm/node';
import { createEvmSendNode } from '@crypto-checkout/chains/evm/send/send-node';
import { createEvmSender } from '@crypto-checkout/chains/evm/sender';
import { configuredKinds, setUpEvm, type EvmSetup } from '@crypto-checkout/chains/evm/setup';
import {
  createFailover,
  createFailoverAdapter,
  createFailoverRpc,
} from '@crypto-checkout/chains/failover';
import { createJsonRpc, type JsonRpc } from '@crypto-checkout/chains/json-rpc';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { nodeSettingNames, type EvmNodeConfig } from '../settings/evm-nodes.ts';
import { type Network, type Networks, requireOneNetwork } from './one-network.ts';

/** The providers of one chain; those that do not answer are asked again. */
export interface EvmProviders {
  readonly chain: EvmChainId;
  readonly all: readonly { name: string; rpc: JsonRpc }[];
  /** Providers that serve the chain, in the order of preference. */
  readonly open: readonly OpenProvider[];
  /** The network of a provider that answered, also when its tokens are wrong; null: none did. */
  readonly network: Network | null;
  /** Why a provider is not open; null when all are. */
  readonly reason: string | null;
  /** The kinds of the settings, also while no provider answers. */
  configuredKinds(network: Network): readonly string[];
  /**
   * Asks the providers that are not open.
   * @param expected networks of the other nodes; null: any network
   * @throws ConfigError for a wrong answer
   */
  tryToOpen(expected: Networks | null): Promise<void>;
}

interface ClosedProvider {
  name: string;
  order: number;
  rpc: JsonRpc;
  node: EvmNode;
}

export interface OpenProvider extends ClosedProvider {
  setup: EvmSetup;
}

/** @param read the source of the blocks that the database has read; null: none yet */
export function createEvmProviders(
  chain: EvmChainId,
  { providers, tokens }: EvmNodeConfig,
  read: string | null = null,
): EvmProviders {
  const settings = nodeSettingNames(chain);
  const all = providers.map((provider, order): ClosedProvider => {
    const rpc = createJsonRpc(provider);
    return { name: `provider ${order + 1}`, order, rpc, node: createEvmNode(rpc) };
  });
  const differentChains = `${settings.url}: its providers serve different chains; name providers of one chain.`;
  let open: readonly OpenProvider[] = [];
  let served: Network | null = null;
  let reason: string | null = null;

  async function openOne(provider: ClosedProvider, expected: Networks | null): Promise<void> {
    const requireNetwork = (network: Network): void => {
      if (served !== null && served !== network) throw new ConfigError(differentChains);
      requireOneNetwork({ ...expected, [settings.url]: network });
      served = network;
    };
    const { node } = provider;
    const setup = await setUpEvm({ chain, node, tokens, settings, requireNetwork });
    if (isReplaced(setup.source, read))
      throw new ConfigError(
        `${settings.url} serves another chain with the id ${setup.chainId} than the one that this database has read: its block 0 differs; set it to a node of that chain, or use another DATABASE_URL and DATA_DIR.`,
      );
    const [first] = open;
    if (first !== undefined && first.setup.source !== setup.source)
      throw new ConfigError(differentChains);
    open = [...open, { ...provider, setup }].toSorted((a, b) => a.order - b.order);
  }

  return {
    chain,
    all,
    get open() {
      return open;
    },
    get network() {
      return served;
    },
    get reason() {
      return reason;
    },
    configuredKinds: (network) => configuredKinds(network, { chain, tokens }),
    async tryToOpen(expected) {
      const closed = all.filter(({ order }) => !open.some((one) => one.order === order));
      const results = await Promise.allSettled(closed.map((one) => openOne(one, expected)));
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      );
      const [first] = errors;
      reason = first instanceof Error ? first.message : null;
      const wrong = errors.find((error) => !(error instanceof UnavailableError));
      if (wrong !== undefined) throw wrong;
    },
  };
}

/** The same chain id with another block 0. Scanning it would take back every payment. */
function isReplaced(source: string, read: string | null): boolean {
  const idOf = (text: string): string => text.replace(/:[^:]*$/, '');
  return read !== null && read !== source && idOf(read) === idOf(source) && !read.endsWith(':null');
}

export interface EvmChainOptions {
  network: Network;
  keys: PublicKeys;
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface EvmChain {
  adapter: ChainAdapter;
  /** Null until a provider is open. */
  sender(): ChainSender | null;
}

/** A lag of this time is normal between honest providers. */
const MAX_LAG_SECONDS = 15;
const MIN_LAG_BLOCKS = 2;

/** One chain over its providers. */
export function createEvmChain(providers: EvmProviders, options: EvmChainOptions): EvmChain {
  const { chain } = providers;
  const { network, keys, log } = options;
  const adapters = new Map<string, ChainAdapter>();
  const adapterOf = (provider: OpenProvider): ChainAdapter => {
    const adapter = adapters.get(provider.name) ?? providerAdapter(chain, provider, options);
    adapters.set(provider.name, adapter);
    return adapter;
  };
  const failover = createFailover({
    providers: () =>
      providers.open.map((provider) => {
        const adapter = adapterOf(provider);
        const tip = async (): Promise<number | null> => (await adapter.health()).tip;
        return { name: provider.name, value: { adapter, rpc: provider.rpc }, tip };
      }),
    maxLag: Math.max(MIN_LAG_BLOCKS, Math.ceil(MAX_LAG_SECONDS / CHAINS[chain].blockSeconds)),
    onSwitch: (provider) =>
      log.warn({ event: 'provider_switched', chain, provider }, 'another provider is used now'),
  });
  return {
    adapter: createFailoverAdapter({
      chain,
      network,
      failover,
      adapters: () => providers.open.map(adapterOf),
      compares: providers.all.length > 1,
      hasTraces: true,
      configuredKinds: providers.configuredKinds(network),
      closedReason: () => providers.reason ?? 'No provider of the node answers',
    }),
    sender() {
      const setup = providers.open[0]?.setup;
      if (setup === undefined) return null;
      const node = createEvmSendNode(createFailoverRpc(failover));
      return createEvmSender({
        chain,
        chainId: setup.chainId,
        node,
        providers: () => providers.all.map(({ rpc }) => createEvmSendNode(rpc)),
        assets: setup.assets,
        keys,
      });
    },
  };
}

/** The view of one provider: each can have abilities of its own, such as tracing. */
function providerAdapter(
  chain: EvmChainId,
  { name, node, setup }: OpenProvider,
  { keys, log }: EvmChainOptions,
): ChainAdapter {
  if (!setup.canTrace)
    log.info(
      { event: 'node_cannot_trace', chain, provider: name },
      'the node cannot trace: its blocks wait for their traces',
    );
  return createEvmAdapter({
    chain,
    node,
    setup,
    keys,
    onUntracedBlock: (block, reason) =>
      log.warn(
        { event: 'block_not_traced', chain, provider: name, block },
        `a block was read without its internal transfers: ${reason}`,
      ),
  });
}
