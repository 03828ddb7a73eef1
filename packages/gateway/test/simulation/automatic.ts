import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { runAutomaticPayouts } from '../../src/automatic-payout/run.ts';
import { automate } from '../../src/exchange/automate.ts';
import type { Arena } from './arena.ts';
import { Broken } from './broken.ts';

interface Started {
  id: string;
  asset: string;
  amount: string;
  /** Of the rule that started it. */
  keep: string;
  max: string | null;
  /** What others that were started with it hold of the same coin; a rule answers for its own only. */
  others: string;
  available: string;
}

/** Lets the rules do what they do, and looks whether what each one keeps was kept. */
export async function runRules({ context }: Arena): Promise<void> {
  const { db } = context;
  const conversions = await last(db, 'conversion');
  await automate(context);
  requireKept(
    'an automatic conversion keeps what it keeps',
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

/** The same for automatic payouts. */
export async function runPayoutRules({ context }: Arena): Promise<void> {
  const { db } = context;
  const payouts = await last(db, 'payout');
  await runAutomaticPayouts(context);
  requireKept(
    'an automatic payout keeps what it keeps',
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

async function last(db: Arena['context']['db'], table: 'conversion' | 'payout'): Promise<number> {
  const { rows } = await sql<{ number: number }>`select coalesce(max(number), 0) as number from ${sql.table(table)}`.execute(db);
  return rows[0]!.number;
}

function requireKept(rule: string, started: readonly Started[]): void {
  for (const one of started) {
    const left = parseAmount(one.available) + parseAmount(one.others);
    if (left < parseAmount(one.keep)) throw new Broken(rule, one);
    if (one.max !== null && parseAmount(one.amount) > parseAmount(one.max)) throw new Broken('a rule moves at most max_amount', one);
  }
}
