import { createHmac } from 'node:crypto';
import { signCallback } from '@crypto-checkout/protocol/callback';
import { resourceOf, type Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { afterCommit, timestamp, type Trx } from '../database/database.ts';
import { queueNotices, type Subscriber } from '../notice/queue.ts';
import { tellCallbacksQueued } from './signal.ts';

/** Something that happened to a resource and is to be told. */
export interface ReportedEvent {
  accountId: string;
  profileId: string;
  /** Of the resource. */
  id: string;
  event: Event;
  /** The resource as a GET shows it at this version. */
  shown: object;
}

interface ProfileRow extends Subscriber {
  id: string;
  callback_url: string | null;
}

/**
 * Records callbacks in the transaction of the change that they report, all in one statement. A resource tells each event once:
 * the same again changes nothing, and without a callback address on the profile nothing is queued. E-mail notices that the profile
 * wants are recorded beside them.
 */
export async function queueCallbacks(trx: Trx, context: Context, events: readonly ReportedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const profiles = await profilesOf(trx, events);
  await queueNotices(trx, context, events, profiles);
  const at = timestamp(context.clock.real());
  const rows: object[] = [];
  for (const reported of events) {
    const url = profiles.get(reported.profileId)?.callback_url;
    if (!url) continue;
    const id = context.ids.uuid();
    const { accountId: account_id, profileId: profile_id, id: resource_id, event } = reported;
    rows.push({
      account_id,
      id,
      resource: resourceOf(event),
      resource_id,
      event,
      profile_id,
      url,
      body: await bodyOf(trx, context, id, reported),
      at,
    });
  }
  if (rows.length === 0) return;
  await insert(trx, rows);
  afterCommit(trx, tellCallbacksQueued);
}

async function profilesOf(trx: Trx, events: readonly ReportedEvent[]): Promise<Map<string, ProfileRow>> {
  const accounts = [...new Set(events.map(({ accountId }) => accountId))];
  const ids = [...new Set(events.map(({ profileId }) => profileId))];
  const { rows } = await sql<ProfileRow>`
    select id, name, callback_url, notification_email, notification_email_kinds from profile where account_id = any(${accounts}::uuid[]) and id = any(${ids}::uuid[])`.execute(
    trx,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The exact bytes that are sent, now and on every retry: the resource under `result` and, for receivers that read only that, under its name. */
async function bodyOf(trx: Trx, context: Context, callbackId: string, { accountId, event, shown }: ReportedEvent): Promise<string> {
  const token = await callbackToken(context, trx, accountId);
  const signature = await signCallback(callbackId, token, (key, message) => createHmac('sha256', key).update(message).digest());
  return JSON.stringify({ callback_id: callbackId, callback_status: event, signature, result: shown, [resourceOf(event)]: shown });
}

async function insert(trx: Trx, rows: readonly object[]): Promise<void> {
  await sql`
    insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, next_at_real, created_at_real)
    select account_id, id, resource, resource_id, event, profile_id, url, body, at, at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(account_id uuid, id uuid, resource text, resource_id uuid, event text,
      profile_id uuid, url text, body text, at timestamptz)
    on conflict (resource_id, event) do nothing`.execute(trx);
}
