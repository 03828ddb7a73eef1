import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import { transact, withoutTimeout } from '../database/transact.ts';
import { paidAway } from './paid-away.ts';

/** A violation of a ledger rule. */
export interface Finding {
  rule: string;
  /** Description of the rule. */
  says: string;
  /** The violating row: ids, and amounts as decimal text. */
  row: Record<string, unknown>;
}

interface Rule {
  rule: string;
  says: string;
  /** Selects the violating rows. */
  broken: RawBuilder<unknown>;
}

/** Holds as `wallet_id, currency, amount`. Their sum is the bucket `reserved`. */
const HOLDS: readonly RawBuilder<unknown>[] = [
  sql`select wallet_id, asset as currency, total as amount from payout where hold = 'held'`,
  sql`select wallet_id, fee_asset, fee_reserve from payout where hold = 'held'`,
  sql`select wallet_id, fee_asset, fee_reserve + top_up_fee_reserve from sweep where hold = 'held'`,
  sql`select from_wallet_id, from_asset, amount from conversion where hold = 'held'`,
  sql`select p.wallet_id, c.asset, p.fee from coin_consolidation c
    join coin_consolidation_part p on p.consolidation_id = c.id where c.status = 'sending'`,
];

/** All recorded movements to and from deposit addresses. */
const MOVEMENTS: readonly RawBuilder<unknown>[] = [
  sql`select chain, invoice_id, asset, amount from transaction where collected`,
  sql`select chain, invoice_id, asset, amount from unassigned where invoice_id is not null`,
  sql`select chain, invoice_id, fee_asset, top_up from sweep where top_up > 0 and (status in ('sending', 'complete')
    or (status = 'failed' and top_up_height is not null))`,
  sql`select chain, invoice_id, asset, -amount from sweep where status = 'complete'`,
  sql`select chain, invoice_id, fee_asset, -fee from sweep where status in ('complete', 'failed') and fee is not null`,
];

/** Final debits and credits of payouts, conversions and sweeps. Open ones only hold. */
const OUTCOMES: readonly RawBuilder<unknown>[] = [
  sql`select id as resource_id, wallet_id, asset as currency, -total as amount from payout where hold = 'spent'`,
  sql`select id, wallet_id, fee_asset, -fee from payout
    where hold = 'spent' or (status = 'failed' and hold = 'released' and block_height is not null)`,
  sql`select id, from_wallet_id, from_asset, -amount from conversion where status = 'complete'`,
  sql`select id, to_wallet_id, to_asset, to_amount from conversion where status = 'complete'`,
  sql`select id, wallet_id, fee_asset, -coalesce(fee, 0) - coalesce(top_up_fee, 0) from sweep where status in ('complete', 'failed')`,
  sql`select c.id, p.wallet_id, c.asset, -p.fee from coin_consolidation c
    join coin_consolidation_part p on p.consolidation_id = c.id where c.status = 'complete'`,
  // Taken by the chain, and not posted yet. The fee of a payment that came in is no outcome.
  sql`select resource_id, wallet_id, currency, amount from owed_fee where reason <> 'receiving_fee'`,
];

const RULES: readonly Rule[] = [
  {
    rule: 'entry_balances',
    says: 'every entry has two lines or more, and sums to zero in each currency',
    broken: sql`select account_id, entry_id, currency, sum(amount)::text as sum, count(*) as lines from posting
      group by account_id, entry_id, currency having sum(amount) <> 0 or count(*) < 2`,
  },
  {
    rule: 'balance_not_negative',
    says: 'no balance is below zero',
    broken: sql`select account_id, wallet_id, currency, bucket, amount::text as amount from balance where amount < 0`,
  },
  {
    rule: 'balance_is_its_postings',
    says: 'a balance is the sum of its postings',
    broken: sql`select account_id, wallet_id, currency, bucket, p.amount::text as posted, b.amount::text as balance from (
        select account_id, wallet_id, currency, bucket, sum(amount) as amount from posting where book = 'wallet'
        group by account_id, wallet_id, currency, bucket) p
      full join balance b using (account_id, wallet_id, currency, bucket)
      where coalesce(p.amount, 0) <> coalesce(b.amount, 0)`,
  },
  {
    rule: 'credit_is_its_transaction',
    says: 'a transaction is credited once, in full, in its bucket, and is available only while it is in a block or owed',
    broken: sql`select t.account_id, t.id, t.credit, p.bucket, t.amount::text as amount, p.amount::text as posted from transaction t
      left join (select resource_id, bucket, wallet_id, currency, sum(amount) as amount from posting
        where book = 'wallet' and reason <> 'receiving_fee'
        group by resource_id, bucket, wallet_id, currency having sum(amount) <> 0) p on p.resource_id = t.id
      where coalesce(p.bucket, 'none') <> t.credit
        or (t.credit <> 'none' and (p.amount <> t.amount or p.wallet_id <> t.wallet_id or p.currency <> t.asset))
        or (t.credit = 'available' and t.block_height is null and not t.owed)`,
  },
  {
    rule: 'credit_has_an_observation',
    says: 'every credit belongs to an observed transaction',
    broken: sql`select account_id, entry_id, resource_id, reason from posting p
      where reason like 'transaction\\_%' and not exists (select from transaction t where t.id = p.resource_id)`,
  },
  {
    rule: 'observation_credited_once',
    says: 'an observation is either a transaction or unassigned, never both',
    broken: sql`select chain, observation_key from transaction join unassigned using (chain, observation_key)`,
  },
  {
    rule: 'assigned_is_posted',
    says: 'assigned funds are posted once and in full, and no other posting has this reason',
    broken: sql`select id, wallet_id, currency, u.amount::text as amount, p.amount::text as posted from (
        select id, wallet_id, asset as currency, amount from unassigned where wallet_id is not null) u
      full join (select resource_id as id, wallet_id, currency, sum(amount) as amount from posting
        where book = 'wallet' and reason = 'unassigned_assigned' group by resource_id, wallet_id, currency) p using (id, wallet_id, currency)
      where coalesce(u.amount, 0) <> coalesce(p.amount, 0)`,
  },
  {
    rule: 'unassigned_came_to_us',
    says: 'unassigned funds that wait or were assigned arrived at a deposit address and did not leave with a payout',
    broken: sql`select id, chain, txid, address, asset, amount::text as amount, wallet_id from unassigned u
      where (settled_at is null or wallet_id is not null) and ${paidAway}`,
  },
  {
    rule: 'reserved_is_held',
    says: 'the reserved amount equals the holds of open payouts, conversions and sweeps',
    broken: sql`select wallet_id, currency, h.amount::text as held, b.amount::text as reserved from (
        select wallet_id, currency, sum(amount) as amount from (${sql.join(HOLDS, sql` union all `)}) holds
        group by wallet_id, currency) h
      full join (select wallet_id, currency, amount from balance where bucket = 'reserved') b using (wallet_id, currency)
      where coalesce(h.amount, 0) <> coalesce(b.amount, 0)`,
  },
  {
    rule: 'outcome_is_posted',
    says: 'payouts, conversions and sweeps are posted once, in full',
    broken: sql`select resource_id, wallet_id, currency, o.amount::text as amount, p.amount::text as posted from (
        select resource_id, wallet_id, currency, sum(amount) as amount from (${sql.join(OUTCOMES, sql` union all `)}) outcomes
        group by resource_id, wallet_id, currency) o
      full join (select resource_id, wallet_id, currency, sum(amount) as amount from posting
        where book = 'wallet' and reason similar to '(payout|conversion|consolidation)\\_%'
        group by resource_id, wallet_id, currency) p using (resource_id, wallet_id, currency)
      where coalesce(o.amount, 0) <> coalesce(p.amount, 0)`,
  },
  {
    rule: 'ended_payout_holds_nothing',
    says: 'a payout that ended or has not started holds nothing',
    broken: sql`select account_id, id, status from payout
      where hold = 'held' and status in ('complete', 'failed', 'rejected', 'draft', 'scheduled', 'awaiting_funds')`,
  },
  {
    rule: 'deposit_is_its_movements',
    says: 'the balance of a deposit address is the sum of its movements',
    broken: sql`select chain, invoice_id, asset, m.amount::text as moved, d.amount::text as stored from (
        select chain, invoice_id, asset, sum(amount) as amount from (${sql.join(MOVEMENTS, sql` union all `)}) movements
        group by chain, invoice_id, asset) m
      full join deposit d using (chain, invoice_id, asset)
      where coalesce(m.amount, 0) <> coalesce(d.amount, 0)`,
  },
  {
    rule: 'refunds_are_within_their_transaction',
    says: 'the refunds of a transaction are what it counts as refunded, and at most what came',
    broken: sql`select t.id, t.amount::text as amount, t.refunded::text as refunded, r.amount::text as refunds from transaction t
      left join (select transaction_id, sum(amount) as amount from refund where status not in ('rejected', 'failed')
        group by transaction_id) r on r.transaction_id = t.id
      where (t.refunded > 0 or r.amount is not null) and (t.refunded <> coalesce(r.amount, 0) or t.refunded > t.amount)`,
  },
  {
    rule: 'accepted_is_not_refunded',
    says: 'late money that the shop accepted is not refunded as late',
    broken: sql`select t.id from transaction t join refund r on r.transaction_id = t.id
      where t.late_accepted and r.cause = 'late' and r.status not in ('rejected', 'failed')`,
  },
  {
    rule: 'refund_is_its_payout',
    says: 'an approved refund has a payout of its coin that sends no more than was asked for, and is paid only by it',
    broken: sql`select r.id, r.status, p.status as payout, r.amount::text as amount, p.total::text as total from refund r
      left join payout p on p.id = r.payout_id
      where (p.id is null and r.status in ('draft', 'approved', 'paid', 'failed'))
        or p.total > r.amount or p.account_id <> r.account_id or p.asset <> r.asset
        or (r.status = 'paid' and p.status <> 'complete') or (r.status = 'approved' and p.status = 'draft')
        or (r.status = 'rejected' and p.status <> 'rejected')
        or (r.status = 'failed' and p.status not in ('failed', 'confirmed', 'complete'))`,
  },
  {
    rule: 'ended_sweep_holds_nothing',
    says: 'a sweep holds its fees exactly until it ends',
    broken: sql`select id, status, hold from sweep where (hold = 'held') <> (status in ('topping_up', 'sending'))`,
  },
];

/** Findings per rule. */
const LIMIT = 100;

/**
 * Checks the ledger rules. All rules run in one statement and see the same snapshot, so the service
 * can keep running.
 * @returns the violations, at most 100 per rule
 * @example for (const { says, row } of await verifyBooks(db)) console.error(says, row);
 */
export async function verifyBooks(db: Db | Trx): Promise<Finding[]> {
  const queries = RULES.map(
    ({ broken }, number) =>
      sql`(select ${number}::int as number, to_jsonb(f) as row from (${broken}) f limit ${LIMIT})`,
  );
  const ask = async (trx: Trx): Promise<Finding[]> => {
    await withoutTimeout(trx);
    const { rows } = await sql<{
      number: number;
      row: Record<string, unknown>;
    }>`${sql.join(queries, sql` union all `)}`.execute(trx);
    return rows.map(({ number, row }) => ({
      rule: RULES[number]!.rule,
      says: RULES[number]!.says,
      row,
    }));
  };
  return db.isTransaction ? ask(db as Trx) : transact(db, ask);
}
