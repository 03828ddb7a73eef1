import { sql } from 'kysely';
import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { bodyOf, queueCallbacks, type ReportedEvent } from './queue.ts';
import { sendCallback, type DeliveryResult } from './send.ts';
import { sentBody } from './stored-body.ts';

/** The result of sending a callback again. */
export interface Resent {
  status: 'success' | 'error' | 'pending';
  message: string;
  error?: 'no_profile_or_callback_url' | 'callback_failed' | 'exception_occurred';
  /** Null when nothing was sent; `callback_response` or `response` on the wire. */
  delivery: { status_code: number | null; url: string } | null;
}

/**
 * The result with the reason of a failure. Network errors may name internal hosts, so only the
 * operator reads them.
 */
interface Outcome {
  resent: Resent;
  why: string | null;
}

/** A resource whose last callback is sent again. */
export interface Reporting extends Omit<ReportedEvent, 'event'> {
  /** The events that it has reported, in order. */
  events: readonly ReportedEvent['event'][];
}

interface StoredCallback {
  account_id: string;
  id: string;
  profile_id: string;
  body: string;
}

/**
 * Sends the last callback of a resource again, with the same id and bytes, to the profile's current
 * address. A callback that was not queued, because the profile had no address then, is queued
 * first.
 */
export async function resendLastCallback(context: Context, resource: Reporting): Promise<Resent> {
  const { resent } = await guarded(context, { resource_id: resource.id }, async () => {
    const { accountId, profileId, events } = resource;
    const event = events.at(-1);
    if (event === undefined) {
      if ((await callbackUrl(context, accountId, profileId)) === null) return noUrl();
      return {
        resent: { status: 'pending', message: 'There is no callback of it yet.', delivery: null },
        why: null,
      };
    }
    let callback = await findCallback(context, resource.id, event);
    if (callback === null && (await callbackUrl(context, accountId, profileId)) !== null) {
      await transact(context.db, (trx) => queueCallbacks(trx, context, [{ ...resource, event }]));
      callback = await findCallback(context, resource.id, event);
    }
    if (callback === null) return noUrl();
    return send(
      context,
      callback.body === '' ? await rebuilt(context, callback, { ...resource, event }) : callback,
    );
  });
  return resent;
}

/**
 * Sends one callback again for the operator, whatever its state.
 * @param accountId null for any account, which only the operator may name
 * @throws ServiceError `NotFound` for an unknown id and another account's alike
 */
export async function resendCallbackById(
  context: Context,
  accountId: string | null,
  callbackId: string,
): Promise<Resent> {
  const { rows } = isUuid(callbackId)
    ? await sql<StoredCallback>`
        select account_id, id, profile_id, body from callback
        where id = ${callbackId} and ${accountId === null ? sql`true` : sql`account_id = ${accountId}`}`.execute(
        context.db,
      )
    : { rows: [] };
  const [callback] = rows;
  if (!callback) throw new ServiceError('NotFound', 'There is no callback with this id.');
  if (callback.body === '')
    throw new ServiceError(
      'InvalidState',
      'The body of this callback was removed (CALLBACK_RETENTION_DAYS): resend the last callback of its invoice, transaction or payout instead.',
    );
  const { resent, why } = await guarded(context, { callback_id: callbackId }, () =>
    send(context, callback),
  );
  return why === null ? resent : { ...resent, message: `It was not delivered: ${why}.` };
}

/** The body was removed since: the resource as it is now, under the same id. */
async function rebuilt(
  context: Context,
  callback: StoredCallback,
  reported: ReportedEvent,
): Promise<StoredCallback> {
  const token = await callbackToken(context, context.db, callback.account_id);
  return { ...callback, body: bodyOf(callback.id, token, reported) };
}

async function guarded(
  context: Context,
  about: object,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    context.log.error(
      { event: 'callback_resend_failed', err: error, ...about },
      'a callback could not be sent again',
    );
    const message = 'Something went wrong on our side.';
    return {
      resent: { status: 'error', message, error: 'exception_occurred', delivery: null },
      why: null,
    };
  }
}

async function send(context: Context, callback: StoredCallback): Promise<Outcome> {
  const { db, outbound, clock } = context;
  const url = await callbackUrl(context, callback.account_id, callback.profile_id);
  if (url === null) return noUrl();
  const token = await callbackToken(context, db, callback.account_id);
  const at = clock.real();
  const result = await sendCallback(
    { id: callback.id, url, body: sentBody(callback.body), token },
    { outbound, now: at },
  );
  await record(context, callback, { url, at, result });
  const delivery = { status_code: result.status, url };
  if (result.outcome === 'delivered')
    return {
      resent: { status: 'success', message: 'The receiver took the callback.', delivery },
      why: null,
    };
  const message =
    result.status === null
      ? 'The receiver did not answer.'
      : `The receiver answered ${result.status}.`;
  return {
    resent: { status: 'error', message, error: 'callback_failed', delivery },
    why: result.error,
  };
}

const noUrl = (): Outcome => ({
  resent: {
    status: 'error',
    message: 'The profile has no callback URL.',
    error: 'no_profile_or_callback_url',
    delivery: null,
  },
  why: null,
});

async function callbackUrl(
  { db }: Context,
  accountId: string,
  profileId: string,
): Promise<string | null> {
  const profile = await db
    .selectFrom('profile')
    .select('callback_url')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirst();
  return profile?.callback_url ?? null;
}

async function findCallback(
  { db }: Context,
  resourceId: string,
  event: string,
): Promise<StoredCallback | null> {
  const { rows } = await sql<StoredCallback>`
    select account_id, id, profile_id, body from callback where resource_id = ${resourceId} and event = ${event}`.execute(
    db,
  );
  return rows[0] ?? null;
}

/**
 * One row for each delivery. A success ends the scheduled attempts; a failure uses none of them up.
 */
async function record(
  { db }: Context,
  { account_id, id }: StoredCallback,
  { url, at, result }: { url: string; at: number; result: DeliveryResult },
): Promise<void> {
  const { durationMs, status, error, answer, requestHeaders, answerHeaders, outcome } = result;
  await sql`
    with counted as (
      update callback set resends = resends + 1,
        state = case when ${outcome === 'delivered'} then 'delivered' else state end,
        finished_at_real = case when ${outcome === 'delivered'} then coalesce(finished_at_real, ${timestamp(at)}::timestamptz) else finished_at_real end
      where account_id = ${account_id} and id = ${id} returning resends)
    insert into callback_delivery (account_id, callback_id, resend, attempt, url, request_headers, at_real, duration_ms,
      status_code, answer_headers, answer, error)
    select ${account_id}, ${id}, true, resends, ${url}, ${JSON.stringify(requestHeaders)}, ${timestamp(at)}, ${durationMs},
      ${status}, ${JSON.stringify(answerHeaders)}, ${answer}, ${error}
    from counted`.execute(db);
}
