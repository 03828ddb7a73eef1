import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Cursor, Match, Observation, ScanEvent, ScanLimits, ScanResult } from '../adapter.ts';
import { advanceCursor, resumeOrBegin, type BlockReference } from '../follow.ts';
import { balanceRemainders, type BalanceWatch } from './balance.ts';
import { fatesOf } from './fate.ts';
import type { EvmBlock, EvmNode } from './node.ts';
import { coinTransfers, internalTransfers, pendingTokenTransfers, tokenTransfers, type EvmAssets, type Transfer } from './transfers.ts';

export interface EvmScan {
  chain: ChainId;
  node: EvmNode;
  assets: EvmAssets;
  /** Chain id and genesis: whose cursor it is. */
  source: string;
  canTrace: boolean;
  hasMempool: boolean;
  /** Where the node can't trace: addresses whose balances are compared instead. */
  balances: BalanceWatch;
  /** Told of each transfer to us of a token that is not on the list. */
  onIgnoredToken: (txid: string, address: string) => void;
}

/** Blocks read at a time. */
const CHUNK = 20;

/** Reads an EVM chain: forks by the ring, then blocks, then what waits, then what became of open transactions. */
export async function scanEvm(evm: EvmScan, from: Cursor | null, match: Match, limits: ScanLimits): Promise<ScanResult> {
  const tip = await evm.node.tip();
  const resumed = await resumeOrBegin(evm.chain, from, evm.source, tip, (blocks) => onBestChain(evm.node, blocks));
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
  const pending = caughtUp && evm.hasMempool ? await nextBlock(evm.node, cursor) : null;

  const found = await transfersIn(evm, blocks, pending);
  const matched = await match([...new Set([...found.transfers, ...found.unlisted].map(({ watchKey }) => watchKey))]);
  for (const { watchKey, txid, to } of found.unlisted) if (matched.has(watchKey)) evm.onIgnoredToken(txid, to);
  const ours = await successful(
    evm.node,
    found.transfers.filter(({ watchKey }) => matched.has(watchKey)),
  );
  const observed = new Set(ours.map(({ key }) => key));
  const unexplained = evm.canTrace ? [] : await balanceRemainders(evm, resumed.cursor, cursor, blocks, ours);
  return {
    events: [
      ...resumed.events,
      ...ours.map((transfer): ScanEvent => ({ type: 'observed', observation: observationOf(transfer) })),
      ...unexplained,
      ...(await fatesOf(
        { node: evm.node, blocks, pending, observed, rollbackTo: resumed.rollbackTo, tip: cursor.height, caughtUp },
        limits.open,
      )),
    ],
    cursor,
    tip: Math.max(tip.height, cursor.height),
    caughtUp,
  };
}

async function onBestChain(node: EvmNode, blocks: readonly BlockReference[]): Promise<ReadonlySet<string>> {
  const hashes = await node.hashesAt(blocks.map(({ height }) => height));
  return new Set(blocks.filter(({ hash }, at) => hashes[at] === hash).map(({ hash }) => hash));
}

/** Blocks after the cursor, each the parent of the next; a chain that changes meanwhile ends the list, and the next scan sees the fork. */
async function linkedBlocks(node: EvmNode, cursor: BlockReference, to: number, signal: AbortSignal): Promise<EvmBlock[]> {
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

/** What waits for the block after the cursor; nodes that know no mempool repeat the tip, or answer nothing. */
async function nextBlock(node: EvmNode, cursor: Cursor): Promise<EvmBlock | null> {
  const pending = await node.pendingBlock();
  return pending?.number === cursor.height + 1 ? pending : null;
}

async function transfersIn(evm: EvmScan, blocks: readonly EvmBlock[], pending: EvmBlock | null) {
  const hashes = blocks.map(({ hash }) => hash);
  const logs = await evm.node.transferLogs(hashes);
  const traces = evm.canTrace ? await evm.node.traceBlocks(hashes) : [];
  const transfers: Transfer[] = [];
  const unlisted: Transfer[] = [];
  for (const [at, block] of blocks.entries()) {
    const tokens = tokenTransfers(block, logs[at] ?? [], evm.assets);
    transfers.push(
      ...coinTransfers(block, evm.assets, true),
      ...tokens.transfers,
      ...internalTransfers(block, traces[at] ?? [], evm.assets),
    );
    unlisted.push(...tokens.unlisted);
  }
  if (pending !== null) transfers.push(...coinTransfers(pending, evm.assets, false), ...pendingTokenTransfers(pending, evm.assets));
  return { transfers, unlisted };
}

/** A transaction in a block may have failed; only its receipt says so. */
async function successful(node: EvmNode, transfers: readonly Transfer[]): Promise<Transfer[]> {
  const txids = [...new Set(transfers.filter(({ needsReceipt }) => needsReceipt).map(({ txid }) => txid))];
  const receipts = await node.receipts(txids);
  const succeeded = new Map(txids.map((txid, at) => [txid, receipts[at]]));
  return transfers.filter(({ txid, needsReceipt, block }) => {
    const receipt = succeeded.get(txid);
    return !needsReceipt || (receipt?.succeeded === true && receipt.blockHash === block?.hash);
  });
}

function observationOf({ to: _to, needsReceipt: _needsReceipt, ...observation }: Transfer): Observation {
  return observation;
}
