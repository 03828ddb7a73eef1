import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';
import { raiseAlarmOnce } from './raise.ts';

/** Longer than the time until any cause is looked at again. */
const LAPSE_MS = 20 * 60 * 1000;

/**
 * Raises an alarm whose cause is met again in each round while it lasts. It lapses when the cause
 * was not met for twenty minutes.
 * @param funding coins that end it when they are sent. Default: none
 */
export async function raiseRecurring(
  context: Pick<Context, 'db' | 'ids' | 'clock'>,
  chain: ChainId,
  reason: string,
  funding: AlarmFunding | null = null,
): Promise<void> {
  const { db, clock } = context;
  await raiseAlarmOnce(context, chain, reason, funding);
  const now = clock.now();
  // Not in each round: half of the time is kept.
  await sql`
    update alarm set lapses_at = ${timestamp(now + LAPSE_MS)}
    where chain = ${chain} and reason = ${reason}
      and (lapses_at is null or lapses_at < ${timestamp(now + LAPSE_MS / 2)})`.execute(db);
}

/**
 * Removes recurring alarms that lapsed. Only for chains whose round looked at every cause: a node
 * that does not answer ends no cause.
 * @param beginnings of the sentences
 */
export async function clearLapsed(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  chains: { on: ChainId } | { notOn: readonly ChainId[] },
  beginnings: readonly string[],
): Promise<void> {
  const where =
    'on' in chains ? sql`chain = ${chains.on}` : sql`chain <> all(${[...chains.notOn]}::text[])`;
  await sql`
    delete from alarm where ${where} and lapses_at < ${timestamp(clock.now())}
      and exists (select from unnest(${[...beginnings]}::text[]) b where starts_with(reason, b))`.execute(
    db,
  );
}
