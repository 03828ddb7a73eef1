import { formatAmount, parseAmount, roundDown } from '@crypto-checkout/protocol/amount';
import { withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import type { Attention, Group } from '@crypto-checkout/protocol/dashboard';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { sql, type RawBuilder } from 'kysely';
import { presentAlarm } from '../alarm/present.ts';
import { raisedAlarms } from '../alarm/store.ts';
import { failingReceivers } from '../callback/waiting.ts';
import type { Context } from '../context.ts';
import { convert } from '../rate/convert.ts';
import { selectWaitingFunds } from '../unassigned/store.ts';

/** Items listed of each sort; the count shows how many there are. */
const NAMED = 20;

/** Items that need operator action: none of them continues by itself. */
export async function readAttention({ db, rates }: Context, accountId: string): Promise<Attention> {
  const group = async <T extends { count?: number }>(
    query: RawBuilder<T>,
  ): Promise<Group<Omit<T, 'count'>>> => {
    const { rows } = await query.execute(db);
    const count = rows[0]?.count ?? 0;
    for (const row of rows) delete row.count;
    return { count, items: rows };
  };
  const [toApprove, refunds, waiting, callbacks, receivers, quarantined, alarms, unassigned] =
    await Promise.all([
      group(drafts(accountId)),
      group(requestedRefunds(accountId)),
      group(payouts(accountId, ['awaiting_funds', 'awaiting_policies'])),
      group(failedCallbacks(accountId)),
      group(failingReceivers(accountId, NAMED)),
      group(quarantinedTransactions(accountId)),
      group(raisedAlarms(accountId, NAMED)),
      group(selectWaitingFunds(accountId, NAMED)),
    ]);
  return {
    drafts: await withWorth(inCoin(toApprove), rates),
    refunds: inCoin(refunds),
    waiting: inCoin(waiting),
    callbacks,
    receivers,
    quarantined: inCoin(quarantined),
    alarms: { ...alarms, items: alarms.items.map(presentAlarm) },
    unassigned: inCoin(unassigned),
  };
}

/** Amounts with the symbol of their coin. */
function inCoin<T extends { amount: string; asset: string }>({
  count,
  items,
}: Group<T>): Group<Omit<T, 'asset'> & { currency: string }> {
  return {
    count,
    items: items.map(({ asset, ...item }) => ({
      ...item,
      amount: formatAmount(parseAmount(item.amount)),
      currency: kindOf(asset)?.symbol ?? asset,
    })),
  };
}

/**
 * The coin amount was rounded down when it was bought; cutting the fiat amount off again would show
 * a cent less.
 */
const HALF_A_CENT = parseAmount('0.005');

/** The current value of a payout; without a rate it can still be decided. */
async function withWorth<T extends { amount: string; currency: string }>(
  { count, items }: Group<T>,
  rates: Context['rates'],
) {
  const current = items.length === 0 ? null : await rates.current().catch(() => null);
  const worth = ({ amount, currency }: T): string | null => {
    try {
      if (current === null) return null;
      const exact = convert(parseAmount(amount), currency, 'USD', current, 18, 'down');
      return withCurrencyDecimals(formatAmount(roundDown(exact + HALF_A_CENT, 2)), 'USD');
    } catch {
      return null;
    }
  };
  return { count, items: items.map((item) => ({ ...item, worth_usd: worth(item) })) };
}

const drafts = (accountId: string) => sql<{
  id: string;
  kind: string;
  status: string;
  amount: string;
  asset: string;
  created_at: string;
  /** The first few recipients. */
  recipient: string;
  recipients: number;
  /** The recipients' total; null when they are paid in several currencies. */
  requested: { amount: string; currency: string } | null;
  /** Null for a deleted key. */
  key_name: string | null;
  /** Whether the wallet has enough available; a draft holds no funds. */
  is_covered: boolean;
  count?: number;
}>`
  select id, kind, status, total as amount, asset, created_at, count(*) over () as count,
    (select given_address from payout_recipient r where r.account_id = p.account_id and r.payout_id = p.id order by number limit 1) as recipient,
    (select count(*) from payout_recipient r where r.account_id = p.account_id and r.payout_id = p.id) as recipients,
    (select json_build_object('amount', sum(requested_text::numeric)::text, 'currency', min(requested_currency)) from payout_recipient r
      where r.account_id = p.account_id and r.payout_id = p.id having count(distinct requested_currency) = 1) as requested,
    (select name from api_key k where k.account_id = p.account_id and k.id = p.key_id) as key_name,
    coalesce((select amount >= p.total from balance b where b.account_id = p.account_id and b.wallet_id = p.wallet_id
      and b.currency = p.asset and b.bucket = 'available'), false) as is_covered
  from payout p where account_id = ${accountId} and status = 'draft' order by p.number limit ${NAMED}`;

/** The statuses are literals, so that the partial index applies. */
const payouts = (accountId: string, statuses: readonly PayoutStatus[]) => sql<{
  id: string;
  kind: string;
  status: string;
  amount: string;
  asset: string;
  created_at: string;
  count?: number;
}>`
  select id, kind, status, total as amount, asset, created_at, count(*) over () as count from payout
  where account_id = ${accountId} and status in (${sql.join(statuses.map((status) => sql.lit(status)))}) order by number limit ${NAMED}`;

/** Refunds whose payout is a draft are listed with the drafts. */
const requestedRefunds = (accountId: string) => sql<{
  id: string;
  cause: string;
  amount: string;
  asset: string;
  address: string;
  is_proven: boolean;
  created_at: string;
  count?: number;
}>`
  select id, cause, amount, asset, address, is_proven, created_at, count(*) over () as count from refund
  where account_id = ${accountId} and status = 'requested' order by number limit ${NAMED}`;

const failedCallbacks = (accountId: string) => sql<{
  id: string;
  event: string;
  resource: string;
  resource_id: string;
  url: string;
  created_at: string;
  count?: number;
}>`
  select id, event, resource, resource_id, url, created_at_real as created_at, count(*) over () as count from callback
  where account_id = ${accountId} and state = 'failed' order by created_at_real desc limit ${NAMED}`;

const quarantinedTransactions = (accountId: string) => sql<{
  id: string;
  kind: string;
  amount: string;
  asset: string;
  risk_level: string | null;
  created_at: string;
  count?: number;
}>`
  select id, kind, amount, asset, risk_level, created_at, count(*) over () as count from transaction
  where account_id = ${accountId} and status = 'quarantined' order by created_at limit ${NAMED}`;
