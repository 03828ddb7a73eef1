import type { OpenTransaction, ScanEvent } from '../adapter.ts';
import type { Absences } from '../rpc/absence.ts';
import type { MempoolView } from './mempool.ts';
import type { BitcoinBlock } from './transaction.ts';

export interface Scanned {
  absences: Absences;
  /** Blocks of this scan. */
  blocks: readonly BitcoinBlock[];
  /** Null below the tip: a transaction can be in a block that was not read yet. */
  mempool: MempoolView | null;
  /** Keys of the payments that this scan reported. */
  observed: ReadonlySet<string>;
  /** Height up to which earlier blocks remain valid; null when no block left the chain. */
  rollbackTo: number | null;
}

/** The open transactions that no valid block has. */
export const unminedOf = (
  open: readonly OpenTransaction[],
  rollbackTo: number | null,
): OpenTransaction[] =>
  open.filter(({ block }) => block === null || (rollbackTo !== null && block.height > rollbackTo));

/** Reports open transactions whose inputs another one spends, and those that are nowhere. */
export function openTransactionEvents(
  { absences, blocks, mempool, observed, rollbackTo }: Scanned,
  open: readonly OpenTransaction[],
): ScanEvent[] {
  const spenders = spendersIn(blocks);
  const rivalOf = ({ txid, conflicts }: OpenTransaction): string | undefined => {
    // A block has precedence over the mempool.
    for (const find of [(input: string) => spenders.get(input), mempool?.spender]) {
      const rival = conflicts.map((input) => find?.(input)).find((by) => by && by !== txid);
      if (rival !== undefined) return rival;
    }
    return undefined;
  };
  const events: ScanEvent[] = [];
  const missing: string[] = [];
  for (const transaction of unminedOf(open, rollbackTo)) {
    const { key, txid } = transaction;
    if (observed.has(key)) continue;
    const by = rivalOf(transaction);
    if (by !== undefined) events.push({ type: 'conflict', key, by });
    else if (mempool?.has(txid) === false) missing.push(key);
  }
  if (mempool === null) return events;
  const gone = absences.confirm(missing);
  const isGone = (key: string): boolean =>
    // A cursor of another chain: its transactions never existed here. While the chain reorganises,
    // a transaction can be on its way back.
    rollbackTo === -1 || (rollbackTo === null && gone.has(key));
  return [...events, ...missing.filter(isGone).map((key) => ({ type: 'gone' as const, key }))];
}

/** Maps each output that these blocks spend to the transaction that spends it. */
function spendersIn(blocks: readonly BitcoinBlock[]): ReadonlyMap<string, string> {
  const spenders = new Map<string, string>();
  for (const { transactions } of blocks)
    for (const { txid, inputs } of transactions)
      for (const input of inputs) spenders.set(input, txid);
  return spenders;
}
