import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import type { Draft } from './batch.ts';
import type { TransactionRow } from '../transaction/store.ts';

/** Alarm for the operator. */
export const OWED_REVERSAL_ALARM =
  'A payment left its block after its money was spent. The amount is debited from its wallet as soon as the balance allows.';

/**
 * Marks reversed payments as owed whose amount was spent already. Balances never fall below zero,
 * so the credit stays in the ledger, and a later scan debits it when the balance allows. A
 * shortfall in one wallet must never block the scan of a chain.
 */
export async function markOwedReversals(trx: Trx, drafts: readonly Draft[]): Promise<void> {
  for (const { row } of drafts) row.owed = false;
  const reversed = drafts.filter(
    ({ row, stored }) => stored?.credit === 'available' && row.credit !== 'available',
  );
  if (reversed.length === 0) return;
  const balances = await availableOf(trx, reversed);
  for (const { row, stored } of drafts) {
    const key = keyOf(row);
    const before = balances.get(key);
    if (before !== undefined && row.credit === 'available' && stored?.credit !== 'available')
      balances.set(key, before + parseAmount(row.amount));
  }
  for (const { row } of reversed) {
    const key = keyOf(row);
    const rest = (balances.get(key) ?? 0n) - parseAmount(row.amount);
    if (rest >= 0n) {
      balances.set(key, rest);
      continue;
    }
    row.credit = 'available';
    row.owed = true;
  }
}

const keyOf = ({ wallet_id, asset }: Pick<TransactionRow, 'wallet_id' | 'asset'>): string =>
  `${wallet_id}:${asset}`;

/** Locks the balances, so that no other transaction spends them before the debit. */
async function availableOf(trx: Trx, drafts: readonly Draft[]): Promise<Map<string, Amount>> {
  const rows = drafts.map(({ row }) => row);
  const { rows: found } = await sql<{ wallet_id: string; currency: string; amount: string }>`
    select wallet_id, currency, amount::text as amount from balance
    where bucket = 'available' and (account_id, wallet_id, currency) in (
      select * from unnest(${rows.map(({ account_id }) => account_id)}::uuid[], ${rows.map(({ wallet_id }) => wallet_id)}::uuid[],
        ${rows.map(({ asset }) => asset)}::text[]))
    order by wallet_id, currency for update`.execute(trx);
  return new Map(
    found.map(({ wallet_id, currency, amount }) => [
      `${wallet_id}:${currency}`,
      parseAmount(amount),
    ]),
  );
}
