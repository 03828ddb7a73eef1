import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { sql, type RawBuilder } from 'kysely';
import { raisedAlarms } from '../alarm/store.ts';
import { failingReceivers } from '../callback/waiting.ts';
import type { Context } from '../context.ts';
import { unassignedOf } from '../unassigned/store.ts';

/** Of each sort so many are named; the number says how many there are. */
const NAMED = 20;

interface Group<T> {
  count: number;
  items: T[];
}

/** What a person should look at: nothing here goes on, or comes right, by itself. */
export async function readAttention({ db }: Context, accountId: string) {
  const group = async <T extends { count?: number }>(query: RawBuilder<T>): Promise<Group<Omit<T, 'count'>>> => {
    const { rows } = await query.execute(db);
    const count = rows[0]?.count ?? 0;
    for (const row of rows) delete row.count;
    return { count, items: rows };
  };
  const [drafts, waiting, callbacks, receivers, quarantined, alarms, unassigned] = await Promise.all([
    group(payouts(accountId, ['draft'])),
    group(payouts(accountId, ['awaiting_funds', 'awaiting_policies'])),
    group(failedCallbacks(accountId)),
    group(failingReceivers(accountId, NAMED)),
    group(quarantinedTransactions(accountId)),
    group(raisedAlarms(accountId, NAMED)),
    group(unassignedOf(accountId, NAMED)),
  ]);
  return {
    drafts: inCoin(drafts),
    waiting: inCoin(waiting),
    callbacks,
    receivers,
    quarantined: inCoin(quarantined),
    alarms,
    unassigned: inCoin(unassigned),
  };
}

/** Amounts as everywhere, with the symbol of their coin. */
function inCoin<T extends { amount: string; asset: string }>({ count, items }: Group<T>): Group<Omit<T, 'asset'> & { currency: string }> {
  return {
    count,
    items: items.map(({ asset, ...item }) => ({
      ...item,
      amount: formatAmount(parseAmount(item.amount)),
      currency: kindOf(asset)?.symbol ?? asset,
    })),
  };
}

/** The statuses stand in the text, so that the index of just these rows serves. */
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
