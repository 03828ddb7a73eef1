import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Db, Trx } from '../../database/database.ts';
import type { ApiKeyTable } from '../../database/tables/account.ts';

export type KeyRow = Omit<Selectable<ApiKeyTable>, 'last_nonce' | 'recent_nonces'>;

const COLUMNS =
  sql.raw(`k.account_id, k.id, k.api_key, k.secret_sealed, k.name, k.created_by, k.created_at, k.updated_at,
  k.is_integrator_key, k.max_payout, k.max_payout_daily, k.whitelist_ip, k.permissions, k.nonce_window, k.previous_secret_sealed, k.previous_until_real`);

/**
 * The keys that a caller can read: its account's own, for an integrator also those of the sub
 * accounts.
 */
export interface KeyScope {
  accountId: string;
  isIntegrator: boolean;
}

/** Oldest first, an account's own before those of its sub accounts. */
export async function listKeys(db: Db, scope: KeyScope): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select ${COLUMNS} from api_key k where ${readable(scope)}
    order by k.account_id <> ${scope.accountId}, k.created_at, k.id`.execute(db);
  return rows;
}

export async function findKey(db: Db | Trx, scope: KeyScope, id: string): Promise<KeyRow | null> {
  const { rows } =
    await sql<KeyRow>`select ${COLUMNS} from api_key k where k.id = ${id}::uuid and ${readable(scope)}`.execute(
      db,
    );
  return rows[0] ?? null;
}

function readable({ accountId, isIntegrator }: KeyScope) {
  return isIntegrator
    ? sql<boolean>`(k.account_id = ${accountId} or k.account_id in (select id from account where parent_id = ${accountId}))`
    : sql<boolean>`k.account_id = ${accountId}`;
}

export async function insertKey(trx: Db | Trx, key: Insertable<ApiKeyTable>): Promise<KeyRow> {
  return trx.insertInto('api_key').values(key).returning(RETURNED).executeTakeFirstOrThrow();
}

/** @returns null when the key was deleted */
export async function saveKey(
  db: Db,
  { account_id, id }: KeyId,
  change: Updateable<ApiKeyTable>,
): Promise<KeyRow | null> {
  const query = db
    .updateTable('api_key')
    .set(change)
    .where('account_id', '=', account_id)
    .where('id', '=', id);
  return (await query.returning(RETURNED).executeTakeFirst()) ?? null;
}

export interface NewSecret {
  secret_sealed: string;
  /** Real time until which the previous secret is valid; null when it is not. */
  until: string | null;
  at: string;
}

/**
 * One statement, so that of two rotations at once the second keeps the first's secret as the
 * previous one.
 */
export async function saveSecret(
  db: Db,
  { account_id, id }: KeyId,
  { secret_sealed, until, at }: NewSecret,
): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow>`
    update api_key k set secret_sealed = ${secret_sealed}, previous_secret_sealed = case when ${until}::timestamptz is null then null
      else k.secret_sealed end, previous_until_real = ${until}, updated_at = ${at}
    where k.account_id = ${account_id} and k.id = ${id} returning ${COLUMNS}`.execute(db);
  return rows[0] ?? null;
}

/** @returns the deleted key; null when there was none */
export async function removeKey(db: Db, { account_id, id }: KeyId): Promise<KeyRow | null> {
  const query = db.deleteFrom('api_key').where('account_id', '=', account_id).where('id', '=', id);
  return (await query.returning(RETURNED).executeTakeFirst()) ?? null;
}

export type KeyId = Pick<KeyRow, 'account_id' | 'id'>;

const RETURNED = [
  'account_id',
  'id',
  'api_key',
  'secret_sealed',
  'name',
  'created_by',
  'created_at',
  'updated_at',
  'is_integrator_key',
  'max_payout',
  'max_payout_daily',
  'whitelist_ip',
  'permissions',
  'nonce_window',
  'previous_secret_sealed',
  'previous_until_real',
] as const;
