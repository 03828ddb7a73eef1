import { sql, type Insertable, type Selectable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { ProfileTable } from '../database/tables/profile.ts';

export interface ProfileRow extends Selectable<ProfileTable> {
  account_name: string;
  is_testnet: boolean;
  currencies: CurrencyRow[];
}

/** A coin that a profile enables. */
export interface CurrencyRow {
  kind: string;
  wallet_id: string;
  custom_fee: { amount: string; currency: string } | null;
  /** Null: the default of the chain and the amount. */
  min_confirmations: number | null;
  zero_conf_max_amount: string | null;
}

/** Columns that a caller can change. */
export type ProfileChange = Partial<
  Omit<Insertable<ProfileTable>, 'account_id' | 'id' | 'created_at' | 'deleted_at'>
>;

/** The profiles of an account, oldest first, without deleted ones. */
export async function listProfiles(db: Db | Trx, accountId: string): Promise<ProfileRow[]> {
  const { rows } = await selectProfiles(accountId, sql`true`).execute(db);
  return rows;
}

export async function findProfile(
  db: Db | Trx,
  accountId: string,
  id: string,
): Promise<ProfileRow | null> {
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
    where p.account_id = ${accountId} and p.deleted_at is null and ${condition}
    order by p.created_at, p.id`;
}

/**
 * Locks the account's profiles until the end of the transaction.
 * @returns the account's network
 */
export async function lockProfiles(trx: Trx, accountId: string): Promise<{ isTestnet: boolean }> {
  // Weaker than an update's lock: inserts of rows that reference the account do not wait.
  const { rows } = await sql<{ is_testnet: boolean }>`
    select is_testnet from account where id = ${accountId} for no key update`.execute(trx);
  if (!rows[0]) throw new Error(`There is no account ${accountId}`);
  return { isTestnet: rows[0].is_testnet };
}

export async function insertProfile(
  trx: Trx,
  profile: Insertable<ProfileTable>,
  currencies: readonly CurrencyRow[],
): Promise<void> {
  await trx.insertInto('profile').values(profile).execute();
  await insertCurrencies(trx, profile, currencies);
}

/** @param currencies the coins to enable; null leaves them unchanged */
export async function saveProfile(
  trx: Trx,
  { account_id, id }: Pick<ProfileRow, 'account_id' | 'id'>,
  change: ProfileChange,
  currencies: readonly CurrencyRow[] | null,
): Promise<void> {
  if (Object.keys(change).length > 0)
    await trx
      .updateTable('profile')
      .set(change)
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .execute();
  if (currencies === null) return;
  await trx
    .deleteFrom('profile_currency')
    .where('account_id', '=', account_id)
    .where('profile_id', '=', id)
    .execute();
  await insertCurrencies(trx, { account_id, id }, currencies);
}

export async function markDeleted(
  trx: Trx,
  { account_id, id }: Pick<ProfileRow, 'account_id' | 'id'>,
  at: string,
): Promise<void> {
  await trx
    .updateTable('profile')
    .set({ deleted_at: at })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute();
}

/** The account's wallets and their chains. */
export async function walletChains(db: Db | Trx, accountId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('wallet')
    .select(['id', 'chain'])
    .where('account_id', '=', accountId)
    .execute();
  return new Map(rows.map(({ id, chain }) => [id, chain]));
}

async function insertCurrencies(
  trx: Trx,
  { account_id, id }: Pick<Insertable<ProfileTable>, 'account_id' | 'id'>,
  currencies: readonly CurrencyRow[],
): Promise<void> {
  if (currencies.length === 0) return;
  const rows = currencies.map(({ custom_fee, ...currency }) => ({
    account_id,
    profile_id: id,
    ...currency,
    custom_fee: custom_fee === null ? null : JSON.stringify(custom_fee),
  }));
  await trx.insertInto('profile_currency').values(rows).execute();
}
