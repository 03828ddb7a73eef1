import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Observation } from '../chain/adapter.ts';
import type { Trx } from '../database/database.ts';
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

/** Whether it spends an input of another transaction, whatever that one paid and whatever became of it. */
export function spendsAgain({ txid, conflicts }: Observation, row: Pick<TransactionRow, 'txid' | 'conflicts'>): boolean {
  return row.txid !== txid && row.conflicts.some((input) => conflicts.includes(input));
}

/**
 * The same of everything that is stored of an invoice: a batch holds only a part of what a reusable address was paid. Inputs of
 * other invoices are not asked for, which no index finds.
 */
export async function spendsStoredAgain(trx: Trx, { txid, conflicts }: Observation, invoiceId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (select txid, conflicts from transaction where invoice_id = ${invoiceId} offset 0) all_of_it
    where txid <> ${txid} and conflicts && ${[...conflicts]}::text[] limit 1`.execute(trx);
  return rows.length > 0;
}
