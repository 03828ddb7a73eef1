import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Balances, WalletBalance } from '@crypto-checkout/protocol/dashboard';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { CHAIN_ORDER } from '../wallet/store.ts';
import { invalidFilter } from '../resource/filters.ts';
import { readChannels } from './node-channels.ts';
import { type Valuation, valuationOf } from './valuation.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The time spans that are offered, in days. */
const SPANS = [1, 7, 30, 365];
const DEFAULT_SPAN = '30';
/** Steps from the first change to now. Changes of one step are one point of the chart. */
const STEPS = 300;

interface Row {
  wallet_id: string;
  name: string;
  chain: string;
  asset: string;
  buckets: Record<string, string>;
  /** The balance before the span. */
  opening: string;
  points: { at: string; amount: string }[];
}

/**
 * Returns each wallet's balances by coin, their worth and their changes: everything that belongs to
 * the account, including money that is not final or is held. It is computed backwards from today's
 * balance, so only the postings of the shown time are read.
 * @throws ServiceError for a number of `days` that is not offered
 */
export async function readBalances(
  context: Context,
  accountId: string,
  days: string = DEFAULT_SPAN,
): Promise<Balances> {
  const span = SPANS.find((each) => String(each) === days);
  if (span === undefined) throw invalidFilter('days', `must be one of ${SPANS.join(', ')}`, days);
  const to = context.clock.now();
  const from = timestamp(to - span * DAY_MS);
  const [{ rows }, valuation] = await Promise.all([
    history(accountId, from, timestamp(to)).execute(context.db),
    valuationOf(context, accountId),
  ]);
  const wallets = rows.map((row) => present(row, from, valuation));
  return {
    days: span,
    from,
    to: timestamp(to),
    currency: valuation.currency,
    worth: valuation.sum(wallets),
    wallets,
    channels: await readChannels(context),
  };
}

const history = (accountId: string, from: string, to: string) => sql<Row>`
  with entry as (
    select wallet_id, currency, created_at, amount, min(created_at) over () as first
    from posting where account_id = ${accountId} and book = 'wallet' and created_at > ${from}),
  change as (
    select wallet_id, currency, floor(${STEPS} * extract(epoch from created_at - first)
        / greatest(1, extract(epoch from ${to}::timestamptz - first))) as step,
      max(created_at) as at, sum(amount) as amount
    from entry group by 1, 2, 3 having sum(amount) <> 0),
  today as (
    select wallet_id, currency, sum(amount) as amount, jsonb_object_agg(bucket, amount::text) as buckets
    from balance where account_id = ${accountId} group by wallet_id, currency),
  past as (
    select c.wallet_id, c.currency, (array_agg(before order by step))[1]::text as opening,
      json_agg(json_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
        'amount', (before + c.amount)::text) order by step) as points
    from (select wallet_id, currency, step, at, change.amount, today.amount
          - sum(change.amount) over (partition by wallet_id, currency order by step desc) as before
      from change join today using (wallet_id, currency)) c
    group by c.wallet_id, c.currency)
  select w.id as wallet_id, w.name, w.chain, t.currency as asset, t.buckets,
    coalesce(p.opening, t.amount::text) as opening, coalesce(p.points, '[]') as points
  from today t join wallet w on w.account_id = ${accountId} and w.id = t.wallet_id
  left join past p using (wallet_id, currency)
  order by w.created_at, array_position(${CHAIN_ORDER}::text[], w.chain), w.id, t.currency`;

function present(
  { wallet_id, name, chain, asset, buckets, opening, points }: Row,
  from: string,
  { worthOf }: Valuation,
): WalletBalance {
  const bucket = (one: string): string => plain(buckets[one] ?? '0');
  const total = formatAmount(
    Object.values(buckets).reduce((sum, amount) => sum + parseAmount(amount), 0n),
  );
  const currency = kindOf(asset)?.symbol ?? asset;
  // A balance that is older than the span begins with it.
  const before = plain(opening) === '0' ? [] : [{ at: from, amount: plain(opening) }];
  return {
    wallet_id,
    name,
    chain,
    currency,
    kind: asset,
    available: bucket('available'),
    pending: bucket('pending'),
    reserved: bucket('reserved'),
    frozen: bucket('frozen'),
    total,
    worth: worthOf(total, currency),
    points: [...before, ...points.map(({ at, amount }) => ({ at, amount: plain(amount) }))],
  };
}

const plain = (amount: string): string => formatAmount(parseAmount(amount));
