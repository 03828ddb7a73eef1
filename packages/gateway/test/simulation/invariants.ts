import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql, type RawBuilder } from 'kysely';
import { ZERO_CONF_LIMIT } from './simulated-gateway.ts';
import { AUTOMATIC_RECIPIENTS } from './perform-step.ts';
import { REFUND_INVARIANTS } from './refund-invariants.ts';

/** External state that the invariants depend on. */
export interface ExternalState {
  /** Chains that were scanned to their tip; credits of other chains can't be checked. */
  scanned: readonly ChainId[];
  /** Business time. */
  now: string;
}

/** An invariant and a query for the rows that violate it. */
export type Invariant = readonly [title: string, violating: RawBuilder<unknown>];

export const violations = (
  invariants: readonly Invariant[],
): RawBuilder<{ invariant: string; row: unknown }> =>
  sql`${sql.join(
    invariants.map(
      ([title, violating]) =>
        sql`select ${title}::text as invariant, to_jsonb(f) as row from (${violating}) f`,
    ),
    sql` union all `,
  )}`;

const EVENTS = sql`select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction
  union all select id, unnest(events) from payout union all select id, unnest(events) from refund`;

/** Recipients that automatic payouts pay repeatedly. */
const REPEATED_RECIPIENTS = Object.values(AUTOMATIC_RECIPIENTS).map((address) =>
  address.replace(/:1$/, ''),
);
/** Outputs to recipients of a single payout. */
const RECEIVED = sql`payout_recipient r join sandbox_output o on o.address = r.address and (r.tag is null or o.watch_key like '%:' || r.tag)`;
const IS_UNIQUE = sql`(r.address <> all(${REPEATED_RECIPIENTS}::text[]) or r.tag <> '1')`;

/** Invariants that hold after every step. */
export const invariantsAt = ({ scanned, now }: ExternalState): Invariant[] => [
  ...paymentInvariants([...scanned]),
  ...INVOICE_INVARIANTS,
  ...payoutInvariants(now),
  ...EVENT_INVARIANTS,
  ...CONVERSION_INVARIANTS,
  ...REFUND_INVARIANTS,
];

const paymentInvariants = (scanned: string[]): Invariant[] => [
  [
    'credited payments are on the best chain',
    sql`select t.id, t.txid, t.status, t.credit, t.amount, s.state, b.best, o.amount as sent from transaction t
      left join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
      left join sandbox_block b on b.chain = s.chain and b.hash = s.block_hash
      left join sandbox_output o on o.chain = t.chain and t.observation_key = o.txid || ':' || o.slot
      where t.chain = any(${scanned}::text[]) and t.credit in ('pending', 'available') and not t.owed
        and (s.state is null or s.state not in ('mempool', 'block') or (t.credit = 'available' and b.best is distinct from true and t.zero_conf_status is distinct from 'confirmed')
          or o.amount is distinct from t.amount)`,
  ],
  [
    'every received output is recorded',
    sql`select o.chain, o.txid, o.slot, o.watch_key from sandbox_output o
      join sandbox_transaction s on s.chain = o.chain and s.txid = o.txid
      where o.chain = any(${scanned}::text[]) and s.state in ('mempool', 'block')
        and o.watch_key in (select watch_key from deposit_target)
        -- A transfer from the gateway that funds the network fee of a deposit address is no payment.
        and not exists (select 1 from outgoing_attempt g where g.txid = o.txid)
        and not exists (select 1 from transaction t where t.chain = o.chain and t.observation_key = o.txid || ':' || o.slot)
        and not exists (select 1 from unassigned u where u.chain = o.chain and u.observation_key = o.txid || ':' || o.slot)`,
  ],
  [
    'transfers from the gateway itself are no payments',
    sql`select t.id, t.txid, g.intent from transaction t join outgoing_attempt g using (txid)`,
  ],
  [
    'confirmations are the depth in the chain',
    sql`select t.id, t.confirmations, t.block_height, c.height from transaction t join sandbox_chain c on c.chain = t.chain
      where t.chain = any(${scanned}::text[]) and t.status in ('pending', 'confirmed')
        and t.confirmations <> case when t.block_height is null then 0 else c.height - t.block_height + 1 end`,
  ],
  [
    'the credit of a payment matches its status',
    sql`select id, status, credit from transaction where not owed and credit <> all (case status
      when 'confirmed' then '{available}' when 'complete' then '{available,frozen}' when 'quarantined' then '{none,frozen}'
      when 'replaced' then '{none}' when 'failed' then '{none}' else '{none,pending}' end::text[])`,
  ],
  [
    'a payment has the confirmations that its status requires',
    sql`select t.id, t.status, t.confirmations, t.required_confirmations, t.final_confirmations from transaction t
      join invoice i on i.id = t.invoice_id left join profile_currency p on p.profile_id = t.profile_id and p.kind = i.kind
      where (t.status = 'confirmed' and t.confirmations < t.required_confirmations)
        or (t.status = 'complete' and t.credit = 'available' and not t.owed and t.confirmations < t.final_confirmations)
        or (i.chain <> 'lightning' and t.required_confirmations <> coalesce(i.min_confirmations, p.min_confirmations, 1))`,
  ],
  [
    'zero-confirmation payments stay below the limit',
    sql`select invoice_id, sum(amount) from transaction where zero_conf_status = 'confirmed' and block_height is null and in_mempool
        -- A payment that was in a block before is not limited.
        and not exists (select 1 from sandbox_block b where b.chain = 'bitcoin' and not b.best)
      group by invoice_id having sum(amount) > ${ZERO_CONF_LIMIT}::numeric`,
  ],
  [
    'only complete payments are swept',
    sql`select id, status from transaction where collected and status <> 'complete'`,
  ],
];

const INVOICE_INVARIANTS: readonly Invariant[] = [
  [
    'no two open invoices with an amount share address and tag',
    sql`select chain, address, tag, count(*) from invoice
      where address is not null and requested_text is not null and status in ('new', 'pending', 'paid')
      group by chain, address, tag having count(*) > 1`,
  ],
  [
    'the paid total of an invoice is the sum of its payments',
    sql`select i.id, i.paid_total, p.amount from invoice i
      left join (select invoice_id, sum(amount - refunded) as amount from transaction
        where counted and status not in ('replaced', 'failed', 'quarantined') and (in_mempool or block_height is not null)
        group by invoice_id) p on p.invoice_id = i.id
      where i.paid_total <> coalesce(p.amount, 0) and i.kind <> 'BTC_LIGHTNING_LNURL'`,
  ],
  [
    'an invoice that expires with a payment reports invoice_incomplete',
    sql`select i.id from invoice i where i.status = 'expired' and exists (select 1 from transaction t where t.invoice_id = i.id
        and t.counted and not t.late and t.status in ('pending', 'confirmed', 'complete') and (t.in_mempool or t.block_height is not null))
      and not exists (select 1 from callback c where c.resource_id = i.id and c.event = 'invoice_incomplete')`,
  ],
  [
    'an invoice that was paid in time does not expire',
    sql`select id, invoiced, paid_total from invoice where status = 'expired' and matched`,
  ],
  [
    'an invoice never requests less than the ordered amount',
    sql`select i.id, q.number, q.invoiced, q.rate_usd, i.requested_text, i.fee_amount from invoice i join quote q on q.invoice_id = i.id
      where (q.invoiced - coalesce(i.fee_amount, 0)) * q.rate_usd < i.requested_text::numeric`,
  ],
  [
    'only payments in the invoice coin count',
    sql`select t.id, t.asset, t.counted, i.kind from transaction t join invoice i on i.id = t.invoice_id
      where t.counted <> (t.asset = case when i.kind like 'BTC%' then 'BTC' else i.kind end)`,
  ],
  [
    'a payment uses the quote that was valid when it was first seen',
    sql`select t.id, t.quote_number, t.late, t.created_at, q.number from transaction t
      left join lateral (select min(number) as number from quote q
        where q.invoice_id = t.invoice_id and (q.expires_at is null or t.created_at < q.expires_at)) q on true
      where t.quote_number is not null and not t.late and t.quote_number is distinct from q.number
        -- A payment with a bumped fee keeps its quote.
        and not exists (select 1 from transaction r where r.invoice_id = t.invoice_id and r.id <> t.id and r.quote_number = t.quote_number
          and r.created_at < t.created_at)`,
  ],
];

const payoutInvariants = (now: string): Invariant[] => [
  [
    'a recipient is paid once',
    sql`select r.address, r.tag, count(*) from ${RECEIVED} where ${IS_UNIQUE}
      group by r.payout_id, r.address, r.tag, r.number having count(*) > 1`,
  ],
  [
    'a payout sends the total of its recipients',
    sql`select p.id, p.total, o.amount from payout p
      join (select txid, sum(amount) as amount from sandbox_output group by txid) o on o.txid = p.txid where o.amount <> p.total`,
  ],
  [
    'the fee of a payout is the network fee',
    sql`select p.id, p.fee, g.plan ->> 'fee' as most from payout p join outgoing_attempt g on g.outgoing_id = coalesce(p.batch_id, p.id)
      where p.status = 'complete' and p.fee * 2 <> (g.plan ->> 'fee')::numeric`,
  ],
  [
    'recipients receive nothing from payouts that are not sent',
    sql`select p.id, p.status, s.state from payout p join ${RECEIVED} on r.payout_id = p.id
      join sandbox_transaction s on s.chain = o.chain and s.txid = o.txid and s.state in ('mempool', 'block')
      where p.status in ('failed', 'rejected', 'draft', 'scheduled', 'awaiting_funds', 'awaiting_policies') and ${IS_UNIQUE}`,
  ],
  [
    'a payout is not planned before its time',
    sql`select p.id, p.status, p.scheduled_at from payout p join outgoing g on g.id = coalesce(p.batch_id, p.id)
      where p.scheduled_at > ${now} or p.status in ('rejected', 'draft', 'scheduled', 'awaiting_funds', 'awaiting_policies')`,
  ],
];

/** Events by status: receivers can rely on each of them. */
const EVENTS_BY_STATUS = {
  invoice: {
    paid: '{invoice_pending,invoice_confirmed}',
    complete: '{invoice_pending,invoice_confirmed,invoice_complete}',
  },
  transaction: {
    confirmed: '{transaction_pending,transaction_confirmed}',
    complete: '{transaction_pending,transaction_confirmed,transaction_complete}',
  },
  payout: {
    confirmed: '{payout_pending,payout_confirmed}',
    complete: '{payout_pending,payout_confirmed,payout_complete}',
  },
} as const;

const EVENT_INVARIANTS: readonly Invariant[] = [
  [
    'every event has exactly one callback',
    sql`select e.id, e.event, c.id as callback_of from (${EVENTS}) e
      full join (select resource_id as id, event from callback) c using (id, event)
      where c.id is null or e.id is null or (e.id, e.event) in (select id, event from (${EVENTS}) r group by 1, 2 having count(*) > 1)`,
  ],
  ...Object.entries(EVENTS_BY_STATUS).flatMap(([table, statuses]) =>
    Object.entries(statuses).map(([status, events]): Invariant => [
      'a status has the events of all statuses before it',
      sql`select id, status, events from ${sql.table(table)} where status = ${status} and not events @> ${events}::text[]
          ${table === 'invoice' ? sql`and requested_text is not null` : sql``}`,
    ]),
  ),
];

const CONVERSION_INVARIANTS: readonly Invariant[] = [
  [
    'a conversion credits the amount of the exchange order, at most at its rate',
    sql`select v.id, v.status, v.amount, v.to_amount, e.* from conversion v left join exchange_order e on e.key = v.id::text
      where (v.status = 'complete' and (e.key is null or v.to_amount <> e.bought)) or v.amount <> e.sold
        or (e.key is not null and v.status in ('draft', 'failed')) or e.bought * e.to_usd > e.sold * e.from_usd`,
  ],
];

/**
 * Invariants at the end, when all nodes work, everything is confirmed and all deadlines have
 * passed: nothing is unresolved.
 */
export const FINAL_PAYMENT_INVARIANTS: readonly Invariant[] = [
  [
    'finally an invoice is complete or expired',
    sql`select id, status from invoice i where status not in ('complete', 'expired') and requested_text is not null
      and not (status = 'pending' and exists (select 1 from transaction t where t.invoice_id = i.id and t.status = 'quarantined'))`,
  ],
  [
    'finally the status of a transaction matches its chain',
    sql`select t.id, t.status, t.credit, s.state from transaction t join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
      where t.status <> 'quarantined' and not t.owed and (s.state = 'block') <> (t.status = 'complete' and t.credit = 'available')
        and not (s.state <> 'block' and (t.credit = 'none' or (t.status = 'complete' and t.credit = 'frozen')))`,
  ],
];

/** The same for payouts, after the queue of each address is processed. */
export const FINAL_PAYOUT_INVARIANTS: readonly Invariant[] = [
  [
    'finally a payout has a final status',
    sql`select p.id, p.status, p.hold, s.state from payout p left join sandbox_transaction s on s.chain = p.chain and s.txid = p.txid
      left join sandbox_transaction r on r.chain = s.chain and r.txid = s.replaced_by
      where p.status not in ('complete', 'failed', 'rejected', 'draft', 'awaiting_funds')
        -- Its replacement was lost too, so its outcome is unknown.
        and not (s.state = 'replaced' and r.state is distinct from 'block')`,
  ],
];
