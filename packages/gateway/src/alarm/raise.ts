import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';

/** Raises an alarm for the operator, in the caller's database transaction. */
export async function raiseAlarm(
  trx: Trx,
  alarm: {
    id: string;
    chain: string | null;
    resource_id: string | null;
    reason: string;
    raised_at: string;
  },
): Promise<void> {
  await trx.insertInto('alarm').values(alarm).execute();
}

/**
 * Raises an alarm about a resource, unless the same alarm about it is open already.
 * @param funding coins that end it when they are sent; the newest amount is kept. Default: none
 */
export async function raiseAlarmAbout(
  { db, ids, clock }: Context,
  resourceId: string,
  reason: string,
  funding: AlarmFunding | null = null,
): Promise<void> {
  const needed = funding === null ? null : JSON.stringify(funding);
  await sql`
    insert into alarm (id, resource_id, reason, raised_at, funding)
    select ${ids.uuid()}, ${resourceId}, ${reason}, ${timestamp(clock.now())}, ${needed}::jsonb
    where not exists (select 1 from alarm where resource_id = ${resourceId} and reason = ${reason})`.execute(
    db,
  );
  if (needed === null) return;
  await sql`
    update alarm set funding = ${needed}::jsonb
    where resource_id = ${resourceId} and reason = ${reason} and funding is distinct from ${needed}::jsonb`.execute(
    db,
  );
}

/**
 * Raises an operator alarm once per chain and reason.
 * @param funding coins that end it when they are sent; the newest amount is kept. Default: none
 */
export async function raiseAlarmOnce(
  { db, ids, clock }: Pick<Context, 'db' | 'ids' | 'clock'>,
  chain: ChainId,
  reason: string,
  funding: AlarmFunding | null = null,
): Promise<void> {
  const needed = funding === null ? null : JSON.stringify(funding);
  await sql`
    insert into alarm (id, chain, reason, raised_at, funding)
    select ${ids.uuid()}, ${chain}, ${reason}, ${timestamp(clock.now())}, ${needed}::jsonb
    where not exists (select 1 from alarm where chain = ${chain} and reason = ${reason})`.execute(
    db,
  );
  if (needed === null) return;
  await sql`
    update alarm set funding = ${needed}::jsonb
    where chain = ${chain} and reason = ${reason} and funding is distinct from ${needed}::jsonb`.execute(
    db,
  );
}

/** Raises an alarm once per chain and reason while its cause lasts, and removes it afterwards. */
export async function raiseWhile(
  context: Pick<Context, 'db' | 'ids' | 'clock'>,
  chain: ChainId,
  reason: string,
  lasts: boolean,
): Promise<void> {
  if (lasts) return raiseAlarmOnce(context, chain, reason);
  await sql`delete from alarm where chain = ${chain} and reason = ${reason}`.execute(context.db);
}
