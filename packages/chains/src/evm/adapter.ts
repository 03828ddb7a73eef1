import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, ChainHealth } from '../adapter.ts';
import { deriveTarget } from '../deposit-target.ts';
import type { PublicKeys } from '../keys.ts';
import { createAbsences } from '../rpc/absence.ts';
import { createBlockTracer } from './scan/block-tracer.ts';
import { balancesAt } from './scan/balances.ts';
import { traceLater } from './scan/trace-later.ts';
import type { EvmNode } from './node.ts';
import { scanEvm, type EvmScan } from './scanner.ts';
import { linkedNetwork } from './linked-network.ts';
import type { EvmSetup } from './setup.ts';
import { withinTime } from '../within-time.ts';

export interface EvmChainOptions {
  chain: ChainId;
  node: EvmNode;
  setup: EvmSetup;
  keys: PublicKeys;
  /**
   * Called for each block that the node cannot trace: coin that contracts send in it shows when it
   * is traced later.
   */
  onUntracedBlock?: (blockHash: string, reason: string) => void;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

const HEALTH_TIMEOUT_MS = 1_500;

/** Creates the adapter of an EVM chain behind a JSON-RPC node. */
export function createEvmAdapter({
  chain,
  node,
  setup,
  keys,
  onUntracedBlock = () => {},
  now = Date.now,
}: EvmChainOptions): ChainAdapter {
  const { mempool, blockSeconds } = CHAINS[chain];
  const { network, assets, source, canTrace } = setup;
  const absences = createAbsences(now);
  const evm: EvmScan = {
    chain,
    node,
    assets,
    source,
    tracer: canTrace ? createBlockTracer(node, { now, onUntraced: onUntracedBlock }) : null,
    hasMempool: mempool,
    blockIntervalMs: setup.minesOnDemand ? null : blockSeconds * 1000,
    hasFinalizedBlocks: CHAIN_DETAILS[chain].finalizedBlock !== null,
    absences,
  };
  return {
    chain,
    network,
    source: 'node',
    kinds: [assets.coin.kind, ...[...assets.tokens.values()].map(({ kind }) => kind)],
    mempool,
    health: () => health(node),
    async deriveTarget(options) {
      const evm = linkedNetwork(setup, options.kind);
      const target = await deriveTarget(keys, chain, options);
      return evm === null ? target : { ...target, evm };
    },
    scan: (cursor, match, limits) => scanEvm(evm, cursor, match, limits),
    async blockAt(height) {
      const [hash] = await node.hashesAt([height]);
      return hash ? { height, hash } : null;
    },
    balancesAt: (height, addresses) => balancesAt(evm, height, addresses),
    traceBlock: (block, match) => traceLater(evm, block, match),
  };
}

async function health(node: EvmNode): Promise<ChainHealth> {
  const unavailable: ChainHealth = { ok: false, tip: null, detail: 'The node does not answer' };
  const ask = (): Promise<ChainHealth> =>
    node.tip().then(
      ({ height }): ChainHealth => ({ ok: true, tip: height, detail: null }),
      () => unavailable,
    );
  return withinTime(ask, HEALTH_TIMEOUT_MS, () => unavailable);
}
