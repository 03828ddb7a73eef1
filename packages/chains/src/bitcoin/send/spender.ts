import { PrunedError } from '../../error.ts';
import type { BitcoinTransaction } from '../transaction.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** Blocks that one look reads; the next one goes on where it ended. */
const MAX_BLOCKS = 1_000;
/** Blocks below the tip that are read again: a reorganisation can change them. */
const CHANGEABLE = 100;
/** Searches whose progress is kept. */
const MAX_SEARCHES = 1_000;

export interface Spender {
  height: number;
  transaction: BitcoinTransaction;
}

/** The blocks that a search has read without a result, from the lowest to the highest. */
interface Read {
  lowest: number;
  highest: number;
}

const searches = new WeakMap<BitcoinSendNode, Map<string, Read>>();

/**
 * The transaction in a block that spends one of these outputs; null when no block does, as far as
 * it was read. A long way back is read in several looks.
 * @param above height below which none can be
 */
export async function findSpender(
  node: BitcoinSendNode,
  outpoints: readonly string[],
  { above, tip }: { above: number; tip: number },
): Promise<Spender | null> {
  const found = await node.unspent(outpoints, false);
  const spent = new Set(outpoints.filter((_, at) => found[at] === null));
  if (spent.size === 0) return null;
  const known = searches.get(node) ?? new Map<string, Read>();
  searches.set(node, known);
  const key = [...spent].toSorted().join(' ');
  const read = readBefore(known.get(key), tip);
  const remember = (lowest: number): void => {
    known.delete(key);
    known.set(key, { lowest, highest: tip });
    for (const oldest of known.keys()) if (known.size > MAX_SEARCHES) known.delete(oldest);
  };
  for (const height of heightsToRead(read, { above, tip })) {
    const transactions = await node.transactionsAt(height).catch((error: unknown) => {
      // All newer blocks were read, and the older ones are deleted too.
      if (error instanceof PrunedError && height < read.lowest) remember(read.lowest);
      throw error;
    });
    const transaction = transactions.find(({ inputs }) =>
      inputs.some((outpoint) => spent.has(outpoint)),
    );
    if (transaction !== undefined) {
      // The next look finds it with its first block.
      remember(height + 1);
      return { height, transaction };
    }
    read.lowest = Math.min(read.lowest, height);
  }
  remember(read.lowest);
  return null;
}

/** Without a gap to the tip; a search that paused for long begins anew. */
function readBefore(before: Read | undefined, tip: number): Read {
  const isUsable =
    before !== undefined && before.highest <= tip && tip - before.highest < MAX_BLOCKS;
  return isUsable ? { ...before } : { lowest: tip + 1, highest: tip };
}

/** Newest first: those that are new or may have changed, then the ones that were not read yet. */
function heightsToRead(
  { lowest, highest }: Read,
  { above, tip }: { above: number; tip: number },
): number[] {
  const heights: number[] = [];
  const upper = Math.max(above + 1, lowest, highest - CHANGEABLE);
  for (let height = tip; height >= upper; height -= 1) heights.push(height);
  const next = Math.min(tip, lowest - 1);
  for (let height = next; height > above && heights.length < MAX_BLOCKS; height -= 1)
    heights.push(height);
  return heights;
}
