import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { takeLease } from '../database/lease.ts';
import { payableKeys } from '../invoice/payable-keys.ts';
import { compareBalances, recordDifferences } from './compare.ts';
import { comparePayoutAddress } from './payout-address.ts';

/** A round may begin this early, because the worker looks every ten seconds. */
const EARLY_SECONDS = 10;
/** A round has the payout address, one that can be paid now, and another one. */
const MIN_ADDRESSES = 3;

/**
 * Compares the payout address and some deposit addresses of each chain with the books: half of the
 * calls go to addresses that can be paid now, the other half to every address that was ever given
 * out, in turn. Finds what the
 * scan missed, such as transfers inside a contract call on a node without tracing.
 */
export async function checkBalances(context: Context, signal: AbortSignal): Promise<void> {
  for (const adapter of context.chains.values()) {
    if (signal.aborted || context.config.balanceCheckCalls === 0) return;
    if (adapter.balancesAt === undefined || adapter.kinds.length === 0) continue;
    const round = roundOf(context, adapter);
    const lease = `balances:${adapter.chain}`;
    const seconds = round.minutes * 60 - EARLY_SECONDS;
    if ((await takeLease(context.db, lease, context.ids.uuid(), seconds)) === null) continue;
    await checkChain(context, adapter, round).catch((error: unknown) =>
      context.log.warn(
        { event: 'balance_check_failed', err: error, chain: adapter.chain },
        'balances were not compared, will retry',
      ),
    );
  }
}

interface Round {
  /** Until the next one, also with several processes. */
  minutes: number;
  /** Deposit addresses that are compared beside the payout address. */
  count: number;
}

/** An address costs a call for each asset. With many assets a round has several minutes. */
function roundOf({ config }: Context, { chain, kinds }: ChainAdapter): Round {
  const assets = KINDS.filter((kind) => kind.chain === chain && kinds.includes(kind.kind)).length;
  const calls = config.balanceCheckCalls;
  const minutes = Math.max(1, Math.ceil((MIN_ADDRESSES * assets) / calls));
  return { minutes, count: Math.floor((minutes * calls) / Math.max(1, assets)) - 1 };
}

async function checkChain(
  context: Context,
  adapter: ChainAdapter,
  { minutes, count }: Round,
): Promise<void> {
  const { db, clock } = context;
  const { chain } = adapter;
  const group = CHAINS[chain].keyGroup;
  const payable = await payableKeys(db, clock.now(), group);
  const turn = Math.floor(clock.real() / (minutes * 60_000));
  const open = nextOf(payable, Math.floor(count / 2), turn);
  const others = await nextAddresses(db, chain, group, count - open.length);
  await recordDifferences(context, (await comparePayoutAddress(context, adapter)) ?? []);
  const compared = await compareBalances(context, adapter, [...new Set([...open, ...others])]);
  if (compared === null) return;
  await recordDifferences(context, compared);
  await saveProgress(db, chain, others.length < count - open.length ? null : others.at(-1)!);
}

/** A part of the list, another one in each turn. */
function nextOf<T>(list: readonly T[], count: number, turn: number): readonly T[] {
  const parts = Math.ceil(list.length / Math.max(1, count));
  const first = parts === 0 ? 0 : (turn % parts) * count;
  return list.slice(first, first + count);
}

async function nextAddresses(
  db: Db,
  chain: ChainId,
  group: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ watch_key: string }>`
    select watch_key from deposit_target
    where watch_key > greatest(coalesce((select after_key from balance_check where chain = ${chain}), ''), ${`${group}:`})
      and watch_key < ${`${group};`}
    order by watch_key limit ${limit}`.execute(db);
  return rows.map(({ watch_key }) => watch_key);
}

/** @param after null: every address was compared, and the next pass begins */
async function saveProgress(db: Db, chain: ChainId, after: string | null): Promise<void> {
  await sql`
    insert into balance_check as b (chain, after_key, passed_at_real)
    values (${chain}, ${after ?? ''}, ${after === null ? sql`clock_timestamp()` : null})
    on conflict (chain) do update set after_key = excluded.after_key,
      passed_at_real = coalesce(excluded.passed_at_real, b.passed_at_real),
      pass_started_at_real = case when excluded.after_key = '' then clock_timestamp() else b.pass_started_at_real end`.execute(
    db,
  );
}
