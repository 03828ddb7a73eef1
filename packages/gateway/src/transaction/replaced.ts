import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Observation } from '../chain/adapter.ts';
import type { Trx } from '../database/database.ts';
import type { TransactionRow } from './store.ts';

/**
 * The payment that an observation takes the place of, with the same inputs: the buyer raised its fee. It keeps the price that was
 * in force when the first one was seen. A part that is more than before would be a new decision at an old price, so then there is none.
 * @param rows transactions of the invoice, on the same chain
 */
export function findReplaced(observation: Observation, rows: readonly TransactionRow[]): TransactionRow | null {
  const { asset, amount } = observation;
  for (const row of rows) {
    const priced = row.counted && !row.late && row.quote_number !== null;
    const waiting = row.status === 'pending' || row.status === 'unconfirmed' || row.status === 'confirmed';
    if (!priced || !waiting || row.asset !== asset || parseAmount(row.amount) < amount) continue;
    if (spendsAgain(observation, row)) return row;
  }
  return null;
}

/** Whether it spends an input of another transaction, whatever that one paid and whatever became of it. */
export function spendsAgain({ txid, conflicts }: Observation, row: Pick<TransactionRow, 'txid' | 'conflicts'>): boolean {
  return row.txid !== txid && row.conflicts.some((input) => conflicts.includes(input));
}

/**
 * The same of everything that is stored of an invoice, of which a batch may hold only a part, and of every payment of the chain that
 * was lost, whomever it was for: whoever took one back can do so again.
 */
export async function spendsStoredAgain(trx: Trx, chain: ChainId, { txid, conflicts }: Observation, invoiceId: string): Promise<boolean> {
  const inputs = sql`conflicts && ${[...conflicts]}::text[] and txid <> ${txid}`;
  const { rows } = await sql`
    select 1 from (select txid, conflicts from transaction where invoice_id = ${invoiceId} offset 0) all_of_it where ${inputs}
    union all
    select 1 from transaction where chain = ${chain} and ${LOST} and ${inputs} limit 1`.execute(trx);
  return rows.length > 0;
}

/** As the index `transaction_lost_inputs` has it. */
const LOST = sql`block_height is null and (replaced_by is not null or not in_mempool) and conflicts <> '{}'`;
