import { EVENTS, type Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { isUuid } from '../http/id.ts';
import { PER_PAGE, pageOffset } from '../http/pagination.ts';
import { sentBody } from './stored-body.ts';

export interface CallbackFilter {
  resource?: 'invoice' | 'transaction' | 'payout' | undefined;
  resourceId?: string | undefined;
  state?: 'pending' | 'delivered' | 'failed' | undefined;
  event?: Event | undefined;
  /** From 1, which is the default. */
  page?: number | undefined;
  /** Of more than so many one more is counted. Default: all are counted, and each is read for it. */
  countTo?: number | undefined;
}

/** A callback in a list, with what became of it last. */
export interface ListedCallback {
  account_id: string;
  id: string;
  resource: 'invoice' | 'transaction' | 'payout';
  resource_id: string;
  event: string;
  profile_id: string;
  /** Where it was to be sent when it was queued; each delivery tells where it went. */
  url: string;
  state: 'pending' | 'delivered' | 'failed';
  /** By schedule. */
  attempts: number;
  /** By hand. */
  resends: number;
  created_at_real: string;
  /** When it is due; of no meaning once it is not `pending`. */
  next_at_real: string;
  finished_at_real: string | null;
  /** Of the newest delivery; null before the first, and where no answer came. */
  last_status_code: number | null;
  last_error: string | null;
  last_at_real: string | null;
}

/** One delivery: the request as it was sent (its body is the callback's) and what came back. */
export interface ShownDelivery {
  attempt: number;
  /** Whether it was sent by hand. */
  resend: boolean;
  url: string | null;
  request_headers: Record<string, string> | null;
  at_real: string;
  duration_ms: number;
  status_code: number | null;
  answer_headers: Record<string, string> | null;
  /** The first 64 KiB of the answer. */
  answer: string | null;
  error: string | null;
}

export interface ShownCallback extends ListedCallback {
  /** The exact bytes of every delivery. */
  body: string;
  /** Oldest first. */
  deliveries: ShownDelivery[];
}

const COLUMNS = sql.raw(`c.account_id, c.id, c.resource, c.resource_id, c.event, c.profile_id, c.url, c.state, c.attempts, c.resends,
  c.created_at_real, c.next_at_real, c.finished_at_real,
  last.status_code as last_status_code, last.error as last_error, last.at_real as last_at_real`);
const LAST = sql.raw(`left join lateral (
  select status_code, error, at_real from callback_delivery d
  where d.account_id = c.account_id and d.callback_id = c.id order by at_real desc, resend desc, attempt desc limit 1) last on true`);

/**
 * One page of callbacks, newest first, and how many there are in all.
 * @param accountId null for those of every account, which only the operator may see
 * @example const { rows, count } = await listCallbacks(db, accountId, { state: 'failed', page: 1 });
 */
export async function listCallbacks(
  db: Db,
  accountId: string | null,
  { resource, resourceId, state, event, page = 1, countTo }: CallbackFilter = {},
): Promise<{ rows: ListedCallback[]; count: number }> {
  const where = sql`${sql.join(
    [
      sql`true`,
      ...(accountId === null ? [] : [sql`c.account_id = ${accountId}`]),
      ...(resource === undefined ? [] : [sql`c.resource = ${resource}`]),
      ...(resourceId === undefined ? [] : [isUuid(resourceId) ? sql`c.resource_id = ${resourceId}` : sql`false`]),
      ...(event === undefined ? [] : [sql`c.event = ${event}`]),
      ...(state === undefined ? [] : [sql`c.state = ${sql.lit(state)}`]),
    ],
    sql` and `,
  )}`;
  const [found, total] = await Promise.all([
    sql<ListedCallback>`
      select ${COLUMNS} from (
        select * from callback c where ${where} order by c.created_at_real desc, c.id desc limit ${PER_PAGE} offset ${pageOffset(page)}) c
      ${LAST} order by c.created_at_real desc, c.id desc`.execute(db),
    sql<{ count: number }>`
      select count(*) as count from (
        select 1 from callback c where ${where} ${countTo === undefined ? sql`` : sql`limit ${countTo + 1}`}) counted`.execute(db),
  ]);
  return { rows: found.rows.toSorted(newestFirst), count: total.rows[0]?.count ?? 0 };
}

const RANKS: ReadonlyMap<string, number> = new Map(EVENTS.map((event, rank) => [event, rank]));

/** What was told in one moment stands in the order in which it happens. */
export const rankOf = ({ event }: Pick<ListedCallback, 'event'>): number => RANKS.get(event) ?? -1;

function newestFirst(a: ListedCallback, b: ListedCallback): number {
  return b.created_at_real.localeCompare(a.created_at_real) || rankOf(b) - rankOf(a);
}

/**
 * A callback with all of its deliveries.
 * @param accountId null for one of any account, which only the operator may see
 * @returns null for an unknown id and another account's alike
 */
export async function getCallback(db: Db, accountId: string | null, id: string): Promise<ShownCallback | null> {
  if (!isUuid(id)) return null;
  const { rows } = await sql<Omit<ShownCallback, 'deliveries'>>`
    select ${COLUMNS}, c.body from callback c ${LAST}
    where c.id = ${id} and ${accountId === null ? sql`true` : sql`c.account_id = ${accountId}`}`.execute(db);
  const [callback] = rows;
  if (!callback) return null;
  const deliveries = await sql<ShownDelivery>`
    select attempt, resend, url, request_headers, at_real, duration_ms, status_code, answer_headers, answer, error
    from callback_delivery where account_id = ${callback.account_id} and callback_id = ${id} order by at_real, resend, attempt`.execute(db);
  return { ...callback, body: sentBody(callback.body), deliveries: deliveries.rows };
}
