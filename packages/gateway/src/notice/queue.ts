import { EMAIL_EVENTS, resourceOf } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import type { ReportedEvent } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { noticeContent } from './content.ts';

/** The notices that a profile asks for. */
export interface Subscriber {
  name: string;
  notification_email: string | null;
  notification_email_kinds: readonly string[];
}

const POSSIBLE: ReadonlySet<string> = new Set(EMAIL_EVENTS);
/** Profiles that were logged for a missing mail server. */
const logged = new WeakSet<Context['config']>();

/**
 * Records e-mail notices in the transaction of the change: at most one for each resource and event.
 * Without `SMTP_URL` none are recorded, which is logged once.
 */
export async function queueNotices(
  trx: Trx,
  context: Context,
  events: readonly ReportedEvent[],
  profiles: ReadonlyMap<string, Subscriber>,
): Promise<void> {
  const at = timestamp(context.clock.real());
  const rows = events.flatMap(({ accountId, profileId, id, event, shown }) => {
    const profile = profiles.get(profileId);
    if (
      !profile?.notification_email ||
      !POSSIBLE.has(event) ||
      !profile.notification_email_kinds.includes(event)
    )
      return [];
    const recipient = profile.notification_email;
    const content = noticeContent(event, shown, profile.name);
    const resource = resourceOf(event);
    return [
      {
        account_id: accountId,
        id: context.ids.uuid(),
        resource,
        resource_id: id,
        event,
        profile_id: profileId,
        recipient,
        content,
        at,
      },
    ];
  });
  if (rows.length === 0) return;
  if (context.config.smtpUrl === null) return logOnce(context);
  await sql`
    insert into notice (account_id, id, resource, resource_id, event, profile_id, recipient, content, next_at_real, created_at_real)
    select account_id, id, resource, resource_id, event, profile_id, recipient, content, at, at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(account_id uuid, id uuid, resource text, resource_id uuid, event text,
      profile_id uuid, recipient text, content jsonb, at timestamptz)
    on conflict (resource_id, event) do nothing`.execute(trx);
}

function logOnce({ config, log }: Context): void {
  if (logged.has(config)) return;
  logged.add(config);
  log.warn(
    { event: 'notices_not_sent' },
    'a profile wants e-mail notices, and none are sent: SMTP_URL is not set',
  );
}
