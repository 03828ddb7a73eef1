import type { PayoutEvent } from '@crypto-checkout/protocol/event';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql, type Selectable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { PayoutRecipientTable, PayoutTable } from '../database/tables/payout.ts';

/** A payout row; amounts and times as the database returns them. */
export interface PayoutRow extends Omit<Selectable<PayoutTable>, 'events' | 'version' | 'chain'> {
  chain: ChainId;
  events: PayoutEvent[];
  version: number;
}

export type RecipientRow = Omit<Selectable<PayoutRecipientTable>, 'account_id' | 'payout_id'>;

/** A payout with all that answers show. */
export interface PayoutView extends PayoutRow {
  is_testnet: boolean;
  recipients: RecipientRow[];
}

/** `p` is the payout, `a` its account. */
export const PAYOUT_VIEW = sql`
  select p.*, a.is_testnet, (
    select json_agg(json_build_object('number', r.number, 'id', r.id, 'given_address', r.given_address, 'address', r.address,
      'tag', r.tag, 'destination_tag', r.destination_tag, 'requested_text', r.requested_text,
      'requested_currency', r.requested_currency, 'amount', r.amount::text, 'custom_fee', r.custom_fee, 'notes', r.notes,
      'memo', r.memo, 'payment_request', r.payment_request, 'lnurl', r.lnurl) order by r.number)
    from payout_recipient r where r.payout_id = p.id) as recipients
  from payout p join account a on a.id = p.account_id`;

/** Finds payouts by id, in no particular order. */
export async function findPayouts(
  db: Db | Trx,
  ids: readonly string[],
  accountId?: string,
): Promise<PayoutView[]> {
  const { rows } =
    await sql<PayoutView>`${PAYOUT_VIEW} where p.id = any(${[...ids]}::uuid[])`.execute(db);
  return accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId);
}

export async function findByDuplicateKey(
  db: Db | Trx,
  accountId: string,
  key: string,
): Promise<PayoutView | null> {
  const { rows } =
    await sql<PayoutView>`${PAYOUT_VIEW} where p.account_id = ${accountId} and p.duplicate_key = ${key}`.execute(
      db,
    );
  return rows[0] ?? null;
}

export type NewPayout = Pick<
  PayoutRow,
  | 'account_id'
  | 'id'
  | 'profile_id'
  | 'wallet_id'
  | 'kind'
  | 'chain'
  | 'asset'
  | 'fee_asset'
  | 'status'
  | 'created_at'
  | 'scheduled_at'
  | 'key_id'
  | 'network_fee_pays'
  | 'network_fee_preset'
  | 'network_fee'
  | 'fee_rate'
  | 'passthrough'
  | 'reference_id'
  | 'duplicate_key'
  | 'fingerprint'
  | 'total'
  | 'fee'
  | 'fee_reserve'
  | 'usd_value'
>;

/** @returns false if another payout has the same duplicate key; nothing is stored then */
export async function insertPayout(
  trx: Trx,
  payout: NewPayout,
  recipients: readonly RecipientRow[],
): Promise<boolean> {
  const inserted = await trx
    .insertInto('payout')
    .values({ ...payout, updated_at: payout.created_at })
    .onConflict((conflict) => conflict.columns(['account_id', 'duplicate_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return false;
  await trx
    .insertInto('payout_recipient')
    .values(
      recipients.map((recipient) => ({
        ...recipient,
        custom_fee: recipient.custom_fee === null ? null : JSON.stringify(recipient.custom_fee),
        account_id: payout.account_id,
        payout_id: payout.id,
      })),
    )
    .execute();
  return true;
}

export interface LockedPayout extends PayoutView {
  reserve_wallet: unknown;
}

/** Locks a payout, so that one process at a time changes its status. */
export async function lockPayout(trx: Trx, id: string): Promise<LockedPayout | null> {
  const { rows: locked } = await sql`select 1 from payout where id = ${id} for update`.execute(trx);
  if (locked.length === 0) return null;
  // A separate statement: the one that waited for the lock does not see rows committed meanwhile.
  const { rows } = await sql<LockedPayout>`
    select v.*, f.reserve_wallet from (${PAYOUT_VIEW} where p.id = ${id}) v
    join profile f on f.account_id = v.account_id and f.id = v.profile_id`.execute(trx);
  return rows[0] ?? null;
}

/** The profile's reserve wallet; null without one. */
export async function reserveWalletOf(db: Db, profileId: string): Promise<unknown> {
  const { reserve_wallet } = await db
    .selectFrom('profile')
    .select('reserve_wallet')
    .where('id', '=', profileId)
    .executeTakeFirstOrThrow();
  return reserve_wallet;
}

export type PayoutChange = Partial<
  Pick<
    PayoutRow,
    | 'approved_at'
    | 'executed_at'
    | 'txid'
    | 'block_height'
    | 'block_hash'
    | 'confirmations'
    | 'error'
    | 'hold'
    | 'fee'
    | 'fee_reserve'
    | 'fee_rate'
  >
> & { approved_by?: { username: string; email: string | null } };

/** Writes a change of a locked payout. */
export async function savePayout(
  trx: Trx,
  row: PayoutRow,
  { approved_by, ...change }: PayoutChange & Pick<PayoutRow, 'status' | 'events' | 'updated_at'>,
): Promise<void> {
  await trx
    .updateTable('payout')
    .set({
      ...change,
      ...(approved_by === undefined ? {} : { approved_by: JSON.stringify(approved_by) }),
      version: row.version + 1,
    })
    .where('id', '=', row.id)
    .where('account_id', '=', row.account_id)
    .execute();
}

/** Available balances of a wallet, by asset. */
export async function availableIn(
  db: Db | Trx,
  accountId: string,
  walletId: string,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, amount::text as amount from balance
    where account_id = ${accountId} and wallet_id = ${walletId} and bucket = 'available'`.execute(
    db,
  );
  return new Map(rows.map(({ currency, amount }) => [currency, amount]));
}

/** True if a transaction is planned, so that the payout can no longer be rejected. */
export async function isPlanned(trx: Trx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from payout p join outgoing o on o.id = coalesce(p.batch_id, p.id) where p.id = ${id}`.execute(
    trx,
  );
  return rows.length > 0;
}

/** True if the account has paid the address and tag before. Exchanges share one address. */
export async function hasPaid(
  db: Db | Trx,
  accountId: string,
  { address, tag }: Pick<RecipientRow, 'address' | 'tag'>,
  except: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from payout_recipient r join payout p on p.id = r.payout_id
    where r.account_id = ${accountId} and r.address = ${address} and r.tag is not distinct from ${tag} and p.id <> ${except}
      and p.status in ('pending', 'unconfirmed', 'confirmed', 'complete') limit 1`.execute(db);
  return rows.length > 0;
}

/** Stores a new lightning request after the old one expired. */
export async function saveRequest(
  db: Db,
  payoutId: string,
  number: number,
  address: string,
  paymentRequest: string,
): Promise<void> {
  await sql`update payout_recipient set address = ${address}, payment_request = ${paymentRequest}
    where payout_id = ${payoutId} and number = ${number}`.execute(db);
}
