import { sql } from 'kysely';
import { callbackToken } from '../account/callback-token.ts';
import { sendCallback, type DeliveryResult } from '../callback/send.ts';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import type { PayoutView } from './store.ts';

/** §4.3: as for transactions, except that the details are named `response`. */
export interface Resent {
  status: 'success' | 'error' | 'pending';
  message: string;
  error?: 'no_profile_or_callback_url' | 'callback_failed' | 'exception_occurred';
  response: { status_code: number | null; url: string } | null;
}

interface LastCallback {
  id: string;
  body: string;
}

/** Sends the last callback of a payout again, with the same id and bytes, to where the profile says now. */
export async function resendCallback(context: Context, payout: PayoutView): Promise<Resent> {
  try {
    return await resend(context, payout);
  } catch (error) {
    context.log.error({ err: error, payout_id: payout.id }, 'a callback could not be sent again');
    return { status: 'error', message: 'Something went wrong on our side.', error: 'exception_occurred', response: null };
  }
}

async function resend(context: Context, payout: PayoutView): Promise<Resent> {
  const { db, outbound, clock } = context;
  const url = await callbackUrl(context, payout);
  if (url === null)
    return { status: 'error', message: 'The profile has no callback URL.', error: 'no_profile_or_callback_url', response: null };
  const last = await lastCallback(context, payout);
  if (last === null) return { status: 'pending', message: 'There is no callback of this payout yet.', response: null };
  const token = await callbackToken(context, db, payout.account_id);
  const at = clock.real();
  const result = await sendCallback({ id: last.id, url, body: last.body, token }, { outbound, now: at });
  await record(context, payout.account_id, last.id, result, at);
  const response = { status_code: result.status, url };
  if (result.outcome === 'delivered') return { status: 'success', message: 'The receiver took the callback.', response };
  const message = result.status === null ? 'The receiver did not answer.' : `The receiver answered ${result.status}.`;
  return { status: 'error', message, error: 'callback_failed', response };
}

async function callbackUrl({ db }: Context, { account_id, profile_id }: PayoutView): Promise<string | null> {
  const profile = await db
    .selectFrom('profile')
    .select('callback_url')
    .where('account_id', '=', account_id)
    .where('id', '=', profile_id)
    .executeTakeFirst();
  return profile?.callback_url ?? null;
}

async function lastCallback({ db }: Context, { id, account_id, events }: PayoutView): Promise<LastCallback | null> {
  const { rows } = await sql<LastCallback>`
    select id, body from callback where account_id = ${account_id} and resource_id = ${id}
    order by array_position(${events}::text[], event) desc nulls last limit 1`.execute(db);
  return rows[0] ?? null;
}

/** One row for each delivery; one that was taken needs no further attempts. */
async function record({ db }: Context, accountId: string, id: string, result: DeliveryResult, at: number): Promise<void> {
  const taken = result.outcome === 'delivered';
  await transact(db, async (trx) => {
    const { rows } = await sql<{ attempts: number }>`
      update callback set attempts = attempts + 1,
        state = case when ${taken} then 'delivered' else state end,
        locked_by = case when ${taken} then null else locked_by end,
        finished_at_real = case when ${taken} then ${timestamp(at)}::timestamptz else finished_at_real end
      where account_id = ${accountId} and id = ${id} returning attempts`.execute(trx);
    await sql`
      insert into callback_delivery (account_id, callback_id, attempt, at_real, duration_ms, status_code, error, answer)
      values (${accountId}, ${id}, ${rows[0]!.attempts}, ${timestamp(at)}, ${result.durationMs}, ${result.status}, ${result.error}, ${result.answer})
      on conflict do nothing`.execute(trx);
  });
}
