import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Rules } from '@crypto-checkout/protocol/dashboard';
import { CHAINS, kindOf, KINDS } from '@crypto-checkout/protocol/kind';
import { AUTOMATIC_PAYOUT_INTERVALS } from '@crypto-checkout/protocol/schema/automatic-payout';
import { sql } from 'kysely';
import { networkName } from '../alarm/coin-name.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { milliseconds, timestamp } from '../database/timestamp.ts';
import { naturalKeyOf, periodAt } from '../automation/run-rules.ts';
import { listRules, type RuleType, type RuleView } from '../automation/rule-store.ts';
import { whyDisabled } from '../profile/disabled-kinds.ts';
import { CHAIN_ORDER } from '../wallet/store.ts';

/** Automatic payouts, conversions and funding: their last and next runs, and the results. */
export async function readRules(context: Context, accountId: string): Promise<Rules> {
  const [payouts, conversions, fundings] = await Promise.all([
    payoutRules(context.db, accountId),
    exchangeRules(context, accountId, 'conversion'),
    exchangeRules(context, accountId, 'funding'),
  ]);
  return {
    payouts,
    conversions,
    fundings,
    coins: await coinsOf(context, accountId),
    intervals: [...AUTOMATIC_PAYOUT_INTERVALS],
  };
}

/** Each coin that a wallet of the account holds, once for all kinds with one balance. */
async function coinsOf(context: Context, accountId: string): Promise<Rules['coins']> {
  const { rows } = await sql<{ id: string; name: string; chain: string }>`
    select id, name, chain from wallet where account_id = ${accountId}
    order by created_at, array_position(${CHAIN_ORDER}::text[], chain), id`.execute(context.db);
  return rows.flatMap(({ id, name, chain }) =>
    KINDS.filter(
      (kind) =>
        kind.kind === kind.asset &&
        CHAINS[kind.chain].walletChain === chain &&
        whyDisabled(kind) === null,
    ).map(({ kind, symbol, chain: on }) => ({
      wallet_id: id,
      wallet_name: name,
      kind,
      currency: symbol,
      network: networkName(on),
    })),
  );
}

interface PayoutRule {
  id: string;
  wallet_name: string;
  kind: string;
  recipient_address: string;
  keep_amount: string;
  min_amount: string;
  interval_minutes: number;
  is_enabled: boolean;
  next_at: string;
  last_at: string | null;
  last_error: string | null;
  payout_id: string | null;
  status: string | null;
  total: string | null;
  asset: string;
}

async function payoutRules(db: Db, accountId: string) {
  const { rows } = await sql<PayoutRule>`
    select r.id, w.name as wallet_name, r.kind, r.recipient_address, r.keep_amount, r.min_amount, r.interval_minutes, r.is_enabled, r.next_at,
      r.last_at, r.last_error, p.id as payout_id, p.status, p.total, r.asset
    from automatic_payout r join wallet w on w.account_id = r.account_id and w.id = r.wallet_id left join payout p on p.id = r.last_payout_id
    where r.account_id = ${accountId} order by r.number`.execute(db);
  return rows.map(({ interval_minutes, last_error, payout_id, status, total, asset, ...rule }) => ({
    ...rule,
    keep_amount: plain(rule.keep_amount),
    min_amount: plain(rule.min_amount),
    every_minutes: interval_minutes,
    next_at: rule.is_enabled ? rule.next_at : null,
    last: status === null ? null : { status, ...inCoin(total!, asset), payout_id },
    error: last_error,
  }));
}

async function exchangeRules({ db, config, clock }: Context, accountId: string, type: RuleType) {
  const rules = await listRules(db, accountId, type);
  const everyMinutes = config.automationIntervalMinutes;
  const period = periodAt(clock.now(), everyMinutes);
  const [last, errors] = await Promise.all([lastConversions(db, rules), alarmsAbout(db, rules)]);
  return rules.map((rule) => ({
    id: rule.id,
    wallet_name: rule.from_wallet_name,
    kind: rule.from_kind,
    to_wallet_name: rule.to_wallet_name,
    to_kind: rule.to_kind,
    keep_amount: rule.keep_amount,
    min_amount: rule.min_amount,
    max_amount: rule.max_amount,
    every_minutes: everyMinutes,
    is_enabled: rule.is_enabled,
    last_at: rule.period,
    next_at: rule.is_enabled ? nextOf(rule, period, { everyMinutes, now: clock.now() }) : null,
    last: last.get(rule.id) ?? null,
    error: errors.get(rule.id) ?? null,
  }));
}

/** A rule that was not evaluated in this period is due. */
function nextOf(
  { period: last }: RuleView,
  period: string,
  { everyMinutes, now }: { everyMinutes: number; now: number },
): string {
  return last === null || last < period
    ? timestamp(now)
    : timestamp(milliseconds(period) + everyMinutes * 60_000);
}

/** The result of each rule's latest period. */
async function lastConversions(db: Db, rules: readonly RuleView[]) {
  const keys = rules.flatMap((rule) =>
    rule.period === null ? [] : [naturalKeyOf(rule, rule.period)],
  );
  const { rows } = await sql<{
    rule_id: string;
    status: string;
    amount: string;
    from_asset: string;
  }>`
    select rule_id, status, amount, from_asset from conversion where natural_key = any(${keys}::text[])`.execute(
    db,
  );
  return new Map(
    rows.map(({ rule_id, status, amount, from_asset }) => [
      rule_id,
      { status, ...inCoin(amount, from_asset), payout_id: null },
    ]),
  );
}

/** The reason of a failure is in an alarm until it is dismissed. */
async function alarmsAbout(
  db: Db,
  rules: readonly RuleView[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rules.map(({ id }) => id);
  const { rows } = await sql<{ resource_id: string; reason: string }>`
    select resource_id, reason from alarm where resource_id = any(${ids}::uuid[]) order by raised_at`.execute(
    db,
  );
  return new Map(rows.map(({ resource_id, reason }) => [resource_id, reason]));
}

const plain = (amount: string): string => formatAmount(parseAmount(amount));
const inCoin = (amount: string, asset: string) => ({
  amount: plain(amount),
  currency: kindOf(asset)?.symbol ?? asset,
});
