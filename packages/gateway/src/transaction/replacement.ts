import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Observation } from '@crypto-checkout/chains/adapter';
import type { Trx } from '../database/database.ts';
import type { TransactionRow } from './store.ts';

/**
 * Finds the payment that an observation replaces by spending the same inputs (a fee bump). The
 * replacement keeps the price of the first payment. Returns null for a larger amount, which would
 * be a new decision at an old price.
 * @param rows transactions of the invoice, on the same chain
 */
export function findReplaced(
  observation: Observation,
  rows: readonly TransactionRow[],
): TransactionRow | null {
  const { asset, amount } = observation;
  for (const row of rows) {
    const priced = row.counted && !row.late && row.quote_number !== null;
    const waiting =
      row.status === 'pending' || row.status === 'unconfirmed' || row.status === 'confirmed';
    if (!priced || !waiting || row.asset !== asset || parseAmount(row.amount) < amount) continue;
    if (sharesInput(observation, row)) return row;
  }
  return null;
}

/**
 * Reports whether it spends an input of another transaction, regardless of that one's recipient and
 * status.
 */
export function sharesInput(
  { txid, conflicts }: Observation,
  row: Pick<TransactionRow, 'txid' | 'conflicts'>,
): boolean {
  return row.txid !== txid && row.conflicts.some((input) => conflicts.includes(input));
}

/**
 * Same check against all stored transactions of the invoice, of which a batch may hold only a part,
 * and against every lost payment of the chain: a sender who took back one payment can do so again.
 */
export async function sharesStoredInput(
  trx: Trx,
  chain: ChainId,
  { txid, conflicts }: Observation,
  invoiceId: string,
): Promise<boolean> {
  const inputs = sql`conflicts && ${[...conflicts]}::text[] and txid <> ${txid}`;
  const { rows } = await sql`
    select 1 from (select txid, conflicts from transaction where invoice_id = ${invoiceId} offset 0) all_of_it where ${inputs}
    union all
    select 1 from transaction where chain = ${chain} and ${LOST} and ${inputs} limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}

/** Must match the condition of the index `transaction_lost_inputs`. */
const LOST = sql`block_height is null and (replaced_by is not null or not in_mempool) and conflicts <> '{}'`;
