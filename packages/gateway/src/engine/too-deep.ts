import type { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { nodeSetting, withSetting } from '../settings/node-setting.ts';

/** Part of each alarm about such a reorganisation, also of earlier versions. */
const TOO_DEEP = '% goes deeper than the %stored blocks%';

/** Raises an alarm that names the node's setting. `clearTooDeep` ends it. */
export async function raiseTooDeep(
  context: Context,
  { chain, message }: ReorganisationTooDeep,
): Promise<void> {
  const setting = nodeSetting(context.config, chain);
  await raiseAlarmOnce(context, chain, withSetting(message, setting));
}

/** The chains that are not read on for this reason, with the sentence of their alarm. */
export async function openTooDeep(db: Db): Promise<ReadonlyMap<ChainId, string>> {
  const { rows } = await sql<{ chain: ChainId; reason: string }>`
    select chain, reason from alarm where chain is not null and reason like ${TOO_DEEP}`.execute(
    db,
  );
  return new Map(rows.map(({ chain, reason }) => [chain, reason]));
}

/** The chain is read on, so one of the stored blocks is on it again. */
export async function clearTooDeep(
  { db }: Pick<Context, 'db'>,
  chain: ReorganisationTooDeep['chain'],
): Promise<void> {
  await sql`delete from alarm where chain = ${chain} and reason like ${TOO_DEEP}`.execute(db);
}
