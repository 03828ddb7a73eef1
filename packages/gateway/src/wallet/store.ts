import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

export interface WalletRow {
  id: string;
  name: string;
  chain: string;
  /** One per coin and bucket that ever held something. */
  balances: { currency: string; bucket: string; amount: string }[];
}

/** The wallets of an account, or those that a profile pays into, oldest first. */
export async function listWallets(db: Db, accountId: string, profileId: string | null): Promise<WalletRow[]> {
  const used = sql<boolean>`exists (
    select 1 from profile_currency c
    where c.account_id = w.account_id and c.wallet_id = w.id and c.profile_id = ${profileId}::uuid)`;
  const { rows } = await selectWallets(accountId, profileId === null ? sql`true` : used).execute(db);
  return rows;
}

export async function findWallet(db: Db, accountId: string, id: string): Promise<WalletRow | null> {
  const { rows } = await selectWallets(accountId, sql`w.id = ${id}::uuid`).execute(db);
  return rows[0] ?? null;
}

function selectWallets(accountId: string, condition: ReturnType<typeof sql>) {
  return sql<WalletRow>`
    select w.id, w.name, w.chain, coalesce((
      select json_agg(json_build_object('currency', b.currency, 'bucket', b.bucket, 'amount', b.amount::text))
      from (
        select currency, bucket, amount from balance where account_id = w.account_id and wallet_id = w.id
        union all
        -- Not money of its own: the part of what is pending that is accepted without a confirmation.
        select asset, 'zero_confirmed', sum(amount) from transaction
        where account_id = w.account_id and wallet_id = w.id and zero_conf_status = 'confirmed' and credit = 'pending' group by asset) b),
      '[]') as balances
    from wallet w
    where w.account_id = ${accountId} and ${condition}
    order by w.created_at, w.id`;
}
