import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';

/** For the operator, about a conversion or payout; the same is said once, not with every look. */
export async function raiseAlarmAbout({ db, ids, clock, log }: Context, resourceId: string, reason: string): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into alarm (id, resource_id, reason, raised_at)
    select ${ids.uuid()}, ${resourceId}, ${reason}, ${timestamp(clock.now())}
    where not exists (select 1 from alarm where resource_id = ${resourceId} and reason = ${reason})`.execute(db);
  if (numAffectedRows === 1n) log.warn({ resource_id: resourceId }, reason);
}
