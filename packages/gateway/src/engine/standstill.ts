import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import type { Context } from '../context.ts';
import { type Db } from '../database/database.ts';
import { readScanStates } from '../http/monitoring/chain-state.ts';
import { nodeSetting, withSetting } from '../settings/node-setting.ts';
import { failureSentence } from '../worker/failure-sentence.ts';

/** Each alarm about a standstill begins with it. */
const STANDSTILL = 'The scan has stood still for more than ';

/** The sentence for a scan that finds nothing new because its node is behind. */
export const LAGGING = 'The node does not have the blocks that were read before';

/**
 * Raises an alarm for each chain whose scan stands still, with the last error, and removes it when
 * the scan goes on. Any process may have scanned.
 * @example repeat('standstill', 5_000, watchStandstill(context));
 */
export function watchStandstill(context: Context): () => Promise<void> {
  const { config, clock, db } = context;
  const startedAt = clock.real();
  const minutes = config.scanAlarmMinutes;
  return async () => {
    const states = await readScanStates(context, startedAt);
    for (const [chain, { scanned_age_seconds: age, failure }] of states) {
      if (age <= minutes * 60) continue;
      const reason =
        failure === null
          ? 'no process reads the chain'
          : withSetting(failure, nodeSetting(config, chain));
      const time = minutes === 1 ? 'a minute' : `${minutes} minutes`;
      await raise(context, chain, `${STANDSTILL}${time}: ${reason}`);
    }
    const going = [...states].filter(([, { scanned_age_seconds: age }]) => age < RECENT_SECONDS);
    await clear(
      db,
      going.map(([chain]) => chain),
    );
  };
}

/** A scan that succeeded within this time goes on. */
const RECENT_SECONDS = 60;

/** One alarm for each chain; it always has the last error. */
async function raise(context: Context, chain: ChainId, reason: string): Promise<void> {
  await sql`
    update alarm set reason = ${reason}
    where chain = ${chain} and starts_with(reason, ${STANDSTILL}) and reason <> ${reason}`.execute(
    context.db,
  );
  await raiseAlarmOnce(context, chain, reason);
}

async function clear(db: Db, chains: readonly ChainId[]): Promise<void> {
  const listed = sql`chain = any(${[...chains]}::text[])`;
  await sql`delete from alarm where ${listed} and starts_with(reason, ${STANDSTILL})`.execute(db);
  await sql`delete from scan_failure where ${listed}`.execute(db);
}

/** Keeps why a scan failed, for the alarm; the process that raises it may be another. */
export async function saveScanFailure(db: Db, chain: ChainId, error: unknown): Promise<void> {
  const reason =
    typeof error === 'string'
      ? error
      : (failureSentence(error) ?? 'an unexpected error, which the log has');
  await sql`
    insert into scan_failure (chain, reason, failed_at_real)
    values (${chain}, ${reason}, clock_timestamp())
    on conflict (chain) do update set reason = excluded.reason, failed_at_real = excluded.failed_at_real
    where scan_failure.reason <> excluded.reason`.execute(db);
}
