import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { raiseAlarmOnce } from '../chain/progress.ts';
import type { ChainSender, Consolidation, FeeEstimate, SendRequest } from '../chain/sender.ts';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { guardLease, type Lease } from '../database/lease.ts';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { convert } from '../payout/recipient.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFees } from './hold.ts';
import { dueDeposits, insertSweep, isPayoutWaiting, lyingOf, postpone, wantedInVain, type Deposit, type NewSweep } from './store.ts';

export interface Worker {
  context: Context;
  sender: ChainSender;
  consolidation: Consolidation;
  lease: Lease;
}

/** The network gets a tenth of what is moved, at most: smaller amounts lie until fees fall, or more comes to the address. */
export const TIMES_FEE = 10n;
/** And half of it, at most, for a payout that would wait for ever otherwise: its owner wants the money, dear as it is. */
const TIMES_FEE_IN_VAIN = 2n;
/** Until something that could not be moved is looked at again. */
export const RETRY_MS = 10 * 60 * 1000;
/** A payout that waits longer may wait for what lies on deposit addresses. */
const PAYOUT_PATIENCE_MS = 60 * 1000;
/** A payout that waits longer, while nothing is on its way, is not helped by what is worth moving. */
const IN_VAIN_MS = 10 * 60 * 1000;
/** Begun in one round for one chain; payouts of the chain wait for the round. */
const LIMIT = 50;

export interface DueDeposit extends Deposit {
  /** So many times its fee it has to be worth. */
  timesFee: bigint;
}

/** Deposits of a chain that may be moved now: those that lay long enough, or all while a payout waits. */
export async function findDue({ context, sender: { chain } }: Worker): Promise<DueDeposit[]> {
  const { db, clock, config } = context;
  const now = clock.now();
  const urgent = await isPayoutWaiting(db, chain, timestamp(now - PAYOUT_PATIENCE_MS));
  const before = urgent ? now : now - config.consolidateAfterMinutes * 60 * 1000;
  const deposits = await dueDeposits(db, chain, coinOf(chain).asset, timestamp(before), timestamp(now), LIMIT);
  const wanted = urgent && deposits.length > 0 ? await wantedInVain(db, chain, timestamp(now - IN_VAIN_MS)) : [];
  const isWanted = (deposit: Deposit): boolean =>
    wanted.some(({ wallet_id, asset }) => wallet_id === deposit.wallet_id && asset === deposit.asset);
  return deposits.map((deposit) => ({ ...deposit, timesFee: isWanted(deposit) ? TIMES_FEE_IN_VAIN : TIMES_FEE }));
}

/** Decides whether a deposit is worth moving, and writes down how; nothing is sent yet. */
export async function beginSweep(worker: Worker, deposit: DueDeposit): Promise<void> {
  const { context, lease } = worker;
  const plan = await planSweep(worker, deposit).catch((error: unknown) => giveReason(context, deposit, error));
  const now = context.clock.now();
  const later = timestamp(now + RETRY_MS);
  if (plan === null) return postpone(context.db, deposit, timestamp(now), later);
  try {
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      if (await insertSweep(trx, plan.sweep, plan.takes, timestamp(now))) await holdFees(trx, plan.sweep, timestamp(now));
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await postpone(context.db, deposit, timestamp(now), later);
    const { symbol } = coinOf(deposit.chain);
    await raiseAlarmOnce(
      context,
      deposit.chain,
      `Consolidation waits: the wallet ${deposit.wallet_id} has too little ${symbol} for the network fee`,
    );
  }
}

/** What can't be estimated, or belongs to a key that is not known, can't be moved; a node that does not answer is asked again. */
async function giveReason(context: Context, { chain, asset, address }: Deposit, error: unknown): Promise<null> {
  if (error instanceof UnavailableError) throw error;
  context.log.error({ err: error, chain, address, asset }, 'a deposit can not be moved');
  await raiseAlarmOnce(context, chain, `${asset} can not be moved from the deposit address ${address}`);
  return null;
}

/** @returns null when it is not worth its fee */
async function planSweep(
  { context, sender, consolidation }: Worker,
  deposit: DueDeposit,
): Promise<{ sweep: NewSweep; takes: Amount } | null> {
  const { db, ids } = context;
  const { chain, address, key_index, asset } = deposit;
  const coin = coinOf(chain);
  const lying = parseAmount(deposit.amount);
  const cost = await consolidation.from({ address, index: key_index }).estimate(transfer(asset, consolidation.payoutAddress, lying));
  const isCoin = asset === coin.asset;
  const missing = isCoin ? 0n : cost.reserve - parseAmount(await lyingOf(db, deposit, coin.asset));
  const topUp = missing > 0n ? missing : 0n;
  const topUpCost = topUp === 0n ? FREE : await sender.estimate(transfer(coin.asset, address, topUp));
  // What lies of the coin pays its own way; some of what is kept for the fee stays there.
  const amount = isCoin ? lying - cost.reserve : lying;
  if (amount <= 0n || !(await isWorth(context, amount, kindOf(asset)!, coin, (cost.fee + topUpCost.fee) * deposit.timesFee))) return null;
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
    status: topUp === 0n ? 'sending' : 'topping_up',
    amount: formatAmount(amount),
    fee_reserve: formatAmount(cost.reserve),
    top_up_id: ids.uuid(),
    top_up: formatAmount(topUp),
    top_up_fee_reserve: formatAmount(topUpCost.reserve),
  };
  return { sweep, takes: lying };
}

const FREE: FeeEstimate = { fee: 0n, reserve: 0n };

/** What is sent, in words. Nobody waits for it, so it may go at the lowest price. */
export function transfer(asset: string, address: string, amount: Amount): SendRequest {
  return { asset, outputs: [{ address, tag: null, amount, memo: null, paymentRequest: null }], preset: 'economy', feeRate: null };
}

/**
 * Whether an amount is worth as much as one of the chain's coin. A coin without a rate is left where it is: nobody can say what it is
 * worth.
 */
export async function isWorth({ rates }: Context, amount: Amount, kind: Kind, coin: Kind, least: Amount): Promise<boolean> {
  if (kind.asset === coin.asset) return amount >= least;
  try {
    return convert(amount, kind.symbol, coin.symbol, await rates.current(), coin.decimals, 'down') >= least;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'RateUnavailable') return false;
    throw error;
  }
}

/** What pays the fees of a chain. */
export function coinOf(chain: ChainId): Kind {
  const coin = KINDS.find((kind) => kind.chain === chain);
  if (coin === undefined) throw new Error(`The chain ${chain} has no coin`);
  return coin;
}
