import { planConversion } from '../automatic-conversion/plan.ts';
import { planFunding } from '../automatic-funding/plan.ts';
import { keepLease, waitForLease } from '../chain/scan.ts';
import type { Context } from '../context.ts';
import { raiseAlarmAbout } from '../conversion/alarm.ts';
import { hasOpenConversion } from '../conversion/store.ts';
import { startConversion } from '../conversion/start.ts';
import { timestamp, transact } from '../database/database.ts';
import { guardLease, releaseLease, type Lease } from '../database/lease.ts';
import { ServiceError } from '../http/error.ts';
import { LedgerError } from '../wallet/post.ts';
import type { Price } from './exchange.ts';
import { readHoldings } from './holdings.ts';
import type { Pair } from './pair.ts';
import { dueRules, markRule, type RuleRow } from './rule-store.ts';

/** Rules of one round; the others are for the next. */
const LIMIT = 500;

/** What a rule wants converted now. */
export interface Purchase {
  pair: Pair;
  price: Price;
}

/**
 * Looks at every enabled automatic conversion and automatic funding once in each period of `AUTOMATION_INTERVAL_MINUTES`, and starts
 * the conversions that they ask for; those are carried out with all others. One process at a time does it, under a lease.
 */
export async function automate(context: Context, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const { db, clock, config } = context;
  const period = periodAt(clock.now(), config.automationIntervalMinutes);
  if ((await dueRules(db, period, 1)).length === 0) return;
  const lease = await waitForLease(context, 'automation', context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context, lease);
  try {
    for (const rule of await dueRules(db, period, LIMIT)) {
      if (signal.aborted) return;
      await look(context, lease, rule, period);
    }
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

/** When the period began that a moment is in. */
export function periodAt(now: number, intervalMinutes: number): string {
  const intervalMs = intervalMinutes * 60_000;
  return timestamp(Math.floor(now / intervalMs) * intervalMs);
}

/** A rule converts once in each period: the same again is the same conversion. */
export const naturalKeyOf = ({ type, id }: Pick<RuleRow, 'type' | 'id'>, period: string): string => `${type}:${id}:${period}`;

/** One that goes wrong is tried again in the next round of the same period, and holds up no other. */
async function look(context: Context, lease: Lease, rule: RuleRow, period: string): Promise<void> {
  try {
    const purchase = await plan(context, rule);
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      // Looked at and started are one: after a crash both are there, or neither.
      if (!(await markRule(trx, rule, period)) || purchase === null) return;
      await startConversion(trx, context, {
        accountId: rule.account_id,
        origin: `automatic_${rule.type}`,
        naturalKey: naturalKeyOf(rule, period),
        ruleId: rule.id,
        createdBy: rule.created_by,
        approvedBy: rule.created_by,
        ...purchase,
      });
    });
  } catch (error) {
    // It can't be done as it stands, which is said once; the next period tries again.
    if (error instanceof ServiceError && error.reason !== 'RateUnavailable') {
      await raiseAlarmAbout(context, rule.id, `An automatic ${rule.type} can't be carried out: ${error.message}`);
      await markRule(context.db, rule, period);
      return;
    }
    // Somebody else took the money since we looked: the next round looks again.
    if (!(error instanceof LedgerError)) context.log.warn({ err: error, rule_id: rule.id }, 'an automatic rule is tried again');
  }
}

/** @returns null when there is nothing to do, or the last conversion is still on its way */
async function plan(context: Context, rule: RuleRow): Promise<Purchase | null> {
  if (await hasOpenConversion(context.db, rule.id)) return null;
  const holdings = await readHoldings(context, rule.account_id);
  return rule.type === 'conversion' ? planConversion(context, rule, holdings) : planFunding(context, rule, holdings);
}
