import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Observation } from '../chain/adapter.ts';
import type { TransactionRow } from './store.ts';

/**
 * The payment that an observation takes the place of, with the same inputs: the buyer raised its fee. It keeps the price that was
 * in force when the first one was seen. A part that is more than before would be a new decision at an old price, so then there is none.
 * @param rows transactions of the invoice, on the same chain
 */
export function findReplaced({ txid, asset, amount, conflicts }: Observation, rows: readonly TransactionRow[]): TransactionRow | null {
  for (const row of rows) {
    const priced = row.counted && !row.late && row.quote_number !== null;
    const waiting = row.status === 'pending' || row.status === 'unconfirmed' || row.status === 'confirmed';
    if (!priced || !waiting || row.asset !== asset || row.txid === txid || parseAmount(row.amount) < amount) continue;
    if (row.conflicts.some((input) => conflicts.includes(input))) return row;
  }
  return null;
}
