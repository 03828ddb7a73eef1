import { sql, type Selectable } from 'kysely';
import type { Db, Trx } from '../../database/database.ts';
import type { AutomaticPayoutTable } from '../../database/tables/payout.ts';

/** A row of `automatic_payout`, with amounts and times as the database returns them. */
export type RuleRow = Omit<Selectable<AutomaticPayoutTable>, 'number'>;

/** A rule with its wallet name and network. */
export interface RuleView extends RuleRow {
  wallet_name: string;
  is_testnet: boolean;
}

const VIEW = sql`
  select r.*, w.name as wallet_name, a.is_testnet from automatic_payout r
  join wallet w on w.account_id = r.account_id and w.id = r.wallet_id join account a on a.id = r.account_id`;

/** The rules of an account, oldest first. */
export async function listRules(db: Db, accountId: string): Promise<RuleView[]> {
  const { rows } =
    await sql<RuleView>`${VIEW} where r.account_id = ${accountId} order by r.number`.execute(db);
  return rows;
}

/** The rules of an account, or of all accounts for null, newest first. */
export async function newestRules(
  db: Db,
  { accountId, limit, offset }: { accountId: string | null; limit: number; offset: number },
): Promise<RuleView[]> {
  const { rows } = await sql<RuleView>`
    ${VIEW} where ${accountId === null ? sql`true` : sql`r.account_id = ${accountId}`}
    order by r.number desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function findRule(
  db: Db | Trx,
  accountId: string,
  id: string,
): Promise<RuleView | null> {
  const { rows } =
    await sql<RuleView>`${VIEW} where r.account_id = ${accountId} and r.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Locks a rule for a change. */
export async function lockRule(trx: Trx, accountId: string, id: string): Promise<RuleView | null> {
  await sql`select 1 from automatic_payout where account_id = ${accountId} and id = ${id} for update`.execute(
    trx,
  );
  return findRule(trx, accountId, id);
}

/** Unique constraint: one rule per wallet and coin. */
export const UNIQUE_RULE_CONSTRAINT = 'automatic_payout_one';

export async function insertRule(db: Db, rule: RuleRow): Promise<void> {
  await db.insertInto('automatic_payout').values(rule).execute();
}

export type RuleChange = Pick<
  RuleRow,
  | 'kind'
  | 'asset'
  | 'recipient_address'
  | 'keep_amount'
  | 'min_amount'
  | 'interval_minutes'
  | 'is_enabled'
  | 'is_api_editable'
  | 'updated_at'
  | 'next_at'
  | 'max_payout'
>;

export async function saveRule(
  trx: Trx,
  accountId: string,
  id: string,
  change: RuleChange,
): Promise<void> {
  await trx
    .updateTable('automatic_payout')
    .set({ ...change, last_error: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function removeRule(trx: Trx, accountId: string, id: string): Promise<void> {
  await trx
    .deleteFrom('automatic_payout')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Due rules, longest waiting first. */
export async function dueRules(db: Db, now: string, limit: number): Promise<RuleView[]> {
  const { rows } = await sql<RuleView>`
    ${VIEW} where r.is_enabled and r.next_at <= ${now} order by r.next_at, r.number limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Reports whether a payout of the rule still waits for approval. */
export async function hasDraft(db: Db, { account_id, id }: RuleRow): Promise<boolean> {
  const { rows } = await sql`
    select 1 from payout where account_id = ${account_id} and status = 'draft'
      and starts_with(reference_id, ${referenceOf(id)}) limit 1`.execute(db);
  return rows.length > 0;
}

/** Prefix of the references of a rule's payouts. */
const referenceOf = (id: string): string => `automatic-payout:${id}:`;

/** Payout reference of one run: a repeated run is the same payout. */
export const runReference = ({ id, next_at }: Pick<RuleRow, 'id' | 'next_at'>): string =>
  referenceOf(id) + next_at;

export interface EndedRun {
  at: string;
  nextAt: string;
  error: string | null;
}

/** Saves the end of a run, unless a concurrent change has set another next run. */
export async function endRun(
  trx: Trx,
  { account_id, id, next_at }: RuleRow,
  { at, nextAt, error }: EndedRun,
): Promise<void> {
  await sql`
    update automatic_payout set next_at = ${nextAt}, last_error = ${error}, last_at = ${at},
      last_payout_id = (select p.id from payout p where p.account_id = ${account_id} and p.reference_id = ${runReference({ id, next_at })})
    where account_id = ${account_id} and id = ${id} and next_at = ${next_at}`.execute(trx);
}

export interface RuleWallet {
  id: string;
  name: string;
  chain: string;
  is_testnet: boolean;
}

export async function findWallet(
  db: Db,
  accountId: string,
  id: string,
): Promise<RuleWallet | null> {
  const { rows } = await sql<RuleWallet>`
    select w.id, w.name, w.chain, a.is_testnet from wallet w join account a on a.id = w.account_id
    where w.account_id = ${accountId} and w.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/**
 * A profile that enables one of these kinds, preferably with this wallet. It provides the payout's
 * settings and callbacks.
 */
export async function profileFor(
  db: Db,
  { account_id, wallet_id }: RuleRow,
  kinds: readonly string[],
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select p.id from profile p join profile_currency c on c.account_id = p.account_id and c.profile_id = p.id
    where p.account_id = ${account_id} and p.deleted_at is null and c.kind = any(${[...kinds]}::text[])
    order by c.wallet_id = ${wallet_id} desc, p.created_at, p.id limit 1`.execute(db);
  return rows[0]?.id ?? null;
}
