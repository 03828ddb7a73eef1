import { planConversion } from './conversion/plan.ts';
import { planFunding } from './funding/plan.ts';
import type { Context } from '../context.ts';
import { raiseAlarmAbout } from '../alarm/raise.ts';
import { hasOpenConversion } from '../conversion/store.ts';
import { startConversion } from '../conversion/start.ts';
import { timestamp, transact } from '../database/database.ts';
import {
  type Lease,
  guardLease,
  keepLease,
  releaseLease,
  waitForLease,
} from '../database/lease.ts';
import { ServiceError } from '../http/error.ts';
import { LedgerError } from '../ledger/post.ts';
import { readBalances } from './balances.ts';
import type { PlannedConversion } from './plan.ts';
import { dueRules, markRule, type RuleRow } from './rule-store.ts';

/** Rules per round. */
const LIMIT = 500;

/**
 * Evaluates every enabled automatic conversion and automatic funding once per period of
 * `AUTOMATION_INTERVAL_MINUTES` and starts their conversions. Takes a lease, so that one process
 * runs the rules at a time.
 */
export async function runAutomaticRules(
  context: Context,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { db, clock, config } = context;
  const period = periodAt(clock.now(), config.automationIntervalMinutes);
  if ((await dueRules(db, period, 1)).length === 0) return;
  const lease = await waitForLease(context.db, 'automation', context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context.db, lease);
  try {
    for (const rule of await dueRules(db, period, LIMIT)) {
      if (signal.aborted) return;
      await runRule(context, lease, rule, period);
    }
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

/** Start of the period that contains a time. */
export function periodAt(now: number, intervalMinutes: number): string {
  const intervalMs = intervalMinutes * 60_000;
  return timestamp(Math.floor(now / intervalMs) * intervalMs);
}

/** Idempotency key: a rule starts at most one conversion per period. */
export const naturalKeyOf = ({ type, id }: Pick<RuleRow, 'type' | 'id'>, period: string): string =>
  `${type}:${id}:${period}`;

/** An error is retried in the next round of the same period and does not delay other rules. */
async function runRule(
  context: Context,
  lease: Lease,
  rule: RuleRow,
  period: string,
): Promise<void> {
  try {
    const planned = await plan(context, rule);
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      // One transaction marks the rule and starts the conversion, so a crash leaves both or
      // neither.
      if (!(await markRule(trx, rule, period)) || planned === null) return;
      await startConversion(trx, context, {
        accountId: rule.account_id,
        origin: `automatic_${rule.type}`,
        naturalKey: naturalKeyOf(rule, period),
        ruleId: rule.id,
        createdBy: rule.created_by,
        approvedBy: rule.created_by,
        ...planned,
      });
    });
  } catch (error) {
    // A permanent problem: raise one alarm and retry in the next period.
    if (error instanceof ServiceError && error.reason !== 'RateUnavailable') {
      await raiseAlarmAbout(
        context,
        rule.id,
        `An automatic ${rule.type} can't be carried out: ${error.message}`,
      );
      await markRule(context.db, rule, period);
      return;
    }
    // LedgerError: the money was spent since the plan was made; the next round plans again.
    if (!(error instanceof LedgerError))
      context.log.warn(
        { event: 'automatic_rule_failed', err: error, rule_id: rule.id },
        'automatic rule failed, will retry',
      );
  }
}

/** @returns null when there is nothing to do, or the last conversion is still pending */
async function plan(context: Context, rule: RuleRow): Promise<PlannedConversion | null> {
  if (await hasOpenConversion(context.db, rule.id)) return null;
  const balances = await readBalances(context, rule.account_id);
  return rule.type === 'conversion'
    ? planConversion(context, rule, balances)
    : planFunding(context, rule, balances);
}
