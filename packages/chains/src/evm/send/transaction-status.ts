import type { Cursor, OpenTransaction, ScanEvent } from '../../adapter.ts';
import type { Absences } from '../../rpc/absence.ts';
import type { EvmBlock, EvmNode, EvmTransaction } from '../node.ts';
import { inputsOf } from '../scan/transfers.ts';

export interface ScannedBlocks {
  node: EvmNode;
  absences: Absences;
  /** Blocks of this scan. */
  blocks: readonly EvmBlock[];
  pending: EvmBlock | null;
  /** Keys of the payments that this scan reported. */
  observed: ReadonlySet<string>;
  /** Height up to which earlier blocks remain valid; null when no block left the chain. */
  rollbackTo: number | null;
  /** After this scan. */
  cursor: Cursor;
  caughtUp: boolean;
}

/** Reports open transactions that were replaced, failed or dropped. */
export async function openTransactionEvents(
  seen: ScannedBlocks,
  open: readonly OpenTransaction[],
): Promise<ScanEvent[]> {
  const rivals = spendersByInput(seen);
  const waiting = new Set(seen.pending?.transactions.map(({ hash }) => hash));
  const conflicts: ScanEvent[] = [];
  const unclear: OpenTransaction[] = [];
  // A next block proves nothing about a transaction in a block that stays.
  const unmined = open.filter((transaction) => isUnmined(transaction, seen.rollbackTo));
  for (const transaction of unmined) {
    const { key, txid } = transaction;
    const rival = transaction.conflicts
      .map((input) => rivals.get(input))
      .find((found) => found !== undefined && found !== txid);
    if (rival !== undefined) conflicts.push({ type: 'conflict', key, by: rival });
    else if (!waiting.has(txid) && !seen.observed.has(key)) unclear.push(transaction);
  }
  // A transaction can be in a block that the scan has not read yet, so the node is only queried at
  // the tip.
  return seen.caughtUp ? [...conflicts, ...(await eventsFromNode(seen, unclear))] : conflicts;
}

/** Maps each input to the transaction that spends it. A block has precedence over the mempool. */
function spendersByInput({ blocks, pending }: ScannedBlocks): Map<string, string> {
  const transactions: EvmTransaction[] = [
    ...(pending?.transactions ?? []),
    ...blocks.flatMap((block) => block.transactions),
  ];
  return new Map(
    transactions.flatMap((transaction) =>
      inputsOf(transaction).map((input) => [input, transaction.hash] as const),
    ),
  );
}

function isUnmined({ block }: OpenTransaction, rollbackTo: number | null): boolean {
  return block === null || (rollbackTo !== null && block.height > rollbackTo);
}

async function eventsFromNode(
  seen: ScannedBlocks,
  open: readonly OpenTransaction[],
): Promise<ScanEvent[]> {
  const { node, cursor } = seen;
  const places = await node.locate(open.map(({ txid }) => txid));
  const mined = open.flatMap(({ key, txid }, at) => {
    const height = places[at]?.blockNumber ?? null;
    return height !== null && height <= cursor.height ? [{ key, txid, height }] : [];
  });
  const receipts = await node.receipts(mined.map(({ txid }) => txid));
  const hashes = await scannedHashes(
    seen,
    mined.map(({ height }) => height),
  );
  const failed = mined.flatMap(({ key }, at): ScanEvent[] => {
    const receipt = receipts[at] ?? null;
    // Without a receipt of the scanned block nothing is known yet; the next scan looks again.
    if (receipt === null || receipt.blockHash !== hashes[at]) return [];
    // It succeeded, but its scanned block does not contain the payment: the contract transferred
    // nothing here.
    const reason = receipt.succeeded ? 'was mined without this payment' : 'reverted on the chain';
    return [{ type: 'failed', key, reason }];
  });
  const missing = open.filter((_, at) => places[at] === null).map(({ key }) => key);
  const gone = goneAmong(seen, missing);
  return [
    ...failed,
    ...missing.flatMap((key) => (gone.has(key) ? [{ type: 'gone', key } as const] : [])),
  ];
}

function goneAmong(
  { absences, rollbackTo }: ScannedBlocks,
  missing: readonly string[],
): ReadonlySet<string> {
  const gone = absences.confirm(missing);
  // A cursor of another chain: its transactions never existed here.
  if (rollbackTo === -1) return new Set(missing);
  // While the chain reorganises, backends differ most.
  return rollbackTo === null ? gone : new Set();
}

/** The hashes of the blocks that were scanned; below the cursor's ring, those of the best chain. */
async function scannedHashes(
  { node, cursor }: ScannedBlocks,
  heights: readonly number[],
): Promise<(string | null)[]> {
  const ring = new Map(cursor.ring.map(({ height, hash }) => [height, hash]));
  const older = heights.filter((height) => !ring.has(height));
  const hashes = await node.hashesAt(older);
  const found = new Map(older.map((height, at) => [height, hashes[at] ?? null]));
  return heights.map((height) => ring.get(height) ?? found.get(height) ?? null);
}
