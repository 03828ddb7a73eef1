import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { AddressFormat } from '@crypto-checkout/protocol/schema/wallet';
import { sql } from 'kysely';
import { inDepositChains } from './deposit-chains.ts';
import type { Db } from '../database/database.ts';

export interface WalletRow {
  id: string;
  name: string;
  chain: string;
  /** Bitcoin only; other chains have one address format. */
  address_format: AddressFormat;
  /** One per coin and bucket, and for the derived amounts `to_consolidate` and `zero_confirmed`. */
  balances: { currency: string; bucket: string; amount: string }[];
}

/** Tiebreaker: an account's wallets are created at the same time. */
export const CHAIN_ORDER = Object.keys(CHAINS);

/** The wallets of an account, or those used by a profile, oldest first. */
export async function listWallets(
  db: Db,
  accountId: string,
  profileId: string | null,
): Promise<WalletRow[]> {
  const used = sql<boolean>`exists (
    select 1 from profile_currency c
    where c.account_id = w.account_id and c.wallet_id = w.id and c.profile_id = ${profileId}::uuid)`;
  const { rows } = await selectWallets(accountId, profileId === null ? sql`true` : used).execute(
    db,
  );
  return rows;
}

/** @returns false when the wallet does not exist or is not a bitcoin wallet */
export async function saveAddressFormat(
  db: Db,
  accountId: string,
  id: string,
  format: AddressFormat,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update wallet set address_format = ${format} where account_id = ${accountId} and id = ${id} and chain = 'bitcoin'`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export async function findWallet(db: Db, accountId: string, id: string): Promise<WalletRow | null> {
  const { rows } = await selectWallets(accountId, sql`w.id = ${id}::uuid`).execute(db);
  return rows[0] ?? null;
}

/**
 * Recorded balances of a wallet's deposit addresses, without sweeps that are in a block already.
 */
const UNSWEPT = sql`
  select asset as currency, amount from deposit where wallet_id = w.id and amount > 0
  union all
  select asset, amount from transaction
  where wallet_id = w.id and credit = 'available' and not collected and not owed and chain ${inDepositChains}
  union all
  select asset, -amount from sweep where wallet_id = w.id and status = 'sending' and block_height is not null
  union all
  select fee_asset, -fee from sweep where wallet_id = w.id and status = 'sending' and block_height is not null and fee is not null
  union all
  select fee_asset, top_up from sweep where wallet_id = w.id and status = 'topping_up' and top_up_height is not null`;

/** The pending amount that is accepted without a confirmation; only for the wallet's own chain. */
const ZERO_CONFIRMED = sql`
  select asset as currency, amount from transaction
  where chain = w.chain and status in ('pending', 'unconfirmed') and wallet_id = w.id and zero_conf_status = 'confirmed' and credit = 'pending'`;

function selectWallets(accountId: string, condition: ReturnType<typeof sql>) {
  return sql<WalletRow>`
    select w.id, w.name, w.chain, w.address_format, coalesce((
      select json_agg(json_build_object('currency', currency, 'bucket', bucket, 'amount', amount::text))
      from (
        select currency, bucket, amount from balance where account_id = w.account_id and wallet_id = w.id
        union all
        select currency, 'to_consolidate', greatest(sum(amount), 0) from (${UNSWEPT}) unswept group by currency
        union all
        select currency, 'zero_confirmed', sum(amount) from (${ZERO_CONFIRMED}) accepted group by currency) parts), '[]') as balances
    from wallet w
    where w.account_id = ${accountId} and ${condition}
    order by w.created_at, array_position(${CHAIN_ORDER}::text[], w.chain), w.id`;
}
