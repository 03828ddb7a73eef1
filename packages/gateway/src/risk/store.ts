import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { Observation } from '@crypto-checkout/chains/adapter';
import { ZERO_CONF_CEILING } from '../invoice/store.ts';

/** A new payment with the settings of its invoice. */
export interface NewPayment {
  key: string;
  kind: string;
  address: string | null;
  zero_conf_enabled: boolean;
  zero_conf_max_amount: string | null;
}

/** The observations that pay one of our invoices and have no transaction yet. */
export async function newPayments(
  db: Db,
  chain: ChainId,
  observations: readonly Observation[],
): Promise<NewPayment[]> {
  const { rows } = await sql<NewPayment>`
    select o.key, i.kind, i.address, i.zero_conf_enabled,
      case when i.zero_conf_enabled then ${ZERO_CONF_CEILING} end as zero_conf_max_amount
    from unnest(${observations.map(({ key }) => key)}::text[], ${observations.map(({ watchKey }) => watchKey)}::text[]) as o(key, watch_key)
    join deposit_target d on d.watch_key = o.watch_key
    join invoice i on i.id = d.invoice_id
    where not exists (select 1 from transaction t where t.chain = ${chain} and t.observation_key = o.key)`.execute(
    db,
  );
  return rows;
}

/** A transaction with a due risk check. */
export interface DueCheck {
  account_id: string;
  id: string;
  chain: ChainId;
  network: 'mainnet' | 'testnet';
  asset: string;
  txid: string;
  amount: string;
  conflicts: string[];
  address: string | null;
  tries: number;
}

/**
 * Claims due risk checks, oldest first; concurrent processes never claim the same one. Sets the
 * next retry at the same time, so that a crash loses no check.
 * @param retryTimes real time of the next retry, by the number of tries so far
 */
export async function claimChecks(
  db: Db,
  now: string,
  retryTimes: readonly string[],
  limit: number,
): Promise<DueCheck[]> {
  const { rows } = await sql<DueCheck>`
    update transaction t set risk_tries = t.risk_tries + 1, risk_due_real = (${[...retryTimes]}::timestamptz[])[least(t.risk_tries, ${retryTimes.length - 1}) + 1]
    from invoice i, account a
    where i.id = t.invoice_id and a.id = t.account_id and t.id in (
      select id from transaction where risk_due_real <= ${now} order by risk_due_real limit ${limit} for update skip locked)
    returning t.account_id, t.id, t.chain, case when a.is_testnet then 'testnet' else 'mainnet' end as network, t.asset, t.txid,
      t.amount::text as amount, t.conflicts, i.address, t.risk_tries as tries`.execute(db);
  return rows;
}

/** Ends the retries of a transaction. */
export async function endChecks(trx: Db | Trx, id: string): Promise<void> {
  await sql`update transaction set risk_due_real = null where id = ${id}`.execute(trx);
}
