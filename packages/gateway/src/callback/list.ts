import type { Callback, Delivery, ListedCallback } from '@crypto-checkout/protocol/dashboard';
import { type CallbackResource, EVENTS, type Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { isUuid } from '../http/id.ts';
import { PER_PAGE, pageOffset } from '../http/pagination.ts';
import { sentBody } from './stored-body.ts';

export interface CallbackFilter {
  resource?: CallbackResource | undefined;
  resourceId?: string | undefined;
  state?: ListedCallback['state'] | undefined;
  event?: Event | undefined;
  /** Page number. Default 1. */
  page?: number | undefined;
  /**
   * Limit of the count: one more than this is counted at most. Default: all, which reads each of
   * them.
   */
  countTo?: number | undefined;
}

/** A callback with its owner, which only the operator sees. */
export interface OwnedCallback extends ListedCallback {
  account_id: string;
  profile_id: string;
  finished_at_real: string | null;
}

const COLUMNS =
  sql.raw(`c.account_id, c.id, c.resource, c.resource_id, c.event, c.profile_id, c.url, c.state, c.attempts, c.resends,
  c.created_at_real, c.next_at_real, c.finished_at_real,
  last.status_code as last_status_code, last.error as last_error, last.at_real as last_at_real`);
const LAST = sql.raw(`left join lateral (
  select status_code, error, at_real from callback_delivery d
  where d.account_id = c.account_id and d.callback_id = c.id order by at_real desc, resend desc, attempt desc limit 1) last on true`);

/**
 * One page of callbacks, newest first, with the total count.
 * @param accountId null for all accounts, which only the operator may see
 * @example const { rows, count } = await listCallbacks(db, accountId, { state: 'failed', page: 1
 * });
 */
export async function listCallbacks(
  db: Db,
  accountId: string | null,
  { resource, resourceId, state, event, page = 1, countTo }: CallbackFilter = {},
): Promise<{ rows: OwnedCallback[]; count: number }> {
  const where = sql`${sql.join(
    [
      sql`true`,
      ...(accountId === null ? [] : [sql`c.account_id = ${accountId}`]),
      ...(resource === undefined ? [] : [sql`c.resource = ${resource}`]),
      ...(resourceId === undefined
        ? []
        : [isUuid(resourceId) ? sql`c.resource_id = ${resourceId}` : sql`false`]),
      ...(event === undefined ? [] : [sql`c.event = ${event}`]),
      ...(state === undefined ? [] : [sql`c.state = ${sql.lit(state)}`]),
    ],
    sql` and `,
  )}`;
  const [found, total] = await Promise.all([
    sql<OwnedCallback>`
      select ${COLUMNS} from (
        select * from callback c where ${where} order by c.created_at_real desc, c.id desc limit ${PER_PAGE} offset ${pageOffset(page)}) c
      ${LAST} order by c.created_at_real desc, c.id desc`.execute(db),
    sql<{ count: number }>`
      select count(*) as count from (
        select 1 from callback c where ${where} ${countTo === undefined ? sql`` : sql`limit ${countTo + 1}`}) counted`.execute(
      db,
    ),
  ]);
  return { rows: found.rows.toSorted(newestFirst), count: total.rows[0]?.count ?? 0 };
}

const RANKS: ReadonlyMap<string, number> = new Map(EVENTS.map((event, rank) => [event, rank]));

/** Callbacks of one instant are listed in the order of their events. */
export const rankOf = ({ event }: Pick<ListedCallback, 'event'>): number => RANKS.get(event) ?? -1;

function newestFirst(a: ListedCallback, b: ListedCallback): number {
  return b.created_at_real.localeCompare(a.created_at_real) || rankOf(b) - rankOf(a);
}

/**
 * A callback with all its deliveries.
 * @param accountId null for any account, which only the operator may see
 * @returns null for an unknown id and another account's alike
 */
export async function getCallback(
  db: Db,
  accountId: string | null,
  id: string,
): Promise<(OwnedCallback & Callback) | null> {
  if (!isUuid(id)) return null;
  const { rows } = await sql<OwnedCallback & Omit<Callback, 'deliveries'>>`
    select ${COLUMNS}, c.body from callback c ${LAST}
    where c.id = ${id} and ${accountId === null ? sql`true` : sql`c.account_id = ${accountId}`}`.execute(
    db,
  );
  const [callback] = rows;
  if (!callback) return null;
  const deliveries = await sql<Delivery>`
    select attempt, resend, url, request_headers, at_real, duration_ms, status_code, answer_headers, answer, error
    from callback_delivery where account_id = ${callback.account_id} and callback_id = ${id} order by at_real, resend, attempt`.execute(
    db,
  );
  return { ...callback, body: sentBody(callback.body), deliveries: deliveries.rows };
}
