import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Balances, WalletBalance } from '@crypto-checkout/protocol/dashboard';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/timestamp.ts';
import { CHAIN_ORDER } from '../wallet/store.ts';
import { invalidFilter } from '../resource/filters.ts';
import { readChannels } from './node-channels.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** With fewer points the first payment would be a line at the edge. */
const SHORTEST_MS = 6 * HOUR_MS;
/** Time span and distance of the points. */
const SPANS: Readonly<Record<string, { days: number; stepMs: number }>> = {
  '1': { days: 1, stepMs: HOUR_MS },
  '7': { days: 7, stepMs: 6 * HOUR_MS },
  '30': { days: 30, stepMs: 24 * HOUR_MS },
  '365': { days: 365, stepMs: 7 * 24 * HOUR_MS },
};
const DEFAULT_SPAN = '30';

interface Row {
  wallet_id: string;
  name: string;
  chain: string;
  asset: string;
  buckets: Record<string, string>;
  /** Balances at the points after which they changed, without the newest. */
  past: { step: number; amount: string }[];
}

/**
 * Returns each wallet's balances, by coin, at points in time up to now: everything that belongs to
 * the account, including money that is not final or is held. It is computed backwards from today's
 * balance, so only the postings of the shown time are read.
 * @throws ServiceError for a number of `days` that is not offered
 */
export async function readBalances(
  context: Context,
  accountId: string,
  days: string = DEFAULT_SPAN,
): Promise<Balances> {
  const { db, clock } = context;
  const span = Object.hasOwn(SPANS, days) ? SPANS[days] : undefined;
  if (!span) throw invalidFilter('days', `must be one of ${Object.keys(SPANS).join(', ')}`, days);
  const now = clock.now();
  const { created_at } = await db
    .selectFrom('account')
    .select('created_at')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const { stepMs, steps } = pointsOf(span, now - milliseconds(created_at));
  const at = (step: number): number => now - (steps - step) * stepMs;
  const { rows } = await history(accountId, timestamp(at(0)), stepMs / 1000, steps).execute(db);
  return {
    days: span.days,
    times: Array.from({ length: steps + 1 }, (_, step) => timestamp(at(step))),
    wallets: rows.map((row) => present(row, steps)),
    channels: await readChannels(context),
  };
}

/**
 * The history begins with the account, at least six hours ago; a young account gets closer points.
 */
function pointsOf(
  asked: (typeof SPANS)[string] & object,
  ageMs: number,
): { stepMs: number; steps: number } {
  const lengthMs = Math.min(asked.days * DAY_MS, Math.max(ageMs, SHORTEST_MS));
  const { stepMs } = Object.values(SPANS).find(({ days }) => days * DAY_MS >= lengthMs) ?? asked;
  return {
    stepMs,
    steps: Math.min(Math.ceil(lengthMs / stepMs), Math.round((asked.days * DAY_MS) / stepMs)),
  };
}

/**
 * Step k is the time from point k - 1 to point k; its changes show from point k on. Today's balance
 * minus the changes of later steps is the balance at point k - 1.
 */
const history = (accountId: string, from: string, stepSeconds: number, steps: number) => sql<Row>`
  with change as (
    select wallet_id, currency, least(${steps}, ceil(extract(epoch from created_at - ${from}::timestamptz) / ${stepSeconds})::int) as step,
      sum(amount) as amount
    from posting where account_id = ${accountId} and book = 'wallet' and created_at > ${from}
    group by 1, 2, 3),
  today as (
    select wallet_id, currency, sum(amount) as amount, jsonb_object_agg(bucket, amount::text) as buckets
    from balance where account_id = ${accountId} group by wallet_id, currency),
  past as (
    select c.wallet_id, c.currency, json_agg(json_build_object('step', step - 1, 'amount',
      (t.amount - later)::text) order by step) as past
    from (select wallet_id, currency, step,
        sum(amount) over (partition by wallet_id, currency order by step desc) as later from change) c
    join today t using (wallet_id, currency) group by c.wallet_id, c.currency)
  select w.id as wallet_id, w.name, w.chain, t.currency as asset, t.buckets, coalesce(p.past, '[]') as past
  from today t join wallet w on w.account_id = ${accountId} and w.id = t.wallet_id
  left join past p using (wallet_id, currency)
  order by w.created_at, array_position(${CHAIN_ORDER}::text[], w.chain), w.id, t.currency`;

function present(
  { wallet_id, name, chain, asset, buckets, past }: Row,
  steps: number,
): WalletBalance {
  const plain = (bucket: string): string => formatAmount(parseAmount(buckets[bucket] ?? '0'));
  const total = Object.values(buckets).reduce((sum, amount) => sum + parseAmount(amount), 0n);
  const known = new Map(past.map(({ step, amount }) => [step, formatAmount(parseAmount(amount))]));
  const amounts: string[] = [];
  // Backwards: a point without an entry has the balance of the next one.
  for (let step = steps, amount = formatAmount(total); step >= 0; step -= 1)
    amounts[step] = amount = known.get(step) ?? amount;
  return {
    wallet_id,
    name,
    chain,
    currency: kindOf(asset)?.symbol ?? asset,
    kind: asset,
    available: plain('available'),
    pending: plain('pending'),
    reserved: plain('reserved'),
    frozen: plain('frozen'),
    total: formatAmount(total),
    amounts,
  };
}
