import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { timestamp } from '../database/timestamp.ts';

/** Each is asked for its balance; what else arrives is found in the blocks themselves. */
const MAX_ADDRESSES = 1_000;

/**
 * The EVM addresses to which money is expected: those of open invoices and reusable addresses, the newest first, then those of
 * invoices that expired, for as long as their profile's `addresses_expiration` (§2.8) says. Afterwards a transfer that leaves no
 * trace in a block (from inside a contract, on a node that can't trace) is no longer noticed at once; every other payment still
 * is, recorded and credited, because an address is never given out again.
 * @param now business time, milliseconds since the epoch
 */
export async function payableAddresses(db: Db, now: number): Promise<string[]> {
  const at = timestamp(now);
  const { rows } = await sql<{ watch_key: string }>`
    with open as (
      select d.watch_key, 1 as turn, i.created_at as at
      from invoice i join deposit_target d on d.account_id = i.account_id and d.invoice_id = i.id
      where (i.status in ('new', 'pending', 'paid') or i.requested_text is null) and d.watch_key like 'evm:%'
      order by i.created_at desc limit ${MAX_ADDRESSES}),
    expired as (
      select d.watch_key, 2, i.expires_at
      from invoice i join deposit_target d on d.account_id = i.account_id and d.invoice_id = i.id
      join profile p on p.account_id = i.account_id and p.id = i.profile_id
      where i.status = 'expired' and d.watch_key like 'evm:%' and i.expires_at > ${at}::timestamptz - interval '14 days'
        and i.expires_at > ${at}::timestamptz - make_interval(secs => p.addresses_expiration)
      order by i.expires_at desc limit ${MAX_ADDRESSES})
    select watch_key from (select * from open union all select * from expired) addresses
    order by turn, at desc limit ${MAX_ADDRESSES}`.execute(db);
  return rows.map(({ watch_key }) => watch_key.slice('evm:'.length));
}
