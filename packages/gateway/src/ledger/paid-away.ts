import { sql } from 'kysely';

/**
 * Condition on `unassigned u`: a payout sent the money to an address that is not one of our deposit
 * addresses, so the service does not hold it any more.
 */
export const paidAway = sql`
  exists (select from outgoing o join outgoing_attempt t on t.outgoing_id = o.id
    where o.chain = u.chain and u.txid in (t.txid, t.chain_txid) and o.purpose = 'payout')
  and not exists (select from deposit_target d where d.watch_key = u.address or split_part(d.watch_key, ':', 2) = u.address)`;
