import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import { raiseAlarm } from '../transaction/store.ts';
import { LedgerError } from '../wallet/post.ts';
import { RISK_ANALYSIS } from '../transaction/observe.ts';
import { askRisk } from './assess.ts';
import { changeTransaction } from './change.ts';
import { claimChecks, endChecks, type DueCheck } from './store.ts';
import type { RiskFinding } from './check.ts';

const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
/** About half a day; then an operator has to look. */
const MAX_TRIES = 20;
const LIMIT = 50;
const AT_ONCE = 8;

/** Real time of the next try after so many: 5 s, doubled each time, at most an hour. */
export const retryAt = (tries: number, now: number): number => now + Math.min(FIRST_MS * 2 ** tries, LONGEST_MS);

/**
 * Asks again about payments whose analysis failed, in order and a bounded number at a time.
 * @returns how many were due
 */
export async function retryRiskChecks(context: Context): Promise<number> {
  const now = context.clock.real();
  const again = Array.from({ length: MAX_TRIES }, (_, tries) => timestamp(retryAt(tries + 1, now)));
  const due = await claimChecks(context.db, timestamp(now), again, LIMIT);
  const waiting = [...due];
  const next = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await retry(context, check);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return due.length;
}

async function retry(context: Context, due: DueCheck): Promise<void> {
  const { chain, network, asset, txid, address, conflicts } = due;
  const facts = { chain, network, asset, txid, address, amount: parseAmount(due.amount), inputs: conflicts };
  const { risk, riskFailed } = await askRisk(context, facts);
  if (riskFailed) {
    if (due.tries >= MAX_TRIES) await giveUp(context, due, 'The risk of a transaction could not be analysed; nobody is asked again.');
    return;
  }
  if (risk === null) return endChecks(context.db, due.id);
  try {
    await apply(context, due, risk);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // It was spent meanwhile, so it can't be held: its level is told, and somebody has to look.
    await apply(context, due, { ...risk, quarantine: false });
    await giveUp(context, due, 'A transaction is to be held by risk analysis, but its money was spent already.');
  }
}

async function apply(context: Context, { account_id, id }: DueCheck, { level, data, quarantine }: RiskFinding): Promise<void> {
  await changeTransaction(context, account_id, id, (row) => {
    row.risk_level = level;
    row.risk_data = data;
    // Somebody looked at it and let it go; what is complete stays so.
    if (!quarantine || row.quarantined || row.released_by !== null || row.status === 'complete') return;
    row.quarantined = true;
    row.quarantined_by = RISK_ANALYSIS;
  });
  await endChecks(context.db, id);
}

async function giveUp(context: Context, { id, chain }: DueCheck, reason: string): Promise<void> {
  const alarm = { id: context.ids.uuid(), chain, resource_id: id, reason, raised_at: timestamp(context.clock.now()) };
  await context.db.transaction().execute(async (trx) => {
    await endChecks(trx, id);
    await raiseAlarm(trx, alarm);
  });
  context.log.error({ transactionId: id, chain }, reason);
}
