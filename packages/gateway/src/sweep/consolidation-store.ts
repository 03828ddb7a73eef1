import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';

/** A transaction that joins small outputs of this service, and its fee. */
export interface Consolidation {
  id: string;
  chain: ChainId;
  asset: string;
  fee: Amount;
}

/** A wallet and its part of the fee. */
export interface ConsolidationPart {
  account_id: string;
  wallet_id: string;
  fee: Amount;
}

/** The one that is on its way; there is at most one a chain. */
export async function openConsolidation(db: Db, chain: ChainId): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from coin_consolidation where chain = ${chain} and status = 'sending'`.execute(db);
  return rows[0]?.id ?? null;
}

/** Whether the newest one began after this time. */
export async function hasConsolidationSince(
  db: Db,
  chain: ChainId,
  since: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from coin_consolidation where chain = ${chain} and created_at > ${since} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Number of the outputs in blocks that no plan spends. */
export async function countFreeCoins(db: Db, chain: ChainId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from coin c where c.chain = ${chain} and not c.spent and c.in_block
      and not exists (select from outgoing_input i where i.chain = c.chain and i.outpoint = c.outpoint and i.is_open)`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Wallets that share a fee: each one is locked until its part is held. */
const MAX_WALLETS = 100;

/** The wallets with the most available, locked in the order in which entries lock balances. */
export async function walletsWith(
  trx: Trx,
  asset: string,
): Promise<{ account_id: string; wallet_id: string; available: Amount }[]> {
  const { rows } = await sql<{ account_id: string; wallet_id: string; amount: string }>`
    select account_id, wallet_id, amount::text as amount from balance
    where currency = ${asset} and bucket = 'available' and amount > 0 and wallet_id in (
      select wallet_id from balance where currency = ${asset} and bucket = 'available' and amount > 0
      order by amount desc, wallet_id limit ${MAX_WALLETS})
    order by wallet_id::text collate "C" for update`.execute(trx);
  return rows.map(({ amount, ...row }) => ({ ...row, available: parseAmount(amount) }));
}

/** Throws when another process began one on this chain. */
export async function insertConsolidation(
  trx: Trx,
  { id, chain, asset, fee }: Consolidation,
  parts: readonly ConsolidationPart[],
  at: string,
): Promise<void> {
  await sql`
    insert into coin_consolidation (id, chain, asset, fee, created_at, updated_at)
    values (${id}, ${chain}, ${asset}, ${formatAmount(fee)}, ${at}, ${at})`.execute(trx);
  for (const part of parts)
    await sql`
      insert into coin_consolidation_part (consolidation_id, account_id, wallet_id, fee)
      values (${id}, ${part.account_id}, ${part.wallet_id}, ${formatAmount(part.fee)})`.execute(
      trx,
    );
}

/**
 * Locks one that is on its way.
 * @returns its parts; null when it ended
 */
export async function lockConsolidation(
  trx: Trx,
  id: string,
): Promise<(ConsolidationPart & { asset: string })[] | null> {
  const { rows } = await sql<{ asset: string }>`
    select asset from coin_consolidation where id = ${id} and status = 'sending' for update`.execute(
    trx,
  );
  const [found] = rows;
  return found === undefined ? null : partsOf(trx, id, found.asset);
}

/** Stores new parts of the fee; a part of nothing is left out. */
export async function saveParts(
  trx: Trx,
  id: string,
  parts: readonly ConsolidationPart[],
): Promise<void> {
  const total = parts.reduce((sum, { fee }) => sum + fee, 0n);
  await sql`update coin_consolidation set fee = ${formatAmount(total)} where id = ${id}`.execute(
    trx,
  );
  for (const { wallet_id: walletId, fee } of parts)
    await (
      fee === 0n
        ? sql`delete from coin_consolidation_part where consolidation_id = ${id} and wallet_id = ${walletId}`
        : sql`update coin_consolidation_part set fee = ${formatAmount(fee)}
            where consolidation_id = ${id} and wallet_id = ${walletId}`
    ).execute(trx);
}

/**
 * Ends one that is on its way.
 * @returns its parts; null when another process ended it
 */
export async function endConsolidation(
  trx: Trx,
  id: string,
  { status, error, at }: { status: 'complete' | 'failed'; error: string | null; at: string },
): Promise<(ConsolidationPart & { asset: string })[] | null> {
  const { rows: ended } = await sql<{ asset: string }>`
    update coin_consolidation set status = ${status}, error = ${error}, updated_at = ${at}
    where id = ${id} and status = 'sending' returning asset`.execute(trx);
  const [found] = ended;
  if (found === undefined) return null;
  return partsOf(trx, id, found.asset);
}

async function partsOf(
  trx: Trx,
  id: string,
  asset: string,
): Promise<(ConsolidationPart & { asset: string })[]> {
  const { rows } = await sql<Omit<ConsolidationPart, 'fee'> & { fee: string }>`
    select account_id, wallet_id, fee::text as fee from coin_consolidation_part
    where consolidation_id = ${id} order by wallet_id::text collate "C"`.execute(trx);
  return rows.map(({ fee, ...part }) => ({ ...part, asset, fee: parseAmount(fee) }));
}
