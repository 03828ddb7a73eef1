import type { OpenTransaction, ScanEvent } from '../adapter.ts';
import type { EvmBlock, EvmNode, EvmTransaction } from './node.ts';
import { inputOf } from './transfers.ts';

export interface Seen {
  node: EvmNode;
  /** Blocks of this scan. */
  blocks: readonly EvmBlock[];
  pending: EvmBlock | null;
  /** Keys of the payments that this scan saw. */
  observed: ReadonlySet<string>;
  /** Height up to which earlier blocks still stand; null when no block left the chain. */
  rollbackTo: number | null;
  tip: number;
  caughtUp: boolean;
}

/** What became of our transactions that are not in a block: replaced, failed, gone, or still waiting. */
export async function fatesOf(seen: Seen, open: readonly OpenTransaction[]): Promise<ScanEvent[]> {
  const rivals = spenders(seen);
  const waiting = new Set(seen.pending?.transactions.map(({ hash }) => hash));
  const conflicts: ScanEvent[] = [];
  const unclear: OpenTransaction[] = [];
  for (const transaction of open) {
    const { key, txid } = transaction;
    const rival = transaction.conflicts.map((input) => rivals.get(input)).find((found) => found !== undefined && found !== txid);
    if (rival !== undefined) conflicts.push({ type: 'conflict', key, by: rival });
    else if (isOutside(transaction, seen.rollbackTo) && !waiting.has(txid) && !seen.observed.has(key)) unclear.push(transaction);
  }
  // A transaction may be in a block that was not read yet, so the node is asked only at the tip.
  return seen.caughtUp ? [...conflicts, ...(await askNode(seen, unclear))] : conflicts;
}

/** By input, the transaction that used it up or waits to; a block counts before the mempool. */
function spenders({ blocks, pending }: Seen): Map<string, string> {
  const transactions: EvmTransaction[] = [...(pending?.transactions ?? []), ...blocks.flatMap((block) => block.transactions)];
  return new Map(transactions.map((transaction) => [inputOf(transaction), transaction.hash]));
}

function isOutside({ block }: OpenTransaction, rollbackTo: number | null): boolean {
  return block === null || (rollbackTo !== null && block.height > rollbackTo);
}

async function askNode({ node, tip }: Seen, open: readonly OpenTransaction[]): Promise<ScanEvent[]> {
  const places = await node.locate(open.map(({ txid }) => txid));
  const isRead = (at: number): boolean => (places[at]?.blockNumber ?? Number.POSITIVE_INFINITY) <= tip;
  const mined = open.filter((_, at) => isRead(at));
  const receipts = await node.receipts(mined.map(({ txid }) => txid));
  const failed = mined.map(({ key }, at): ScanEvent => {
    // It succeeded, but its block was read and the payment was not in it: the contract moved nothing to us.
    const reason = receipts[at]?.succeeded === true ? 'was mined without this payment' : 'reverted on the chain';
    return { type: 'failed', key, reason };
  });
  return [...failed, ...open.flatMap(({ key }, at): ScanEvent[] => (places[at] === null ? [{ type: 'gone', key }] : []))];
}
