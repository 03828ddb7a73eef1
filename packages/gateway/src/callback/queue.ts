import { resourceOf, type Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { hmacHex } from '../hmac.ts';
import { afterCommit, timestamp, type Trx } from '../database/database.ts';
import { recordset } from '../database/recordset.ts';
import { queueNotices, type Subscriber } from '../notice/queue.ts';
import { notifyCallbacksQueued } from './signal.ts';
import { storedBody } from './stored-body.ts';

/** An event of a resource that its callbacks report. */
export interface ReportedEvent {
  accountId: string;
  profileId: string;
  /** Id of the resource. */
  id: string;
  event: Event;
  /** The resource at this version, as a GET shows it. */
  shown: object;
}

interface ProfileRow extends Subscriber {
  id: string;
  callback_url: string | null;
}

/** Profiles with callbacks, and the secrets that sign them. */
export interface Subscribers {
  profiles: ReadonlyMap<string, ProfileRow>;
  /** Callback tokens by account. */
  tokens: ReadonlyMap<string, string>;
}

/**
 * Everything that `queueCallbacks` needs to read; callers load it beforehand so that nothing waits
 * inside the transaction.
 */
export async function subscribersOf(
  trx: Trx,
  context: Context,
  events: readonly { accountId: string; profileId: string }[],
): Promise<Subscribers> {
  const accounts = [...new Set(events.map(({ accountId }) => accountId))];
  const ids = [...new Set(events.map(({ profileId }) => profileId))];
  if (ids.length === 0) return { profiles: new Map(), tokens: new Map() };
  const { rows } = await sql<ProfileRow>`
    select id, name, callback_url, notification_email, notification_email_kinds from profile where account_id = any(${accounts}::uuid[]) and id = any(${ids}::uuid[])`.execute(
    trx,
  );
  const tokens = new Map<string, string>();
  for (const account of accounts) tokens.set(account, await callbackToken(context, trx, account));
  return { profiles: new Map(rows.map((row) => [row.id, row])), tokens };
}

/**
 * Records callbacks in the transaction of the change that they report, in one statement. Each event
 * of a resource is recorded once; repeating it changes nothing. Without a callback address on the
 * profile none is recorded. The profile's e-mail notices are recorded with them.
 */
export async function queueCallbacks(
  trx: Trx,
  context: Context,
  events: readonly ReportedEvent[],
  subscribers?: Subscribers,
): Promise<void> {
  if (events.length === 0) return;
  const { profiles, tokens } = subscribers ?? (await subscribersOf(trx, context, events));
  await queueNotices(trx, context, events, profiles);
  const rows = events.flatMap((reported) => {
    const url = profiles.get(reported.profileId)?.callback_url;
    const token = tokens.get(reported.accountId);
    if (!url || token === undefined) return [];
    const id = context.ids.uuid();
    const { accountId: account_id, profileId: profile_id, id: resource_id, event } = reported;
    return [
      {
        account_id,
        id,
        resource: resourceOf(event),
        resource_id,
        event,
        profile_id,
        url,
        body: bodyOf(id, token, reported),
      },
    ];
  });
  if (rows.length === 0) return;
  await insert(trx, rows, timestamp(context.clock.real()));
  afterCommit(trx, notifyCallbacksQueued);
}

/** The stored form of the body of a callback. */
export function bodyOf(id: string, token: string, { event, shown }: ReportedEvent): string {
  const signature = hmacHex(token, id);
  return storedBody(
    { callback_id: id, callback_status: event, signature },
    resourceOf(event),
    shown,
  );
}

const newRows = recordset({
  account_id: 'uuid',
  id: 'uuid',
  resource: 'text',
  resource_id: 'uuid',
  event: 'text',
  profile_id: 'uuid',
  url: 'text',
  body: 'text',
});

async function insert(trx: Trx, rows: Parameters<typeof newRows>[0], at: string): Promise<void> {
  await sql`
    insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, next_at_real, created_at_real)
    select account_id, id, resource, resource_id, event, profile_id, url, body, ${at}, ${at} from ${newRows(rows)} as r
    on conflict (resource_id, event) do nothing`.execute(trx);
}
