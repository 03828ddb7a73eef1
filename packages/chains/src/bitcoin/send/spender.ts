import type { BitcoinTransaction } from '../transaction.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** Blocks that one look reads for a transaction whose outputs are all spent again. */
const MAX_BLOCKS = 1_000;

export interface Spender {
  height: number;
  transaction: BitcoinTransaction;
}

/**
 * The transaction in a block that spends one of these outputs; null when no block does, as far as
 * the node shows.
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
  const from = Math.max(above + 1, tip - MAX_BLOCKS);
  for (let height = tip; height >= from; height -= 1) {
    const transaction = (await node.transactionsAt(height)).find(({ inputs }) =>
      inputs.some((outpoint) => spent.has(outpoint)),
    );
    if (transaction !== undefined) return { height, transaction };
  }
  return null;
}
