import { sql } from 'kysely';
import type { Invariant } from './invariants.ts';

/** Refunds that count: those that were rejected or failed return the money to its transaction. */
const COUNTING = sql`select * from refund where status not in ('rejected', 'failed')`;

export const REFUND_INVARIANTS: readonly Invariant[] = [
  [
    'a transaction counts its refunds, and never returns more than came',
    sql`select t.id, t.amount, t.refunded, r.amount as refunds from transaction t
      left join (select transaction_id, sum(amount) as amount from (${COUNTING}) c group by 1) r on r.transaction_id = t.id
      where t.refunded <> coalesce(r.amount, 0) or t.refunded > t.amount`,
  ],
  [
    'a transaction has one open refund',
    sql`select transaction_id from refund where status in ('requested', 'draft', 'approved') group by 1 having count(*) > 1`,
  ],
  [
    'a refund has one payout, and is paid when that is complete',
    sql`select r.id, r.status, p.status as payout from refund r left join payout p on p.id = r.payout_id
      where (r.status = 'paid' and p.status is distinct from 'complete') or (r.status = 'approved' and p.id is null)
        or (select count(*) from payout o where o.reference_id = 'refund ' || r.id) > 1`,
  ],
  [
    'a payment is refunded only while it is final',
    sql`select r.id, t.id as transaction, t.status from refund r join transaction t on t.id = r.transaction_id
      join payout p on p.id = r.payout_id where t.status not in ('complete', 'quarantined') and p.status = 'new'`,
  ],
];

/** At the end, when every payout has its outcome. */
export const FINAL_REFUND_INVARIANTS: readonly Invariant[] = [
  [
    'finally a refund has the outcome of its payout',
    sql`select r.id, r.status, p.status as payout from refund r join payout p on p.id = r.payout_id
      where (p.status = 'complete') <> (r.status = 'paid')`,
  ],
];
