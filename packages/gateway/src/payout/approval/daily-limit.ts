import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { timestamp, type Trx } from '../../database/database.ts';
import { milliseconds } from '../../database/timestamp.ts';
import type { NewPayout } from '../store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a payout and those that the key made within the last 24 hours without approval exceed the
 * key's `max_payout_daily`. The key's row is locked, so that two requests cannot both pass.
 */
export async function exceedsDailyLimit(
  trx: Trx,
  { id, maxPayoutDaily = null }: { id: string; maxPayoutDaily?: string | null },
  { usd_value, created_at }: Pick<NewPayout, 'usd_value' | 'created_at'>,
): Promise<boolean> {
  if (maxPayoutDaily === null) return false;
  await sql`select 1 from api_key where id = ${id} for update`.execute(trx);
  const since = timestamp(milliseconds(created_at) - DAY_MS);
  const { rows } = await sql<{ spent: string }>`
    select coalesce(sum(usd_value), 0)::text as spent from payout
    where key_id = ${id} and created_at > ${since} and approved_at is null
      and status not in ('draft', 'rejected', 'failed')`.execute(trx);
  const spent = parseAmount(rows[0]!.spent);
  return spent + parseAmount(usd_value ?? '0') > parseAmount(maxPayoutDaily);
}
