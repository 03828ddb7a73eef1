import type { Logger } from 'pino';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { sourceOf } from '@crypto-checkout/chains/cursor';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { RECEIVED_KINDS } from '@crypto-checkout/chains/lightning/kinds';
import { createLightningSender } from '@crypto-checkout/chains/lightning/sender';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Config } from '../config.ts';
import type { LightningConfig } from '../settings/lightning.ts';
import { type Network, type Networks, requireOneNetwork } from './one-network.ts';
import { createLightningNode, type OpenNode } from './lightning-node.ts';
import {
  type KnownNode,
  type NodeInPlace,
  requireSameNode,
  sendsNothing,
} from './same-lightning-node.ts';
import type { SignerAddress } from '../signer/client/remote-signer.ts';

/** The lightning node; one that does not answer is asked again. */
export interface LightningChain {
  /** Name of the setting with its address. */
  readonly setting: string;
  readonly setup: OpenNode['setup'] | null;
  /** The network of a node that answered, also of one that is refused; null before. */
  readonly network: Network | null;
  /** Why it is not open; null when it is. */
  readonly reason: string | null;
  /**
   * @param expected networks of the other nodes; null: any network
   * @throws ConfigError for a wrong answer
   */
  tryToOpen(expected: Networks | null): Promise<void>;
  adapter(network: Network): ChainAdapter;
  /** Null until the node is open, and without a macaroon that pays. */
  sender(): ChainSender | null;
}

export interface LightningChainOptions {
  node: LightningConfig;
  keysMode: Config['keysMode'];
  /** The signer process; null without one. */
  signer: SignerAddress | null;
  /** Reads the node whose payments the database has. */
  known: () => Promise<KnownNode>;
  /** The same as cursors have it, without its payouts. */
  readSource: () => Promise<string | null>;
  log: Pick<Logger, 'warn'>;
}

/** @throws ConfigError for settings that cannot be right, whatever the node answers */
export function createLightningChain({
  node: config,
  keysMode,
  signer,
  known,
  readSource,
  log,
}: LightningChainOptions): LightningChain {
  const { url, hasChannels, receivesOnly, unchecked, open, paying } = createLightningNode({
    config,
    keysMode,
    signer,
  });
  const { feeLimit, replaces } = config;
  // The node's requests have real times.
  const sender =
    paying === null ? null : createLightningSender({ ...paying, feeLimit, now: Date.now });
  for (const sentence of unchecked) log.warn({ event: 'macaroon_not_checked' }, sentence);
  if (sender === null) log.warn({ event: 'lightning_receives_only' }, receivesOnly);
  let setup: OpenNode['setup'] | null = null;
  let network: Network | null = null;
  let reason: string | null = null;
  const late = createLateAdapter(hasChannels, () => reason ?? `${url}: the node was not asked yet`);
  return {
    setting: url,
    get setup() {
      return setup;
    },
    get network() {
      return network;
    },
    get reason() {
      return reason;
    },
    async tryToOpen(expected) {
      if (setup !== null) return;
      try {
        const opened = await open();
        const { network: served, scan } = opened.setup;
        requireOneNetwork({ ...expected, [url]: served });
        network = served;
        const node = { setting: url, source: scan.source, replaces };
        requireSameNode(node, await known());
        setup = opened.setup;
        late.open(withSameNode(opened.adapter, node, known));
        reason = null;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        if (!(error instanceof UnavailableError)) throw error;
      }
    },
    adapter: (network) => late.adapter(network),
    sender: () =>
      setup === null || sender === null
        ? null
        : withOwnNode(sender, { source: setup.scan.source, readSource }),
  };
}

/** Another gateway with the same database may have another node meanwhile. */
function withSameNode(
  adapter: ChainAdapter,
  node: NodeInPlace,
  known: LightningChainOptions['known'],
): ChainAdapter {
  return {
    ...adapter,
    get kinds() {
      return adapter.kinds;
    },
    async scan(cursor, match, limits) {
      const source = sourceOf(cursor);
      if (source !== node.source) requireSameNode(node, { ...(await known()), source });
      return adapter.scan(cursor, match, limits);
    },
  };
}

/** A request that two nodes get can be paid twice: the one that the database reads sends alone. */
function withOwnNode(
  sender: ChainSender,
  { source, readSource }: { source: string } & Pick<LightningChainOptions, 'readSource'>,
): ChainSender {
  const refusal = async (): Promise<string | null> => {
    const read = await readSource();
    return read === source ? null : sendsNothing(source, read);
  };
  const requireOwn = async (): Promise<void> => {
    const reason = await refusal();
    if (reason !== null) throw new UnavailableError(reason);
  };
  return {
    ...sender,
    async plan(request) {
      await requireOwn();
      return sender.plan(request);
    },
    // Before the try is counted, since the own node does not get it.
    async test() {
      await requireOwn();
      return null;
    },
    async broadcast(raw, earlier) {
      const reason = await refusal();
      return reason === null ? sender.broadcast(raw, earlier) : { result: 'unknown', reason };
    },
    async lookUp(sent) {
      await requireOwn();
      return sender.lookUp(sent);
    },
  };
}

/** Stands for the adapter of a node that answers later. */
function createLateAdapter(hasChannels: boolean, closedReason: () => string) {
  const listeners = new Set<() => void>();
  let opened: ChainAdapter | null = null;
  const requireOpen = (): ChainAdapter => {
    if (opened === null) throw new UnavailableError(closedReason());
    return opened;
  };
  return {
    open(adapter: ChainAdapter): void {
      opened = adapter;
      for (const listener of listeners) adapter.onNews?.(listener);
    },
    adapter: (network: Network): ChainAdapter => ({
      chain: 'lightning',
      network,
      source: 'node',
      mempool: false,
      get kinds() {
        return opened?.kinds ?? [];
      },
      configuredKinds: RECEIVED_KINDS,
      health: async () =>
        opened === null ? { ok: false, tip: null, detail: closedReason() } : opened.health(),
      deriveTarget: async (options) => requireOpen().deriveTarget(options),
      scan: async (cursor, match, limits) => requireOpen().scan(cursor, match, limits),
      blockAt: async (height) => requireOpen().blockAt(height),
      // Where requests can't be cancelled, they end with their time.
      cancelRequest: async (paymentHash) => requireOpen().cancelRequest?.(paymentHash),
      usualFee: async () => requireOpen().usualFee!(),
      ...(hasChannels && { liquidity: async () => requireOpen().liquidity!() }),
      onNews(listener) {
        listeners.add(listener);
        const end = opened?.onNews?.(listener);
        return () => {
          listeners.delete(listener);
          end?.();
        };
      },
      close: () => opened?.close?.(),
    }),
  };
}
