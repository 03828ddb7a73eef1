import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { runAutomaticPayouts } from '../../src/automation/payout/run.ts';
import { runAutomaticRules } from '../../src/automation/run-rules.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';
import { InvariantViolation } from './invariant-violation.ts';

interface Started {
  id: string;
  asset: string;
  amount: string;
  /** `keep_amount` of the rule that created it. */
  keep: string;
  max: string | null;
  /**
   * Amounts of the same coin held by others created in the same run; a rule accounts for its own
   * only.
   */
  others: string;
  available: string;
}

/**
 * Runs the automatic conversions and fundings, and checks that each rule leaves its `keep_amount`.
 */
export async function runConversionRules({ context }: SimulatedGateway): Promise<void> {
  const { db } = context;
  const conversions = await last(db, 'conversion');
  await runAutomaticRules(context);
  checkKeepAmounts(
    'an automatic conversion leaves keep_amount',
    (
      await sql<Started>`
        select v.id, v.from_asset as asset, v.amount::text as amount, r.keep_amount as keep, r.max_amount as max, b.amount::text as available,
          coalesce((select sum(o.amount) from conversion o where o.number > ${conversions} and o.id <> v.id
            and o.from_wallet_id = v.from_wallet_id and o.from_asset = v.from_asset), 0)::text as others
        from conversion v join automatic_rule r on r.id = v.rule_id and r.type = 'conversion'
        join balance b on b.wallet_id = v.from_wallet_id and b.currency = v.from_asset and b.bucket = 'available'
        where v.number > ${conversions}`.execute(db)
    ).rows,
  );
}

/** Runs the automatic payouts, and checks that each rule leaves its `keep_amount`. */
export async function runPayoutRules({ context }: SimulatedGateway): Promise<void> {
  const { db } = context;
  const payouts = await last(db, 'payout');
  await runAutomaticPayouts(context);
  checkKeepAmounts(
    'an automatic payout leaves keep_amount',
    (
      await sql<Started>`
        select p.id, p.asset, p.total::text as amount, r.keep_amount as keep, null as max, b.amount::text as available,
          coalesce((select sum(o.fee_reserve) from payout o where o.number > ${payouts} and o.fee_asset = p.asset and o.asset <> p.asset
            and o.wallet_id = p.wallet_id), 0)::text as others
        from payout p join automatic_payout r on r.wallet_id = p.wallet_id and r.asset = p.asset
        join balance b on b.wallet_id = p.wallet_id and b.currency = p.asset and b.bucket = 'available'
        where p.number > ${payouts} and p.hold = 'held'`.execute(db)
    ).rows,
  );
}

async function last(
  db: SimulatedGateway['context']['db'],
  table: 'conversion' | 'payout',
): Promise<number> {
  const { rows } = await sql<{
    number: number;
  }>`select coalesce(max(number), 0) as number from ${sql.table(table)}`.execute(db);
  return rows[0]!.number;
}

function checkKeepAmounts(rule: string, started: readonly Started[]): void {
  for (const one of started) {
    const left = parseAmount(one.available) + parseAmount(one.others);
    if (left < parseAmount(one.keep)) throw new InvariantViolation(rule, one);
    if (one.max !== null && parseAmount(one.amount) > parseAmount(one.max))
      throw new InvariantViolation('an automatic rule moves at most max_amount', one);
  }
}
