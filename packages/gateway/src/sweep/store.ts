import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { SweepStatus } from './state.ts';

/** Unswept funds on a deposit address; amounts as the database returns them. */
export interface Deposit {
  chain: ChainId;
  invoice_id: string;
  asset: string;
  account_id: string;
  wallet_id: string;
  amount: string;
  address: string;
  /** Index of the address's key; null if unknown. */
  key_index: number | null;
}

export interface Sweep {
  id: string;
  account_id: string;
  wallet_id: string;
  chain: ChainId;
  invoice_id: string;
  address: string;
  key_index: number | null;
  asset: string;
  fee_asset: string;
  /** A cold address; null: the payout address. */
  recipient: string | null;
  status: SweepStatus;
  /** The amount that arrives. */
  amount: string;
  /** The maximum fee. */
  fee_reserve: string;
  fee: string | null;
  top_up_id: string;
  /** Gas to send to the address first; 0 if it has enough. */
  top_up: string;
  top_up_fee_reserve: string;
  top_up_fee: string | null;
  hold: 'held' | 'released' | 'spent';
  top_up_height: number | null;
  block_height: number | null;
  error: string | null;
  created_at: string;
}

export type NewSweep = Omit<
  Sweep,
  'fee' | 'top_up_fee' | 'hold' | 'top_up_height' | 'block_height' | 'error' | 'created_at'
>;
export type SweepChange = Partial<
  Pick<
    Sweep,
    | 'status'
    | 'fee'
    | 'top_up_fee'
    | 'top_up_fee_reserve'
    | 'hold'
    | 'top_up_height'
    | 'block_height'
    | 'error'
  >
>;

/** Chains with open sweeps, or with deposits that may be due. */
export async function chainsToSweep(db: Db): Promise<ChainId[]> {
  const { rows } = await sql<{ chain: ChainId }>`
    select chain from sweep where status in ('topping_up', 'sending')
    union select chain from deposit where since is not null`.execute(db);
  return rows.map(({ chain }) => chain);
}

export async function openSweeps(db: Db, chain: ChainId, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sweep where chain = ${chain} and status in ('topping_up', 'sending') order by number limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export async function findSweep(db: Db | Trx, id: string): Promise<Sweep | null> {
  const { rows } = await sql<Sweep>`select * from sweep where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

export async function lockSweep(trx: Trx, id: string): Promise<Sweep | null> {
  const { rows } = await sql<Sweep>`select * from sweep where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/**
 * Funds to sweep: everything on an address where something is due. Tokens come first, because the
 * coin pays their fees.
 * @param before deposits before this time are due
 */
export async function dueDeposits(
  db: Db,
  chain: ChainId,
  coin: string,
  before: string,
  now: string,
  limit: number,
): Promise<Deposit[]> {
  const { rows } = await sql<Deposit>`
    select d.chain, d.invoice_id, d.asset, d.account_id, d.wallet_id, d.amount, i.address,
      (select t.key_index from deposit_target t where t.invoice_id = d.invoice_id limit 1) as key_index
    from deposit d join invoice i on i.id = d.invoice_id
    where d.chain = ${chain} and d.amount > 0 and d.since is not null and coalesce(d.not_before, '-infinity') <= ${now}
      and exists (select from deposit e where e.chain = d.chain and e.invoice_id = d.invoice_id and e.since <= ${before})
      and not exists (select from sweep s
        where s.chain = d.chain and s.invoice_id = d.invoice_id and s.status in ('topping_up', 'sending'))
    order by d.asset = ${coin}, d.since, d.invoice_id limit ${limit}`.execute(db);
  return rows;
}

/** Whether a payout of the chain has been waiting for a while, perhaps for unswept funds. */
export async function isPayoutWaiting(db: Db, chain: ChainId, before: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from payout p where p.chain = ${chain} and p.status in ('new', 'queued') and p.hold = 'held' and p.updated_at <= ${before}
      and not exists (select from outgoing o where o.id = coalesce(p.batch_id, p.id)) limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/**
 * The needs of waiting payouts that nothing in progress can cover: no sweep, and no earlier payout
 * of the chain.
 * @returns wallets and assets, of amounts and of fees
 */
export async function fundsBlockingPayouts(
  db: Db,
  chain: ChainId,
  before: string,
): Promise<{ wallet_id: string; asset: string }[]> {
  const { rows } = await sql<{ wallet_id: string; asset: string }>`
    select distinct p.wallet_id, a.asset from payout p cross join lateral (values (p.asset), (p.fee_asset)) a(asset)
    where p.chain = ${chain} and p.status in ('new', 'queued') and p.hold = 'held' and p.updated_at <= ${before}
      and not exists (select from outgoing o where o.id = coalesce(p.batch_id, p.id))
      and not exists (select from outgoing o where o.chain = p.chain and o.purpose = 'payout' and o.open)
      and not exists (select from sweep s where s.chain = p.chain and s.status in ('topping_up', 'sending'))`.execute(
    db,
  );
  return rows;
}

/** The recorded balance of an address in one coin. */
export async function depositBalance(
  db: Db | Trx,
  { chain, invoice_id }: Pick<Deposit, 'chain' | 'invoice_id'>,
  asset: string,
): Promise<string> {
  const { rows } = await sql<{ amount: string }>`
    select amount from deposit where chain = ${chain} and invoice_id = ${invoice_id} and asset = ${asset}`.execute(
    db,
  );
  return rows[0]?.amount ?? '0';
}

/** @returns false if the address holds less by now, or a sweep is already open */
export async function insertSweep(
  trx: Trx,
  sweep: NewSweep,
  deducted: Amount,
  at: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update deposit set since = null, not_before = null
    where chain = ${sweep.chain} and invoice_id = ${sweep.invoice_id} and asset = ${sweep.asset} and amount >= ${formatAmount(deducted)}
      and not exists (select from sweep s
        where s.chain = ${sweep.chain} and s.invoice_id = ${sweep.invoice_id} and s.status in ('topping_up', 'sending'))`.execute(
    trx,
  );
  if (numAffectedRows !== 1n) return false;
  await sql`
    insert into sweep (id, account_id, wallet_id, chain, invoice_id, address, key_index, asset, fee_asset, recipient, status, amount, fee_reserve,
      top_up_id, top_up, top_up_fee_reserve, hold, created_at, updated_at)
    values (${sweep.id}, ${sweep.account_id}, ${sweep.wallet_id}, ${sweep.chain}, ${sweep.invoice_id}, ${sweep.address},
      ${sweep.key_index}, ${sweep.asset}, ${sweep.fee_asset}, ${sweep.recipient}, ${sweep.status}, ${sweep.amount}, ${sweep.fee_reserve},
      ${sweep.top_up_id}, ${sweep.top_up}, ${sweep.top_up_fee_reserve}, 'held', ${at}, ${at})`.execute(
    trx,
  );
  return true;
}

export async function saveSweep(
  trx: Trx,
  sweep: Sweep,
  change: SweepChange,
  at: string,
): Promise<void> {
  const next = { ...sweep, ...change };
  await sql`
    update sweep set status = ${next.status}, fee = ${next.fee}, top_up_fee = ${next.top_up_fee}, hold = ${next.hold},
      top_up_fee_reserve = ${next.top_up_fee_reserve},
      top_up_height = ${next.top_up_height}, block_height = ${next.block_height}, error = ${next.error},
      updated_at = ${at}
    where id = ${sweep.id}`.execute(trx);
}

/** Adds to the balance of an address. */
export async function addToDeposit(
  trx: Trx,
  deposit: DepositKey,
  asset: string,
  amount: Amount,
): Promise<void> {
  const { chain, invoice_id, account_id, wallet_id } = deposit;
  await sql`
    insert into deposit as d (chain, invoice_id, asset, account_id, wallet_id, amount)
    values (${chain}, ${invoice_id}, ${asset}, ${account_id}, ${wallet_id}, ${formatAmount(amount)})
    on conflict (chain, invoice_id, asset) do update set amount = d.amount + excluded.amount`.execute(
    trx,
  );
}

/**
 * Subtracts from the balance of an address.
 * @throws Error if the balance would be negative
 */
export async function takeFromDeposit(
  trx: Trx,
  { chain, invoice_id }: DepositKey,
  asset: string,
  amount: Amount,
): Promise<void> {
  if (amount === 0n) return;
  const { numAffectedRows } = await sql`
    update deposit set amount = amount - ${formatAmount(amount)}::numeric
    where chain = ${chain} and invoice_id = ${invoice_id} and asset = ${asset} and amount >= ${formatAmount(amount)}::numeric`.execute(
    trx,
  );
  if (numAffectedRows !== 1n)
    throw new Error(
      `The address of invoice ${invoice_id} holds less than ${formatAmount(amount)} ${asset}`,
    );
}

type DepositKey = Pick<Deposit, 'chain' | 'invoice_id' | 'account_id' | 'wallet_id'>;

/** Delays the next attempt. */
export async function postpone(
  db: Db | Trx,
  { chain, invoice_id, asset }: Pick<Deposit, 'chain' | 'invoice_id' | 'asset'>,
  since: string,
  until: string,
): Promise<void> {
  await sql`
    update deposit set since = coalesce(since, ${since}), not_before = ${until}
    where chain = ${chain} and invoice_id = ${invoice_id} and asset = ${asset}`.execute(db);
}
