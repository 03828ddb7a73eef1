import type { ChainAdapter } from '../adapter.ts';
import { createJsonRpc } from '../json-rpc.ts';
import type { HttpOptions } from '../rpc/http.ts';
import { createBitcoinAdapter, type UtxoAdapterOptions } from './adapter.ts';
import { createEsploraAdapter } from './esplora/adapter.ts';
import { createEsplora } from './esplora/client.ts';
import { createEsploraNode } from './esplora/node.ts';
import { createEsploraSendNode } from './esplora/send-node.ts';
import { setUpEsplora } from './esplora/setup.ts';
import type { BitcoinNetwork } from './network.ts';
import { type BlockNode, createBitcoinNode } from './node.ts';
import { type BitcoinSendNode, createBitcoinSendNode } from './send/send-node.ts';
import { type BitcoinSetup, setUpBitcoin } from './setup.ts';

/** A node, or a service, that serves a UTXO chain. */
export interface BitcoinSource {
  /** For log lines; without its address, which can contain a key. */
  name: 'node' | 'esplora';
  /**
   * @throws ConfigError with one sentence for a wrong answer
   * @throws UnavailableError with one sentence when it does not answer
   */
  setUp(): Promise<BitcoinSetup>;
  adapter(options: Pick<UtxoAdapterOptions, 'setup' | 'keys' | 'now'>): ChainAdapter;
  /** The best chain's hashes; null above its tip. */
  hashesAt: BlockNode['hashesAt'];
  sendNode: BitcoinSendNode;
}

export interface BitcoinSourceOptions {
  network: BitcoinNetwork;
  http: HttpOptions;
  /** Names of the settings for error messages. */
  settings: {
    url: string;
    network: string;
    user: string;
    password: string;
    cookie: string;
    esplora: string;
  };
}

/** A node with Bitcoin Core's JSON-RPC. */
export function nodeSource({ network, http, settings }: BitcoinSourceOptions): BitcoinSource {
  const rpc = createJsonRpc({ ...http, exactNumbers: true });
  return {
    name: 'node',
    setUp: () => setUpBitcoin({ network, node: createBitcoinNode(rpc), settings }),
    adapter: (options) => createBitcoinAdapter({ ...options, rpc }),
    hashesAt: createBitcoinNode(rpc).hashesAt,
    sendNode: createBitcoinSendNode(rpc, network.chain),
  };
}

/** A service with Esplora's HTTP interface. */
export function esploraSource({ network, http, settings }: BitcoinSourceOptions): BitcoinSource {
  const esplora = createEsplora(http);
  return {
    name: 'esplora',
    setUp: () => setUpEsplora({ network, esplora, settings }),
    adapter: (options) => createEsploraAdapter({ ...options, esplora }),
    hashesAt: createEsploraNode(esplora).hashesAt,
    sendNode: createEsploraSendNode(esplora, network.chain),
  };
}
