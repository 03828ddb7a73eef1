import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, ChainHealth, MempoolFacts } from '../adapter.ts';
import { utxoDepositTarget } from '../deposit-target.ts';
import { createAbsences } from '../rpc/absence.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { PublicKeys } from '../keys.ts';
import { createFirstSights } from './first-sights.ts';
import { createMempool, type Mempool } from './mempool.ts';
import { mempoolFacts } from './mempool-facts.ts';
import { type BlockNode, createBitcoinNode } from './node.ts';
import { scanBitcoin, type BitcoinScan } from './scanner.ts';
import type { BitcoinSetup } from './setup.ts';
import { withinTime } from '../within-time.ts';

export interface BitcoinAdapterOptions {
  rpc: JsonRpc;
  setup: BitcoinSetup;
  keys: PublicKeys;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

export interface UtxoAdapterOptions extends Omit<BitcoinAdapterOptions, 'rpc'> {
  node: BlockNode;
  mempool: Mempool;
  mempoolFacts: (txid: string) => Promise<MempoolFacts | null>;
}

const HEALTH_TIMEOUT_MS = 1_500;

/** The asset that payments on a UTXO chain are credited as. */
export const coinOf = (chain: ChainId): string => {
  const coin = KINDS.find((kind) => kind.chain === chain);
  if (coin === undefined) throw new RangeError(`${chain} has no coin`);
  return coin.asset;
};

/** Creates the adapter of a UTXO chain behind a node with Bitcoin Core's JSON-RPC. */
export function createBitcoinAdapter({ rpc, ...options }: BitcoinAdapterOptions): ChainAdapter {
  const node = createBitcoinNode(rpc);
  const sights = createFirstSights(options.now ?? Date.now);
  return createUtxoAdapter({
    ...options,
    node,
    mempool: createMempool(node),
    mempoolFacts: (txid) => mempoolFacts(rpc, txid, sights),
  });
}

/** Creates the adapter of a UTXO chain, whatever serves its blocks and its mempool. */
export function createUtxoAdapter({
  node,
  mempool,
  mempoolFacts: facts,
  setup,
  keys,
  now = Date.now,
}: UtxoAdapterOptions): ChainAdapter {
  const { network, source } = setup;
  const { chain, account, versions } = network;
  const { mempool: hasMempool, blockSeconds } = CHAINS[chain];
  const scan: BitcoinScan = {
    network,
    asset: coinOf(chain),
    node,
    mempool,
    source,
    blockIntervalMs: network.name === 'regtest' ? null : blockSeconds * 1000,
    absences: createAbsences(now),
  };
  return {
    chain,
    network: account,
    source: 'node',
    kinds: KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind),
    mempool: hasMempool,
    async health() {
      const ask = (): Promise<ChainHealth> =>
        node.tip().then(
          ({ height }): ChainHealth => ({ ok: true, tip: height, detail: null }),
          () => SILENT,
        );
      return withinTime(ask, HEALTH_TIMEOUT_MS, () => SILENT);
    },
    deriveTarget: async (options) => utxoDepositTarget(keys, chain, options, versions),
    scan: (cursor, match, limits) => scanBitcoin(scan, cursor, match, limits),
    async blockAt(height) {
      const [hash] = await node.hashesAt([height]);
      return hash ? { height, hash } : null;
    },
    mempoolFacts: facts,
  };
}

const SILENT: ChainHealth = { ok: false, tip: null, detail: 'The node does not answer' };
