import { sql } from 'kysely';
import { inDepositChains } from '../wallet/deposit-chains.ts';
import type { Context } from '../context.ts';
import { transact, type Trx } from '../database/database.ts';

/** Payments per statement; the rest follows in the next one. */
const BATCH = 1_000;

/**
 * Adds final payments to the balances of their deposit addresses, each once, and subtracts payments
 * that left the chain. Safe to run in several processes.
 */
export async function collectDeposits(context: Context): Promise<void> {
  for (let found = BATCH; found === BATCH;) found = await transact(context.db, collect);
  await transact(context.db, removeReversed);
}

async function collect(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with fresh as (
      update transaction t set collected = true
      from (select id from transaction
        where status = 'complete' and credit = 'available' and not owed and not collected and chain ${inDepositChains}
        order by number limit ${BATCH} for update skip locked) f
      where t.id = f.id
      returning t.account_id, t.chain, t.invoice_id, t.wallet_id, t.asset, t.amount, t.updated_at),
    kept as (
      insert into deposit as d (chain, invoice_id, asset, account_id, wallet_id, amount, since)
      select chain, invoice_id, asset, account_id, wallet_id, sum(amount), min(updated_at) from fresh
      group by chain, invoice_id, asset, account_id, wallet_id
      on conflict (chain, invoice_id, asset) do update set amount = d.amount + excluded.amount, since = coalesce(d.since, excluded.since))
    select count(*) as count from fresh`.execute(trx);
  return rows[0]?.count ?? 0;
}

/**
 * A final payment left the chain, which has raised an alarm; it may be owed by now. Swept funds
 * cannot be subtracted.
 */
async function removeReversed(trx: Trx): Promise<void> {
  const { rows } = await sql<{
    id: string;
    chain: string;
    invoice_id: string;
    asset: string;
    amount: string;
  }>`
    select id, chain, invoice_id, asset, amount from transaction t
    where id in (select id from transaction where collected and credit <> 'available' union all select id from transaction where collected and owed)
      and chain ${inDepositChains}
      and exists (select from deposit d where d.chain = t.chain and d.invoice_id = t.invoice_id and d.asset = t.asset and d.amount >= t.amount)
      and not exists (select from sweep s where s.chain = t.chain and s.invoice_id = t.invoice_id and s.status in ('topping_up', 'sending'))
    limit ${BATCH} for update skip locked`.execute(trx);
  for (const { id, chain, invoice_id, asset, amount } of rows) {
    const { numAffectedRows } = await sql`
      update deposit set amount = amount - ${amount}::numeric
      where chain = ${chain} and invoice_id = ${invoice_id} and asset = ${asset} and amount >= ${amount}::numeric`.execute(
      trx,
    );
    if (numAffectedRows === 1n)
      await sql`update transaction set collected = false where id = ${id}`.execute(trx);
  }
}
