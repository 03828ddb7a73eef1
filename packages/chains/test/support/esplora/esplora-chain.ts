import type { ChainAdapter } from '../../../src/adapter.ts';
import { createEsploraAdapter } from '../../../src/bitcoin/esplora/adapter.ts';
import { createEsplora } from '../../../src/bitcoin/esplora/client.ts';
import { createEsploraSendNode } from '../../../src/bitcoin/esplora/send-node.ts';
import { setUpEsplora } from '../../../src/bitcoin/esplora/setup.ts';
import { bitcoinNetwork, type UtxoChainId } from '../../../src/bitcoin/network.ts';
import { createBitcoinSender } from '../../../src/bitcoin/send/sender.ts';
import type { NodeFault } from '../../contract.ts';
import { type BitcoinChain, type BitcoinPayer, keys, openBitcoinChain } from '../bitcoin-chain.ts';
import { type ChangeEsplora, type EsploraServer, startEsploraServer } from './esplora-server.ts';

/** Enough where browsers share the processors: no test waits for the client's own limit. */
const PATIENT_MS = 60_000;

export interface EsploraChain extends BitcoinChain {
  server: EsploraServer;
  /** Of the proxy to the node itself, which `change` changes. */
  nodeUrl: string;
}

/** A UTXO chain on that node, read and paid through a service with Esplora's interface. */
export async function openEsploraChain(
  payer: BitcoinPayer,
  chain: UtxoChainId,
): Promise<EsploraChain> {
  const { node } = payer;
  const core = await openBitcoinChain(payer, chain);
  const network = bitcoinNetwork(chain, 'regtest');
  const server = await startEsploraServer(node, network);
  let now = 0;
  const openWith = async (fetch: typeof globalThis.fetch): Promise<ChainAdapter> => {
    const esplora = createEsplora({ url: server.url, fetch, timeoutMs: PATIENT_MS });
    const settings = { esplora: 'ESPLORA_URL', network: 'NETWORK' };
    const setup = await setUpEsplora({ network, esplora, settings });
    return createEsploraAdapter({ esplora, setup, keys, now: () => now });
  };
  const open = (): Promise<ChainAdapter> => openWith(globalThis.fetch);
  return {
    ...core,
    server,
    nodeUrl: core.url,
    url: server.url,
    open,
    openWith,
    openSender: (store) =>
      createBitcoinSender({
        ...store,
        network,
        keys,
        node: createEsploraSendNode(createEsplora({ url: server.url }), chain),
        minConfirmations: 1,
      }),
    async advance(ms) {
      now += ms;
      await payer.advance(ms);
    },
    async fault(fault) {
      server.change(fault === null ? (_, answer) => answer : FAULTS[fault]);
      server.freeze(
        fault === 'behind'
          ? {
              height: await node.call<number>('getblockcount'),
              mempool: new Set(await node.call<string[]>('getrawmempool')),
            }
          : null,
      );
    },
    async openOther() {
      const main = bitcoinNetwork(chain, 'main').genesis!;
      server.change((path, answer) =>
        path === '/block-height/0' ? { status: 200, body: main } : answer,
      );
      return open();
    },
    async close() {
      await server.stop();
      await core.close();
      if (server.violations.length > 0) throw new Error(server.violations.join('\n'));
    },
  };
}

const FAULTS: Readonly<Record<NodeFault, ChangeEsplora>> = {
  behind: (_, answer) => answer,
  silent: () => null,
  /** Transactions and blocks are not found, and every other answer is null. */
  empty: (path) =>
    /^\/(?:tx|block|block-height)\//.test(path)
      ? { status: 404, body: path.startsWith('/tx') ? 'Transaction not found' : 'Block not found' }
      : { status: 200, body: 'null' },
};
