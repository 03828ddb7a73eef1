import type { ChainAdapter } from '../../adapter.ts';
import { createUtxoAdapter, type UtxoAdapterOptions } from '../adapter.ts';
import { createFirstSights } from '../first-sights.ts';
import type { Esplora } from './client.ts';
import { esploraFacts } from './mempool-facts.ts';
import { createEsploraMempool } from './mempool.ts';
import { createEsploraNode } from './node.ts';

export interface EsploraAdapterOptions extends Pick<UtxoAdapterOptions, 'setup' | 'keys' | 'now'> {
  esplora: Esplora;
}

/** Creates the adapter of a UTXO chain behind a service with Esplora's HTTP interface. */
export function createEsploraAdapter({ esplora, ...options }: EsploraAdapterOptions): ChainAdapter {
  const sights = createFirstSights(options.now ?? Date.now);
  return createUtxoAdapter({
    ...options,
    node: createEsploraNode(esplora),
    mempool: createEsploraMempool(esplora, options.setup.network.chain),
    mempoolFacts: (txid) => esploraFacts(esplora, txid, sights),
  });
}
