import type { Match, TracedBlock } from '../../adapter.ts';
import type { BlockReference } from '../../cursor.ts';
import type { EvmNode } from '../node.ts';
import { internalTransfers, isFullyTraced, observationOf, type EvmAssets } from './transfers.ts';

/**
 * The payments by contracts in a block that was read before, with the keys that they have when a
 * scan finds them.
 * @returns null when the node has another block at this height, or none
 * @throws UnavailableError or JsonRpcError when the node cannot trace the block now
 */
export async function traceLater(
  { node, assets }: { node: Pick<EvmNode, 'blocks' | 'traceBlock'>; assets: EvmAssets },
  { height, hash }: BlockReference,
  match: Match,
): Promise<TracedBlock | null> {
  const [block = null] = await node.blocks(height, height);
  if (block?.hash !== hash) return null;
  const traces = await node.traceBlock(hash);
  const transfers = internalTransfers(block, traces, assets);
  const matched = await match([...new Set(transfers.map(({ watchKey }) => watchKey))]);
  return {
    observations: transfers.filter(({ watchKey }) => matched.has(watchKey)).map(observationOf),
    complete: isFullyTraced(block, traces),
  };
}
