import { sql, type Selectable } from 'kysely';
import type { Db } from '../database/database.ts';
import type { ProfileTable } from '../database/tables.ts';

export interface ProfileRow extends Selectable<ProfileTable> {
  account_name: string;
  is_testnet: boolean;
  currencies: {
    kind: string;
    wallet_id: string;
    custom_fee: { amount: string; currency: string } | null;
    min_confirmations: number;
    zero_conf_max_amount: string | null;
  }[];
}

/** The profiles of an account, oldest first. */
export async function listProfiles(db: Db, accountId: string): Promise<ProfileRow[]> {
  const { rows } = await selectProfiles(accountId, sql`true`).execute(db);
  return rows;
}

export async function findProfile(db: Db, accountId: string, id: string): Promise<ProfileRow | null> {
  const { rows } = await selectProfiles(accountId, sql`p.id = ${id}::uuid`).execute(db);
  return rows[0] ?? null;
}

function selectProfiles(accountId: string, condition: ReturnType<typeof sql>) {
  return sql<ProfileRow>`
    select p.*, a.name as account_name, a.is_testnet, coalesce((
      select json_agg(json_build_object('kind', c.kind, 'wallet_id', c.wallet_id, 'custom_fee', c.custom_fee,
        'min_confirmations', c.min_confirmations, 'zero_conf_max_amount', c.zero_conf_max_amount::text))
      from profile_currency c where c.account_id = p.account_id and c.profile_id = p.id), '[]') as currencies
    from profile p join account a on a.id = p.account_id
    where p.account_id = ${accountId} and ${condition}
    order by p.created_at, p.id`;
}
