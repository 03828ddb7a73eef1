import type { ChainId } from '@crypto-checkout/protocol/kind';
import type {
  Cursor,
  Match,
  ScanEvent,
  ScanLimits,
  ScanResult,
  UnlistedTransfer,
} from '../adapter.ts';
import {
  advanceCursor,
  isCursorOf,
  resumeScan,
  type BlockReference,
  type ResumedScan,
} from '../cursor.ts';
import type { BlockTracer } from './scan/block-tracer.ts';
import type { Absences } from '../rpc/absence.ts';
import { openTransactionEvents } from './send/transaction-status.ts';
import type { EvmBlock, EvmNode } from './node.ts';
import {
  coinTransfers,
  internalTransfers,
  isFullyTraced,
  observationOf,
  pendingTokenTransfers,
  tokenTransfers,
  type EvmAssets,
  type Transfer,
} from './scan/transfers.ts';

export interface EvmScan {
  chain: ChainId;
  node: EvmNode;
  assets: EvmAssets;
  /** Chain id and genesis hash; a cursor of another source is not resumed. */
  source: string;
  /** Null when the node does not offer tracing at all. */
  tracer: BlockTracer | null;
  hasMempool: boolean;
  /** The usual time between blocks; null where they are mined on demand. */
  blockIntervalMs: number | null;
  /** Whether the chain has finalized blocks of its own. */
  hasFinalizedBlocks: boolean;
  absences: Absences;
}

/** Blocks per batch. */
const CHUNK = 20;

/**
 * Scans an EVM chain: reorganisations first, then new blocks, then the mempool, then the open
 * transactions.
 */
export async function scanEvm(
  evm: EvmScan,
  from: Cursor | null,
  match: Match,
  limits: ScanLimits,
): Promise<ScanResult> {
  const tip = await evm.node.tip();
  const result = await scanTo(evm, tip, withGenesis(from, evm.source), match, limits);
  const { blockIntervalMs: intervalMs } = evm;
  return intervalMs === null ? result : { ...result, newestBlock: { time: tip.time, intervalMs } };
}

/** A cursor stored while the node did not return block 0 belongs to the chain with the same id. */
function withGenesis(cursor: Cursor | null, source: string): Cursor | null {
  const unknown = source.replace(/[^:]*$/, 'null');
  return isCursorOf(cursor, unknown) ? { ...cursor, extra: { ...cursor.extra, source } } : cursor;
}

async function scanTo(
  evm: EvmScan,
  tip: BlockReference,
  from: Cursor | null,
  match: Match,
  limits: ScanLimits,
): Promise<ScanResult> {
  const resumed = await resume(evm, from, tip);
  // Nothing is read, and the cursor stays.
  if (resumed === null) return { events: [], cursor: from!, tip: from!.height, caughtUp: false };
  const blocks = await linkedBlocks(
    evm.node,
    resumed.cursor,
    Math.min(tip.height, resumed.cursor.height + limits.maxBlocks),
    limits.signal,
  );
  const cursor = advanceCursor(
    resumed.cursor,
    blocks.map(({ number: height, hash }) => ({ height, hash })),
  );
  const caughtUp = cursor.height >= tip.height;
  const pending = caughtUp && evm.hasMempool ? await pendingBlock(evm.node, cursor) : null;

  const found = await transfersIn(evm, blocks, pending);
  const matched = await match([
    ...new Set([...found.transfers, ...found.unlisted].map(({ watchKey }) => watchKey)),
  ]);
  const unlisted = found.unlisted.filter(({ watchKey }) => matched.has(watchKey));
  const ours = await withoutReverted(
    evm.node,
    found.transfers.filter(({ watchKey }) => matched.has(watchKey)),
  );
  const observed = new Set(ours.map(({ key }) => key));
  return {
    events: [
      ...resumed.events,
      ...ours.map((transfer): ScanEvent => ({
        type: 'observed',
        observation: observationOf(transfer),
      })),
      ...unlisted.map((transfer): ScanEvent => ({ type: 'unlisted', transfer })),
      ...(await openTransactionEvents(
        {
          node: evm.node,
          absences: evm.absences,
          blocks,
          pending,
          observed,
          rollbackTo: resumed.rollbackTo,
          cursor,
          caughtUp,
        },
        limits.open,
      )),
    ],
    cursor,
    tip: Math.max(tip.height, cursor.height),
    caughtUp,
    ...(found.untraced.length === 0 ? {} : { untraced: found.untraced }),
    ...(caughtUp && evm.hasFinalizedBlocks ? await finalizedHeight(evm.node, cursor) : {}),
  };
}

/**
 * A finalized block below the cursor's ring is on the scanned chain, because the blocks after it
 * are; within the ring its hash must be the scanned one.
 */
async function finalizedHeight(
  node: EvmNode,
  { height, hash, ring }: Cursor,
): Promise<Pick<ScanResult, 'finalized'>> {
  const block = await node.finalizedBlock();
  // Some providers answer with their newest block, which is final on none of the chains.
  if (block === null || block.height >= height) return {};
  const scanned = [...ring, { height, hash }].find((known) => known.height === block.height);
  return scanned !== undefined && scanned.hash !== block.hash ? {} : { finalized: block.height };
}

/** The node does not have a block that was read before. */
class NodeLags extends Error {
  override readonly name = 'NodeLags';
}

/**
 * Null when the node lags: it does not have the cursor's blocks. Only another block at the height
 * of a known one shows a reorganisation.
 */
async function resume(
  { chain, node, source }: EvmScan,
  from: Cursor | null,
  tip: BlockReference,
): Promise<ResumedScan | null> {
  if (isCursorOf(from, source) && tip.height < from.height) return null;
  try {
    return await resumeScan(chain, from, source, tip, (blocks) => onBestChain(node, blocks));
  } catch (error) {
    if (error instanceof NodeLags) return null;
    throw error;
  }
}

/** @throws NodeLags when the node does not have one of these blocks */
async function onBestChain(
  node: EvmNode,
  blocks: readonly BlockReference[],
): Promise<ReadonlySet<string>> {
  const hashes = await node.hashesAt(blocks.map(({ height }) => height));
  if (hashes.includes(null)) throw new NodeLags();
  return new Set(blocks.filter(({ hash }, at) => hashes[at] === hash).map(({ hash }) => hash));
}

/**
 * Returns the blocks after the cursor, each the parent of the next. The list ends where the chain
 * changed meanwhile, or where the node lags; the next scan finds the fork.
 */
async function linkedBlocks(
  node: EvmNode,
  cursor: BlockReference,
  to: number,
  signal: AbortSignal,
): Promise<EvmBlock[]> {
  const linked: EvmBlock[] = [];
  let parent = cursor.hash;
  for (let from = cursor.height + 1; from <= to; from += CHUNK) {
    signal.throwIfAborted();
    for (const block of await node.blocks(from, Math.min(to, from + CHUNK - 1))) {
      if (block === null || block.parentHash !== parent) return linked;
      linked.push(block);
      parent = block.hash;
    }
  }
  return linked;
}

/**
 * The mempool's block after the cursor. Nodes without a mempool repeat the tip or return nothing.
 */
async function pendingBlock(node: EvmNode, cursor: Cursor): Promise<EvmBlock | null> {
  const pending = await node.pendingBlock();
  return pending?.number === cursor.height + 1 ? pending : null;
}

async function transfersIn(evm: EvmScan, blocks: readonly EvmBlock[], pending: EvmBlock | null) {
  const hashes = blocks.map(({ hash }) => hash);
  const logs = await evm.node.transferLogs(blocks);
  const traces = (await evm.tracer?.trace(hashes)) ?? [];
  const untraced: BlockReference[] = [];
  const transfers: Transfer[] = [];
  const unlisted: UnlistedTransfer[] = [];
  for (const [at, block] of blocks.entries()) {
    const tokens = tokenTransfers(block, logs[at] ?? [], evm.assets);
    const traced = traces[at] ?? null;
    if (!isFullyTraced(block, traced)) untraced.push({ height: block.number, hash: block.hash });
    transfers.push(
      ...coinTransfers(block, evm.assets, true),
      ...tokens.transfers,
      ...internalTransfers(block, traced ?? [], evm.assets),
    );
    unlisted.push(...tokens.unlisted);
  }
  if (pending !== null)
    transfers.push(
      ...coinTransfers(pending, evm.assets, false),
      ...pendingTokenTransfers(pending, evm.assets),
    );
  return { transfers, unlisted, untraced };
}

/**
 * A mined transaction can have failed; only its receipt shows that.
 * @throws UnavailableError when the node does not have a receipt yet: the block is read again
 */
async function withoutReverted(node: EvmNode, transfers: readonly Transfer[]): Promise<Transfer[]> {
  const txids = new Map<string, Set<string>>();
  for (const { txid, needsReceipt, block } of transfers)
    if (needsReceipt && block !== null)
      txids.set(block.hash, (txids.get(block.hash) ?? new Set()).add(txid));
  const reverted = new Set<string>();
  for (const [blockHash, needed] of txids)
    for (const { txid, succeeded } of await node.receiptsIn(blockHash, [...needed]))
      if (!succeeded) reverted.add(txid);
  return transfers.filter(({ txid, needsReceipt }) => !needsReceipt || !reverted.has(txid));
}
