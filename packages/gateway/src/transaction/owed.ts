import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import type { Draft } from './batch.ts';
import type { TransactionRow } from './store.ts';

/** For the operator: the account has less than it would have to. */
export const OWED = 'A payment left its block after its money was spent; it is taken out of its wallet as soon as there is enough.';

/**
 * Finds what is to leave the available money and was spent meanwhile. No balance falls below zero, so it stays where it is in the books and
 * is owed: a later look takes it, out of whatever has come by then. One wallet's debt must never stop a chain from being read.
 */
export async function findOwed(trx: Trx, drafts: readonly Draft[]): Promise<void> {
  for (const { row } of drafts) row.owed = false;
  const leaving = drafts.filter(({ row, stored }) => stored?.credit === 'available' && row.credit !== 'available');
  if (leaving.length === 0) return;
  const left = await availableOf(trx, leaving);
  for (const { row, stored } of drafts) {
    const key = keyOf(row);
    const before = left.get(key);
    if (before !== undefined && row.credit === 'available' && stored?.credit !== 'available')
      left.set(key, before + parseAmount(row.amount));
  }
  for (const { row } of leaving) {
    const key = keyOf(row);
    const rest = (left.get(key) ?? 0n) - parseAmount(row.amount);
    if (rest >= 0n) {
      left.set(key, rest);
      continue;
    }
    row.credit = 'available';
    row.owed = true;
  }
}

const keyOf = ({ wallet_id, asset }: Pick<TransactionRow, 'wallet_id' | 'asset'>): string => `${wallet_id}:${asset}`;

/** Locked, so that it is still there when it is taken. */
async function availableOf(trx: Trx, drafts: readonly Draft[]): Promise<Map<string, Amount>> {
  const rows = drafts.map(({ row }) => row);
  const { rows: found } = await sql<{ wallet_id: string; currency: string; amount: string }>`
    select wallet_id, currency, amount::text as amount from balance
    where bucket = 'available' and (account_id, wallet_id, currency) in (
      select * from unnest(${rows.map(({ account_id }) => account_id)}::uuid[], ${rows.map(({ wallet_id }) => wallet_id)}::uuid[],
        ${rows.map(({ asset }) => asset)}::text[]))
    order by wallet_id, currency for update`.execute(trx);
  return new Map(found.map(({ wallet_id, currency, amount }) => [`${wallet_id}:${currency}`, parseAmount(amount)]));
}
