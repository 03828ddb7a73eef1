import type { Logger } from 'pino';
import { CHAINS, KINDS } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { bitcoinNetwork, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { createBitcoinSender } from '@crypto-checkout/chains/bitcoin/send/sender';
import type { BitcoinSetup } from '@crypto-checkout/chains/bitcoin/setup';
import {
  type BitcoinSource,
  esploraSource,
  nodeSource,
} from '@crypto-checkout/chains/bitcoin/sources';
import { createWakeUp, type WakeUp } from '@crypto-checkout/chains/bitcoin/wake-up';
import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';
import { createFailover, createFailoverAdapter } from '@crypto-checkout/chains/failover';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Config } from '../config.ts';
import { bitcoinSettingNames, type BitcoinNodeConfig } from '../settings/bitcoin.ts';
import type { Db } from '../database/database.ts';
import { nextChangeIndex, unspentCoins } from './coin-store.ts';
import { type Network, type Networks, requireOneNetwork } from './one-network.ts';

/** A source that serves the configured chain. */
interface OpenSource {
  source: BitcoinSource;
  setup: BitcoinSetup;
}

/** The node and the service of one Bitcoin-like chain; one that does not answer is asked again. */
export interface BitcoinConnection {
  readonly chain: UtxoChainId;
  /** The preferred one first. */
  readonly all: readonly BitcoinSource[];
  readonly open: readonly OpenSource[];
  /** Null where no publisher is set. */
  readonly wakeUp: WakeUp | null;
  /** Null until a source answered. */
  readonly setup: BitcoinSetup | null;
  /** Why a source is not open; null when all are. */
  readonly reason: string | null;
  /**
   * Asks the sources that are not open.
   * @param expected networks of the other nodes; null: any network
   * @throws ConfigError for a wrong answer
   */
  tryToOpen(expected: Networks | null): Promise<void>;
}

export function createBitcoinConnection(
  chain: UtxoChainId,
  config: BitcoinNodeConfig,
): BitcoinConnection {
  const network = bitcoinNetwork(chain, config.network);
  const all = sourcesOf(chain, config);
  let open: readonly OpenSource[] = [];
  let reason: string | null = null;

  async function openOne(source: BitcoinSource): Promise<void> {
    const setup = await source.setUp();
    const [first] = open;
    if (first !== undefined && first.setup.source !== setup.source)
      throw new ConfigError(differentChains(chain));
    const found = [...open, { source, setup }];
    open = all.flatMap((one) => found.find(({ source: own }) => own === one) ?? []);
  }

  const publishers = config.node?.zmq ?? [];
  return {
    chain,
    all,
    wakeUp: publishers.length === 0 ? null : createWakeUp({ urls: publishers }),
    get open() {
      return open;
    },
    get setup() {
      return open[0]?.setup ?? null;
    },
    get reason() {
      return reason;
    },
    async tryToOpen(expected) {
      requireOneNetwork({ ...expected, [bitcoinSettingNames(chain).network]: network.account });
      const closed = all.filter((one) => !open.some(({ source }) => source === one));
      const results = await Promise.allSettled(closed.map(openOne));
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      );
      const wrong = errors.find((error) => !(error instanceof UnavailableError));
      const first = wrong ?? errors[0];
      reason = first instanceof Error ? first.message : null;
      if (wrong !== undefined) throw wrong;
    },
  };
}

function sourcesOf(
  chain: UtxoChainId,
  { node, esplora, network: name }: BitcoinNodeConfig,
): BitcoinSource[] {
  const network = bitcoinNetwork(chain, name);
  const settings = bitcoinSettingNames(chain);
  const sources: BitcoinSource[] = [];
  if (node !== null) {
    const { url, user, password, cookieFile } = node;
    const http = {
      url,
      ...(user !== null && password !== null ? { user, password } : {}),
      ...(cookieFile !== null ? { cookieFile } : {}),
    };
    sources.push(nodeSource({ network, http, settings }));
  }
  if (esplora !== null) sources.push(esploraSource({ network, http: { url: esplora }, settings }));
  return sources;
}

function differentChains(chain: UtxoChainId): string {
  const { url, esplora } = bitcoinSettingNames(chain);
  return `${url} and ${esplora} serve different chains; set both to one chain.`;
}

export interface BitcoinChainOptions {
  network: Network;
  keys: PublicKeys;
  db: Db;
  keysMode: Config['keysMode'];
  log: Pick<Logger, 'warn'>;
}

/** One Bitcoin-like chain behind its node, its service or both. */
export function createBitcoinChain(
  connection: BitcoinConnection,
  { network, keys, db, keysMode, log }: BitcoinChainOptions,
): { adapter: ChainAdapter; sender(): ChainSender | null } {
  const { chain, all, wakeUp } = connection;
  const known = new Map<BitcoinSource, ChainAdapter>();
  const adapterOf = ({ source, setup }: OpenSource): ChainAdapter => {
    const adapter = known.get(source) ?? source.adapter({ setup, keys });
    known.set(source, adapter);
    return adapter;
  };
  const failover = createFailover({
    providers: () =>
      connection.open.map((one) => {
        const adapter = adapterOf(one);
        const tip = async (): Promise<number | null> => (await adapter.health()).tip;
        return { name: one.source.name, value: { adapter }, tip };
      }),
    maxLag: 1,
    onSwitch: (name) =>
      log.warn(
        { event: 'provider_switched', chain, provider: name },
        'another provider is used now',
      ),
  });
  return {
    adapter: createFailoverAdapter({
      chain,
      network,
      failover,
      adapters: () => connection.open.map(adapterOf),
      compares: all.length > 1,
      configuredKinds: KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind),
      hasMempoolFacts: true,
      ...(wakeUp === null ? {} : { onNews: wakeUp.onNews }),
      closedReason: () => connection.reason ?? 'The node does not answer',
    }),
    sender() {
      // Beside a node the service sends nothing: a payout is looked up where it was sent.
      const open = connection.open.find(({ source }) => source === all[0]);
      if (open === undefined) return null;
      return createBitcoinSender({
        network: open.setup.network,
        node: open.source.sendNode,
        keys,
        coins: () => unspentCoins(db, chain),
        // A reorganisation must not take a payout along.
        minConfirmations: network === 'mainnet' ? CHAINS[chain].finalConfirmations : 1,
        nextChange: () => nextChangeIndex(db, chain),
        provesAmounts: keysMode !== 'local',
        // The limits and approvals of a signer process are for single payouts.
        sharesTransactions: keysMode !== 'signer',
      });
    },
  };
}
