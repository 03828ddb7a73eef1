import { fromUnits } from '@crypto-checkout/protocol/amount';
import type { Cursor, Match, Observation, ScanEvent, ScanLimits, ScanResult } from '../adapter.ts';
import {
  advanceCursor,
  isCursorOf,
  resumeScan,
  type BlockReference,
  type ResumedScan,
} from '../cursor.ts';
import { watchKeyOf } from '../deposit-target.ts';
import { UnavailableError } from '../error.ts';
import type { Absences } from '../rpc/absence.ts';
import { addressOfScript } from './address.ts';
import { type Payment, ripen } from './immature.ts';
import type { Mempool, MempoolLook, MempoolView } from './mempool.ts';
import type { BitcoinNetwork } from './network.ts';
import type { BlockNode } from './node.ts';
import { openTransactionEvents, unminedOf } from './open-transactions.ts';
import { type BitcoinBlock, type BitcoinTransaction, maturityOf } from './transaction.ts';
import { DECIMALS } from './units.ts';

export interface BitcoinScan {
  network: BitcoinNetwork;
  /** The received asset (`Kind.asset`). */
  asset: string;
  node: BlockNode;
  mempool: Mempool;
  /** Network and genesis hash; a cursor of another source is not resumed. */
  source: string;
  /** The usual time between blocks; null where they are mined on demand. */
  blockIntervalMs: number | null;
  absences: Absences;
}

/**
 * Scans a UTXO chain: reorganisations first, then new blocks, then the mempool, then the open
 * transactions.
 */
export async function scanBitcoin(
  scan: BitcoinScan,
  from: Cursor | null,
  match: Match,
  limits: ScanLimits,
): Promise<ScanResult> {
  const { node, blockIntervalMs: intervalMs } = scan;
  const tip = await node.tip();
  const resumed = await resume(scan, from, tip);
  // Nothing is read, and the cursor stays.
  if (resumed === null) return { events: [], cursor: from!, tip: from!.height, caughtUp: false };
  const to = Math.min(tip.height, resumed.cursor.height + limits.maxBlocks);
  const blocks = await linkedBlocks(node, resumed.cursor, to, limits.signal);
  const read = advanceCursor(
    resumed.cursor,
    blocks.map(({ height, hash }) => ({ height, hash })),
  );
  const caughtUp = read.height >= tip.height;
  const unmined = unminedOf(limits.open, resumed.rollbackTo);
  const mempool = caughtUp
    ? await readMempool(scan, { ...limits, unmined }, blocks.length > 0)
    : null;
  const ours = await matching(scan, blocks, mempool?.transactions ?? [], match);
  const { ripe, cursor } = ripen(read, ours);
  return {
    events: [
      ...resumed.events,
      ...ripe.map((observation): ScanEvent => ({ type: 'observed', observation })),
      ...openTransactionEvents(
        {
          absences: scan.absences,
          blocks,
          mempool,
          observed: new Set(ripe.map(({ key }) => key)),
          rollbackTo: resumed.rollbackTo,
        },
        limits.open,
      ),
    ],
    cursor,
    tip: Math.max(tip.height, cursor.height),
    caughtUp,
    ...(intervalMs === null ? {} : { newestBlock: { time: tip.time, intervalMs } }),
  };
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
  { network: { chain }, node, source }: BitcoinScan,
  from: Cursor | null,
  tip: BlockReference,
): Promise<ResumedScan | null> {
  if (isCursorOf(from, source) && tip.height < from.height) return null;
  const onBestChain = async (blocks: readonly BlockReference[]): Promise<ReadonlySet<string>> => {
    const hashes = await node.hashesAt(blocks.map(({ height }) => height));
    if (hashes.includes(null)) throw new NodeLags();
    return new Set(blocks.filter(({ hash }, at) => hashes[at] === hash).map(({ hash }) => hash));
  };
  try {
    return await resumeScan(chain, from, source, tip, onBestChain);
  } catch (error) {
    if (error instanceof NodeLags) return null;
    throw error;
  }
}

/**
 * Returns the blocks after the cursor, each the parent of the next. The list ends where the chain
 * changed meanwhile, or where the node lags; the next scan finds the fork.
 */
async function linkedBlocks(
  node: BlockNode,
  cursor: BlockReference,
  to: number,
  signal: AbortSignal,
): Promise<BitcoinBlock[]> {
  const heights = Array.from({ length: to - cursor.height }, (_, at) => cursor.height + 1 + at);
  const linked: BitcoinBlock[] = [];
  let parent = cursor;
  for (const hash of await node.hashesAt(heights)) {
    signal.throwIfAborted();
    const block = hash === null ? null : await node.block(hash);
    const isNext = block?.parentHash === parent.hash && block.height === parent.height + 1;
    if (!isNext) return linked;
    linked.push(block);
    parent = block;
  }
  return linked;
}

/** A mempool that can't be read holds up no block: null, and the next look fails if that lasts. */
async function readMempool(
  { mempool }: BitcoinScan,
  look: MempoolLook,
  hasBlocks: boolean,
): Promise<MempoolView | null> {
  try {
    return await mempool.read(look);
  } catch (error) {
    if (hasBlocks && error instanceof UnavailableError) return null;
    throw error;
  }
}

async function matching(
  scan: BitcoinScan,
  blocks: readonly BitcoinBlock[],
  unconfirmed: Iterable<BitcoinTransaction>,
  match: Match,
): Promise<Payment[]> {
  const payments = [
    ...blocks.flatMap((block) =>
      block.transactions.flatMap((transaction) => paymentsOf(scan, transaction, block)),
    ),
    ...[...unconfirmed].flatMap((transaction) => paymentsOf(scan, transaction, null)),
  ];
  const keys = new Set(payments.map(({ observation }) => observation.watchKey));
  const matched = await match([...keys]);
  return payments.filter(({ observation }) => matched.has(observation.watchKey));
}

function paymentsOf(
  { network: { chain, versions }, asset }: BitcoinScan,
  transaction: BitcoinTransaction,
  block: BitcoinBlock | null,
): Payment[] {
  const { txid, inputs, outputs } = transaction;
  return outputs.flatMap(({ index, script, units }) => {
    const address = addressOfScript(versions, script);
    if (address === null) return [];
    const observation: Observation = {
      key: `${txid}:${index}`,
      txid,
      asset,
      watchKey: watchKeyOf(chain, address),
      amount: fromUnits(units, DECIMALS),
      block: block && { height: block.height, hash: block.hash, time: block.time },
      conflicts: inputs,
    };
    return [{ observation, maturity: block === null ? 0 : maturityOf(block, transaction) }];
  });
}
