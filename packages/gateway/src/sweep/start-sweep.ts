import { raiseAlarmOnce } from '../alarm/raise.ts';
import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type {
  ChainSender,
  Sweeping,
  FeeEstimate,
  SendRequest,
} from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { guardLease, type Lease } from '../database/lease.ts';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { convert } from '../rate/convert.ts';
import { LedgerError } from '../ledger/post.ts';
import { coinName } from '../alarm/coin-name.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';
import { raiseCannotStart } from './alarms.ts';
import { destinationOf } from './destination.ts';
import { holdFees } from './hold.ts';
import {
  dueDeposits,
  insertSweep,
  isPayoutWaiting,
  depositBalance,
  postpone,
  fundsBlockingPayouts,
  type Deposit,
  type NewSweep,
} from './store.ts';

export interface SweepRound {
  context: Context;
  sender: ChainSender;
  sweeping: Sweeping;
  lease: Lease;
  /** Alarms about open sweeps whose cause was met in this round. */
  met: Set<string>;
  /** Whether the cause of an open sweep could not be looked at in this round. */
  isUnseen: boolean;
}

/**
 * Sweep an amount only if the network fee is at most a tenth of it. Smaller amounts wait until fees
 * fall or more arrives.
 */
export const MIN_FEE_MULTIPLE = 10n;
/** The ratio where a payout would otherwise wait for ever: the fee may be half of the amount. */
const BLOCKED_MIN_FEE_MULTIPLE = 2n;
/** Delay before a sweep that was not possible is tried again. */
export const RETRY_MS = 10 * 60 * 1000;
/** A payout that waits longer may be waiting for unswept funds. */
const PAYOUT_WAITING_MS = 60 * 1000;
/**
 * A payout that waits longer, with nothing on its way, needs more than the sweeps that are worth
 * their fee.
 */
const PAYOUT_BLOCKED_MS = 10 * 60 * 1000;
/** Sweeps begun per chain and round; payouts of the chain wait for the round. */
export const SWEEPS_PER_ROUND = 50;

export interface DueDeposit extends Deposit {
  /** Minimum ratio of the amount to the fee. */
  minFeeMultiple: bigint;
}

/** Deposits of a chain that are due: old enough, or all of them while a payout waits. */
export async function findDueDeposits({
  context,
  sender: { chain },
}: SweepRound): Promise<DueDeposit[]> {
  const { db, clock, config } = context;
  const now = clock.now();
  const urgent = await isPayoutWaiting(db, chain, timestamp(now - PAYOUT_WAITING_MS));
  const before = urgent ? now : now - config.sweepAfterMinutes * 60 * 1000;
  const deposits = await dueDeposits(
    db,
    chain,
    coinOf(chain).asset,
    timestamp(before),
    timestamp(now),
    SWEEPS_PER_ROUND,
  );
  const blocking =
    urgent && deposits.length > 0
      ? await fundsBlockingPayouts(db, chain, timestamp(now - PAYOUT_BLOCKED_MS))
      : [];
  const blocksPayout = (deposit: Deposit): boolean =>
    blocking.some(
      ({ wallet_id, asset }) => wallet_id === deposit.wallet_id && asset === deposit.asset,
    );
  return deposits.map((deposit) => ({
    ...deposit,
    minFeeMultiple: blocksPayout(deposit) ? BLOCKED_MIN_FEE_MULTIPLE : MIN_FEE_MULTIPLE,
  }));
}

/** Decides whether to sweep a deposit and stores the plan. Nothing is sent yet. */
export async function startSweep(round: SweepRound, deposit: DueDeposit): Promise<void> {
  const { context, lease } = round;
  const plan = await planSweep(round, deposit).catch((error: unknown) =>
    alarmOnUnsweepable(context, deposit, error),
  );
  const now = context.clock.now();
  const later = timestamp(now + RETRY_MS);
  if (plan === null) return postpone(context.db, deposit, timestamp(now), later);
  try {
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      if (await insertSweep(trx, plan.sweep, plan.deducted, timestamp(now)))
        await holdFees(trx, plan.sweep, timestamp(now));
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await postpone(context.db, deposit, timestamp(now), later);
    await alarmOnFee(round, plan.sweep);
  }
}

/**
 * A deposit without a fee estimate or a known key cannot be swept. If the node does not answer, the
 * estimate is retried.
 */
async function alarmOnUnsweepable(
  context: Context,
  { chain, asset, address }: Deposit,
  error: unknown,
): Promise<null> {
  if (error instanceof UnavailableError) throw error;
  context.log.error(
    { event: 'deposit_not_sweepable', err: error, chain, address, asset },
    'deposit cannot be swept',
  );
  await raiseAlarmOnce(
    context,
    chain,
    `${coinName(asset)} can't be swept from the deposit address ${address}: its key or its fee is not known; the log has the error`,
  );
  return null;
}

/** @returns null if the deposit is not worth its fee, or has no place to go */
async function planSweep(
  { context, sender, sweeping }: SweepRound,
  deposit: DueDeposit,
): Promise<{ sweep: NewSweep; deducted: Amount } | null> {
  const { db, ids } = context;
  const { chain, address, key_index, asset } = deposit;
  const coin = coinOf(chain);
  const balance = parseAmount(deposit.amount);
  const to = await destinationOf(context, sweeping, deposit);
  if (to === null) return null;
  const cost = await sweeping
    .from({ address, index: key_index })
    .estimate(transfer(asset, to, balance));
  const isCoin = asset === coin.asset;
  const missing = isCoin
    ? 0n
    : cost.reserve - parseAmount(await depositBalance(db, deposit, coin.asset));
  const topUp = missing > 0n ? missing : 0n;
  const topUpCost =
    topUp === 0n ? FREE : await sender.estimate(transfer(coin.asset, address, topUp));
  // A sweep of the coin pays its own fee; a part of the reserve may remain on the address.
  const amount = isCoin ? balance - cost.reserve : balance;
  if (
    amount <= 0n ||
    !(await isWorthAtLeast(
      context,
      amount,
      kindOf(asset)!,
      coin,
      (cost.fee + topUpCost.fee) * deposit.minFeeMultiple,
    ))
  )
    return null;
  const sweep: NewSweep = {
    id: ids.uuid(),
    account_id: deposit.account_id,
    wallet_id: deposit.wallet_id,
    chain,
    invoice_id: deposit.invoice_id,
    address,
    key_index,
    asset,
    fee_asset: coin.asset,
    recipient: to === sweeping.payoutAddress ? null : to,
    status: topUp === 0n ? 'sending' : 'topping_up',
    amount: formatAmount(amount),
    fee_reserve: formatAmount(cost.reserve),
    top_up_id: ids.uuid(),
    top_up: formatAmount(topUp),
    top_up_fee_reserve: formatAmount(topUpCost.reserve),
  };
  return { sweep, deducted: balance };
}

/** Coin for fees comes from outside, to the address that sends it to deposit addresses. */
async function alarmOnFee({ context, sweeping }: SweepRound, sweep: NewSweep): Promise<void> {
  const { chain } = sweep;
  const { symbol, asset } = coinOf(chain);
  const wallet = await context.db
    .selectFrom('wallet')
    .select('name')
    .where('id', '=', sweep.wallet_id)
    .executeTakeFirstOrThrow();
  const address = sweeping.payoutAddress;
  const isReal = context.chains.get(chain)?.source === 'node';
  const advice = isReal
    ? `. Send ${symbol} to the payout address ${address}, and assign it to the wallet when it is listed as unassigned`
    : '';
  const funding: AlarmFunding | null = isReal ? { asset, amount: feeOf(sweep), address } : null;
  await raiseCannotStart(
    context,
    chain,
    coinName(sweep.asset),
    `the wallet "${wallet.name}" has too little ${symbol} for the network fee${advice}`,
    funding,
  );
}

const feeOf = ({ fee_reserve, top_up, top_up_fee_reserve }: NewSweep): string =>
  formatAmount(
    [fee_reserve, top_up, top_up_fee_reserve].reduce((sum, text) => sum + parseAmount(text), 0n),
  );

const FREE: FeeEstimate = { fee: 0n, reserve: 0n };

/** The transfer of a sweep. It is not urgent, so it uses the lowest fee. */
export function transfer(asset: string, address: string, amount: Amount): SendRequest {
  return {
    asset,
    outputs: [{ address, tag: null, amount, memo: null, paymentRequest: null }],
    preset: 'economy',
    feeRate: null,
  };
}

/**
 * Whether an amount is worth at least as much as an amount of the chain's coin. False without an
 * exchange rate.
 */
export async function isWorthAtLeast(
  { rates }: Context,
  amount: Amount,
  kind: Kind,
  coin: Kind,
  minimum: Amount,
): Promise<boolean> {
  if (kind.asset === coin.asset) return amount >= minimum;
  try {
    return (
      convert(amount, kind.symbol, coin.symbol, await rates.current(), coin.decimals, 'down') >=
      minimum
    );
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'RateUnavailable') return false;
    throw error;
  }
}

/** The coin that pays the fees of a chain. */
export function coinOf(chain: ChainId): Kind {
  const coin = KINDS.find((kind) => kind.chain === chain);
  if (coin === undefined) throw new Error(`The chain ${chain} has no coin`);
  return coin;
}
