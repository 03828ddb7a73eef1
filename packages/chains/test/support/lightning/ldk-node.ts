import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { hex } from '@scure/base';
import * as ldk from 'lightningdevkit';
import type { Litecoind } from '../litecoind.ts';

export { ldk };

const toHex = (bytes: Uint8Array): string => hex.encode(bytes);

/** The value of LDK's result. @throws Error when it is an error */
export function okOf<T>(result: { is_ok(): boolean }): T {
  if (!result.is_ok()) {
    const { err } = result as unknown as { err: unknown };
    throw new Error(`LDK refuses: ${(err as object)?.constructor.name ?? ''} ${String(err)}`);
  }
  return (result as unknown as { res: T }).res;
}

/** The value of LDK's option; undefined for none. */
export const someOf = <T>(option: object): T | undefined =>
  (option as unknown as { some?: T }).some;

let loaded: Promise<void> | null = null;

/** Reads LDK's WebAssembly once for a process. */
function loadLdk(): Promise<void> {
  const path = createRequire(import.meta.url).resolve('lightningdevkit');
  const file = path.replace(/[^/]*$/, 'liblightningjs.wasm');
  loaded ??= ldk.initializeWasmFromBinary(new Uint8Array(readFileSync(file)));
  return loaded;
}

/** A lightning node on a chain of tests. */
export interface LdkNode {
  /** Its public key. */
  id: string;
  manager: ldk.ChannelManager;
  /** Height of the newest block that it has. */
  height(): number;
  /** Receives each event of the node. */
  onEvent(listener: (event: ldk.Event) => void): void;
  /** Works on messages, forwards and events. */
  work(): void;
  /** Reads the new blocks of the chain. */
  sync(): Promise<void>;
  connect(other: LdkNode): Promise<void>;
  /** Ends the connections to its peers: its channels cannot be used then. */
  disconnect(): void;
  port(): number;
  peers(): number;
  stop(): void;
}

export interface LdkOptions {
  chain: Litecoind;
  /** A byte that the keys are made from. */
  seed: number;
}

const now = (): number => Math.floor(Date.now() / 1_000);
const DONE = ldk.ChannelMonitorUpdateStatus.LDKChannelMonitorUpdateStatus_Completed;
const LEAST_FEE_PER_KW = 253;
const HIGHEST_FEE_PER_KW = 60_000;
/** Satoshis of a thousand bitcoins. */
const MAX_FUNDING = 100_000_000_000n;

/**
 * Starts a real lightning node: LDK, whose peers connect over TCP (BOLT 8). The chain only has to
 * look like Bitcoin's regtest, because blocks are handed over one by one.
 */
export async function startLdkNode({ chain, seed }: LdkOptions): Promise<LdkNode> {
  await loadLdk();
  const parts = createParts(chain, seed);
  const { manager, monitor, peers, toSend } = parts;
  const network = createNetwork(peers, () => node.work());
  const queue: ldk.Event[] = [];
  let listener: (event: ldk.Event) => void = () => {};
  let isWorking = false;
  let height = await chain.call<number>('getblockcount');

  async function broadcast(): Promise<void> {
    for (let raw = toSend.shift(); raw !== undefined; raw = toSend.shift())
      await chain.call('sendrawtransaction', raw).catch(() => {});
  }

  function work(): void {
    if (isWorking) return;
    isWorking = true;
    try {
      for (let round = 0; round < 4; round += 1) {
        peers.process_events();
        manager.process_pending_htlc_forwards();
        const handler = ldk.EventHandler.new_impl({
          handle_event(event) {
            queue.push(event);
            return ldk.Result_NoneReplayEventZ.constructor_ok();
          },
        });
        manager.as_EventsProvider().process_pending_events(handler);
        monitor.as_EventsProvider().process_pending_events(handler);
        for (let event = queue.shift(); event !== undefined; event = queue.shift()) listener(event);
      }
      peers.process_events();
    } finally {
      isWorking = false;
    }
  }

  async function readBlock(at: number): Promise<void> {
    const hash = await chain.call<string>('getblockhash', at);
    const header = hex.decode(await chain.call<string>('getblockheader', hash, false)).slice(0, 80);
    const { tx } = await chain.call<{ tx: { hex: string }[] }>('getblock', hash, 2);
    const transactions = tx.map((one, index) =>
      ldk.TwoTuple_usizeTransactionZ.constructor_new(index, hex.decode(one.hex)),
    );
    for (const part of [manager.as_Confirm(), monitor.as_Confirm()]) {
      part.transactions_confirmed(header, transactions, at);
      part.best_block_updated(header, at);
    }
    height = at;
  }

  const node: LdkNode = {
    id: toHex(manager.get_our_node_id()),
    manager,
    height: () => height,
    onEvent: (next) => void (listener = next),
    work,
    async sync() {
      const tip = await chain.call<number>('getblockcount');
      while (height < tip) await readBlock(height + 1);
      work();
      await broadcast();
    },
    connect: (other) => network.connect(other),
    disconnect: () => network.disconnect(),
    port: () => network.port(),
    peers: () => peers.list_peers().length,
    stop() {
      clearInterval(timer);
      clearInterval(seconds);
      network.close();
    },
  };
  await network.listen();
  await readBlock(height);
  const timer = setInterval(() => {
    work();
    void broadcast();
  }, 20);
  const seconds = setInterval(() => {
    manager.timer_tick_occurred();
    peers.timer_tick_occurred();
  }, 10_000);
  timer.unref();
  seconds.unref();
  return node;
}

interface Parts {
  manager: ldk.ChannelManager;
  monitor: ldk.ChainMonitor;
  peers: ldk.PeerManager;
  toSend: string[];
  /** LDK frees what JavaScript no longer refers to. */
  kept: unknown[];
}

function createParts(_: Litecoind, seed: number): Parts {
  const toSend: string[] = [];
  const fee = ldk.FeeEstimator.new_impl({
    get_est_sat_per_1000_weight: (target) =>
      target === ldk.ConfirmationTarget.LDKConfirmationTarget_MaximumFeeEstimate
        ? HIGHEST_FEE_PER_KW
        : LEAST_FEE_PER_KW,
  });
  const broadcaster = ldk.BroadcasterInterface.new_impl({
    broadcast_transactions: (transactions) => void toSend.push(...transactions.map(toHex)),
  });
  const logger = ldk.Logger.new_impl({ log: () => {} });
  const persister = ldk.Persist.new_impl({
    persist_new_channel: () => DONE,
    update_persisted_channel: () => DONE,
    archive_persisted_channel: () => {},
  });
  const monitor = ldk.ChainMonitor.constructor_new(
    ldk.Option_FilterZ.constructor_none(),
    broadcaster,
    logger,
    fee,
    persister,
  );
  const keys = ldk.KeysManager.constructor_new(new Uint8Array(32).fill(seed), BigInt(now()), 42);
  const { graph, router, messageRouter, kept } = createRouter(logger, keys);
  const regtest = ldk.Network.LDKNetwork_Regtest;
  const manager = ldk.ChannelManager.constructor_new(
    fee,
    monitor.as_Watch(),
    broadcaster,
    router.as_Router(),
    messageRouter.as_MessageRouter(),
    logger,
    keys.as_EntropySource(),
    keys.as_NodeSigner(),
    keys.as_SignerProvider(),
    configuration(),
    ldk.ChainParameters.constructor_new(regtest, ldk.BestBlock.constructor_from_network(regtest)),
    now(),
  );
  const ignore = ldk.IgnoringMessageHandler.constructor_new();
  const gossip = ldk.P2PGossipSync.constructor_new(
    graph,
    ldk.Option_UtxoLookupZ.constructor_none(),
    logger,
  );
  const peers = ldk.PeerManager.constructor_new(
    manager.as_ChannelMessageHandler(),
    gossip.as_RoutingMessageHandler(),
    ignore.as_OnionMessageHandler(),
    ignore.as_CustomMessageHandler(),
    now(),
    new Uint8Array(randomBytes(32)),
    logger,
    keys.as_NodeSigner(),
  );
  const all = [fee, broadcaster, logger, persister, keys, ignore, gossip, ...kept];
  return { manager, monitor, peers, toSend, kept: all };
}

function createRouter(logger: ldk.Logger, keys: ldk.KeysManager) {
  const graph = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Regtest, logger);
  const decay = ldk.ProbabilisticScoringDecayParameters.constructor_default();
  const scorer = ldk.MultiThreadedLockableScore.constructor_new(
    ldk.ProbabilisticScorer.constructor_new(decay, graph, logger).as_Score(),
  );
  const fees = ldk.ProbabilisticScoringFeeParameters.constructor_default();
  const entropy = keys.as_EntropySource();
  const router = ldk.DefaultRouter.constructor_new(
    graph,
    logger,
    entropy,
    scorer.as_LockableScore(),
    fees,
  );
  const messageRouter = ldk.DefaultMessageRouter.constructor_new(graph, entropy);
  return {
    graph,
    router,
    messageRouter,
    kept: [graph, decay, scorer, fees, router, messageRouter],
  };
}

/** One large channel carries the whole of a payment. */
function configuration(): ldk.UserConfig {
  const config = ldk.UserConfig.constructor_default();
  const handshake = config.get_channel_handshake_config();
  handshake.set_max_inbound_htlc_value_in_flight_percent_of_channel(100);
  config.set_channel_handshake_config(handshake);
  const limits = config.get_channel_handshake_limits();
  limits.set_max_funding_satoshis(MAX_FUNDING);
  config.set_channel_handshake_limits(limits);
  config.set_accept_forwards_to_priv_channels(true);
  return config;
}

interface Network {
  listen(): Promise<void>;
  connect(other: LdkNode): Promise<void>;
  disconnect(): void;
  port(): number;
  close(): void;
}

function createNetwork(peers: ldk.PeerManager, work: () => void): Network {
  const sockets = new Set<Socket>();
  let serial = 0n;
  const none = ldk.Option_SocketAddressZ.constructor_none;

  function describeSocket(socket: Socket): ldk.SocketDescriptor {
    serial += 1n;
    const number = serial;
    sockets.add(socket);
    const descriptor = ldk.SocketDescriptor.new_impl({
      send_data(data) {
        socket.write(data);
        return data.length;
      },
      disconnect_socket: () => void socket.destroy(),
      eq: (other) => other.hash() === number,
      hash: () => number,
    });
    socket.on('data', (data: Buffer) => {
      if (!peers.read_event(descriptor, new Uint8Array(data)).is_ok()) socket.destroy();
      work();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      peers.socket_disconnected(descriptor);
    });
    return descriptor;
  }

  function disconnect(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server: Server = createServer((socket) => {
    const descriptor = describeSocket(socket);
    if (!peers.new_inbound_connection(descriptor, none()).is_ok()) socket.destroy();
    work();
  });
  return {
    listen: () => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve())),
    port: () => (server.address() as AddressInfo).port,
    async connect(other) {
      const socket = connect(other.port(), '127.0.0.1');
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      const descriptor = describeSocket(socket);
      const first = peers.new_outbound_connection(hex.decode(other.id), descriptor, none());
      socket.write(okOf<Uint8Array>(first));
    },
    disconnect,
    close() {
      disconnect();
      server.close();
    },
  };
}
