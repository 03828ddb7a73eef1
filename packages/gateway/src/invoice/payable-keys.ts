import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { timestamp } from '../database/timestamp.ts';

/** Limits the calls to a node that is asked for each address. */
const MAX_KEYS = 1_000;

/**
 * The watch keys of a key group that can be paid now: those of open invoices and reusable
 * addresses, newest first, then those of expired invoices until the profile's
 * `addresses_expiration` has passed. Payments to all others are credited too, because an address is
 * never reused.
 * @param now business time, milliseconds since the epoch
 */
export async function payableKeys(db: Db, now: number, keyGroup: string): Promise<string[]> {
  const group = `${keyGroup}:`;
  const at = timestamp(now);
  const { rows } = await sql<{ watch_key: string }>`
    with open as (
      select d.watch_key, 1 as turn, i.created_at as at
      from invoice i join deposit_target d on d.account_id = i.account_id and d.invoice_id = i.id
      where (i.status in ('new', 'pending', 'paid') or i.requested_text is null) and starts_with(d.watch_key, ${group})
      order by i.created_at desc limit ${MAX_KEYS}),
    expired as (
      select d.watch_key, 2, i.expires_at
      from invoice i join deposit_target d on d.account_id = i.account_id and d.invoice_id = i.id
      join profile p on p.account_id = i.account_id and p.id = i.profile_id
      where i.status = 'expired' and starts_with(d.watch_key, ${group}) and i.expires_at > ${at}::timestamptz - interval '14 days'
        and i.expires_at > ${at}::timestamptz - make_interval(secs => p.addresses_expiration)
      order by i.expires_at desc limit ${MAX_KEYS})
    select watch_key from (select * from open union all select * from expired) addresses
    order by turn, at desc limit ${MAX_KEYS}`.execute(db);
  return rows.map(({ watch_key }) => watch_key);
}
