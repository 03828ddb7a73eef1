import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { transact, type Db, type Trx } from '../database/database.ts';
import { post } from './post.ts';

/** The part of a network fee above what was held for it, of a payout or sweep that ended. */
export interface ExcessFee {
  accountId: string;
  walletId: string;
  currency: string;
  resourceId: string;
  /** Reason code of the fee. */
  reason: string;
  amount: Amount;
}

/**
 * Posts a network fee that the chain took beyond what was held for it. It leaves what is available.
 * Balances never fall below zero, so what the wallet lacks is owed until `collectOwedFees` posts
 * it.
 */
export async function postExcessFee(trx: Trx, fee: ExcessFee, at: string): Promise<void> {
  if (fee.amount <= 0n) return;
  const owed = fee.amount - (await takeAvailable(trx, fee, at));
  if (owed === 0n) return;
  await owe(trx, { ...fee, amount: owed });
}

/** Another fee that the same resource owes is added. */
async function owe(trx: Trx, fee: ExcessFee): Promise<void> {
  const { accountId, walletId, currency, resourceId, reason, amount } = fee;
  const { rows } = await sql`
    insert into owed_fee (resource_id, account_id, wallet_id, currency, reason, amount)
    values (${resourceId}, ${accountId}, ${walletId}, ${currency}, ${reason}, ${formatAmount(amount)})
    on conflict (resource_id) do update set amount = owed_fee.amount + excluded.amount
    where owed_fee.wallet_id = excluded.wallet_id and owed_fee.currency = excluded.currency
      and owed_fee.reason = excluded.reason returning resource_id`.execute(trx);
  if (rows.length === 0) throw new Error(`${resourceId} owes another fee already`);
}

/**
 * Forgets what a resource owes: the chain took back the block that took the fee.
 * @returns how much was owed
 */
export async function forgetOwedFee(trx: Trx, resourceId: string): Promise<Amount> {
  const { rows } = await sql<{ amount: string }>`
    delete from owed_fee where resource_id = ${resourceId} returning amount::text as amount`.execute(
    trx,
  );
  return parseAmount(rows[0]?.amount ?? '0');
}

/** Fees per round; the next round takes the rest. */
const LIMIT = 100;

/** Posts fees that are owed, as far as their wallets have the money by now. */
export async function collectOwedFees(db: Db, at: string): Promise<void> {
  const { rows } = await sql<{ resource_id: string }>`
    select f.resource_id from owed_fee f join balance b using (account_id, wallet_id, currency)
    where b.bucket = 'available' and b.amount > 0 order by f.resource_id limit ${LIMIT}`.execute(
    db,
  );
  for (const { resource_id: id } of rows) await transact(db, (trx) => collectOne(trx, id, at));
}

async function collectOne(trx: Trx, id: string, at: string): Promise<void> {
  // Another process may have collected it meanwhile.
  const owed = await trx
    .selectFrom('owed_fee')
    .selectAll()
    .where('resource_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (owed === undefined) return;
  const fee: ExcessFee = {
    accountId: owed.account_id,
    walletId: owed.wallet_id,
    currency: owed.currency,
    resourceId: id,
    reason: owed.reason,
    amount: parseAmount(owed.amount),
  };
  const left = fee.amount - (await takeAvailable(trx, fee, at));
  if (left === 0n) await trx.deleteFrom('owed_fee').where('resource_id', '=', id).execute();
  else
    await trx
      .updateTable('owed_fee')
      .set({ amount: formatAmount(left) })
      .where('resource_id', '=', id)
      .execute();
}

/** @returns how much of the fee was posted: as much as is available */
async function takeAvailable(trx: Trx, fee: ExcessFee, at: string): Promise<Amount> {
  const { accountId, walletId, currency, resourceId, reason, amount } = fee;
  const { rows } = await sql<{ amount: string }>`
    select amount::text as amount from balance
    where account_id = ${accountId} and wallet_id = ${walletId} and currency = ${currency} and bucket = 'available'
    for update`.execute(trx);
  const available = parseAmount(rows[0]?.amount ?? '0');
  const taken = amount < available ? amount : available;
  const lines = [
    { book: 'wallet', walletId, bucket: 'available', currency, amount: -taken },
    { book: 'chain', currency, amount: taken },
  ] as const;
  await post(trx, { accountId, reason, resourceId, at, lines });
  return taken;
}
