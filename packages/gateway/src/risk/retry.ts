import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import { raiseAlarm } from '../alarm/raise.ts';
import { LedgerError } from '../ledger/post.ts';
import { RISK_ANALYSIS } from '../transaction/create.ts';
import { checkRisk } from './assess.ts';
import { changeTransaction } from './change-transaction.ts';
import { claimChecks, endChecks, type DueCheck } from './store.ts';
import type { RiskFinding } from '../transaction/assessment.ts';

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;
/** Retries for about half a day, then raises an alarm. */
const MAX_TRIES = 20;
const LIMIT = 50;
const AT_ONCE = 8;

/** Real time of the next retry: 5 s, doubled each time, at most one hour. */
export const retryAt = (tries: number, now: number): number =>
  now + Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS);

/**
 * Retries failed risk checks, oldest first, with limited concurrency.
 * @returns the number of due checks
 */
export async function retryRiskChecks(context: Context): Promise<number> {
  const now = context.clock.real();
  const retryTimes = Array.from({ length: MAX_TRIES }, (_, tries) =>
    timestamp(retryAt(tries + 1, now)),
  );
  const due = await claimChecks(context.db, timestamp(now), retryTimes, LIMIT);
  const waiting = [...due];
  const next = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift())
      await retry(context, check);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return due.length;
}

async function retry(context: Context, due: DueCheck): Promise<void> {
  const { chain, network, asset, txid, address, conflicts } = due;
  const facts = {
    chain,
    network,
    asset,
    txid,
    address,
    amount: parseAmount(due.amount),
    inputs: conflicts,
  };
  const { risk, riskFailed } = await checkRisk(context, facts);
  if (riskFailed) {
    if (due.tries >= MAX_TRIES)
      await stopRetrying(
        context,
        due,
        'The risk check of a transaction failed repeatedly and is not retried any more.',
      );
    return;
  }
  if (risk === null) return endChecks(context.db, due.id);
  try {
    await apply(context, due, risk);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // Spent meanwhile, so it cannot be held: save the level and raise an alarm.
    await apply(context, due, { ...risk, quarantine: false });
    await stopRetrying(
      context,
      due,
      'A risk check requires holding a transaction whose money was already spent.',
    );
  }
}

async function apply(
  context: Context,
  { account_id, id }: DueCheck,
  { level, data, quarantine }: RiskFinding,
): Promise<void> {
  await changeTransaction(context, account_id, id, (row) => {
    row.risk_level = level;
    row.risk_data = data;
    // An operator's release stands, and complete transactions cannot be held.
    if (!quarantine || row.quarantined || row.released_by !== null || row.status === 'complete')
      return;
    row.quarantined = true;
    row.quarantined_by = RISK_ANALYSIS;
  });
  await endChecks(context.db, id);
}

async function stopRetrying(
  context: Context,
  { id, chain }: DueCheck,
  reason: string,
): Promise<void> {
  const alarm = {
    id: context.ids.uuid(),
    chain,
    resource_id: id,
    reason,
    raised_at: timestamp(context.clock.now()),
  };
  await context.db.transaction().execute(async (trx) => {
    await endChecks(trx, id);
    await raiseAlarm(trx, alarm);
  });
}
