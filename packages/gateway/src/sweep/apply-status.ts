import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { coinName } from '../alarm/coin-name.ts';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease } from '../database/lease.ts';
import { chainFacts, type ChainPlace } from '../engine/sending/track.ts';
import { settleFees } from './hold.ts';
import { RETRY_MS, type SweepRound } from './start-sweep.ts';
import { nextSweepStatus, requireSweepMove, type SweepStatus } from './state.ts';
import {
  addToDeposit,
  depositBalance,
  lockSweep,
  postpone,
  saveSweep,
  takeFromDeposit,
  type Sweep,
} from './store.ts';

export const FEE_ROSE = 'The network fee rose above what was held for it';

/**
 * Moves a sweep to the status that follows from its transaction on the chain.
 * @returns whether the sweep has a next step
 */
export async function applyTransactionStatus(
  round: SweepRound,
  current: Sweep,
  transaction: ChainPlace,
): Promise<boolean> {
  // Usually nothing has changed, and no lock is needed.
  if (
    nextTransition(current, transaction) === null &&
    heightOf(current) === (transaction.state === 'block' ? transaction.height : null)
  )
    return false;
  const { context, lease } = round;
  const at = timestamp(context.clock.now());
  const newStatus = await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const sweep = await lockSweep(trx, current.id);
    if (sweep === null || sweep.status !== current.status) return null;
    const next = nextTransition(sweep, transaction);
    const observed = observedChange(sweep, transaction);
    if (next === null) {
      await saveSweep(trx, sweep, observed, at);
      return null;
    }
    requireSweepMove(sweep.status, next);
    await moveSweep(trx, round, { ...sweep, ...observed }, next, transaction);
    return next;
  });
  if (newStatus === 'failed') await alarmOnFailure(round, current, reasonOf(transaction));
  return newStatus === 'sending';
}

function nextTransition({ status, chain }: Sweep, transaction: ChainPlace): SweepStatus | null {
  return nextSweepStatus({
    status,
    ...chainFacts(transaction),
    finalConfirmations: CHAINS[chain].finalConfirmations,
  });
}

const heightOf = (sweep: Sweep): number | null =>
  sweep.status === 'topping_up' ? sweep.top_up_height : sweep.block_height;

/** Where the transaction is, and its fee so far according to the chain. */
function observedChange(sweep: Sweep, transaction: ChainPlace): Partial<Sweep> {
  const height = transaction.state === 'block' ? transaction.height : null;
  if (sweep.status === 'topping_up')
    return { top_up_height: height, top_up_fee: feeOf(transaction, sweep.top_up_fee_reserve) };
  return { block_height: height, fee: feeOf(transaction, sweep.fee_reserve) };
}

/** All that is held if the chain reports no fee. */
function feeOf(transaction: ChainPlace, reserve: string): string | null {
  if (transaction.state !== 'block') return null;
  return formatAmount(transaction.fee ?? parseAmount(reserve));
}

/** Saves status, ledger entries and address balances in one transaction. */
async function moveSweep(
  trx: Trx,
  { context }: SweepRound,
  sweep: Sweep,
  next: SweepStatus,
  transaction: ChainPlace,
): Promise<void> {
  const now = context.clock.now();
  const at = timestamp(now);
  if (next === 'sending') {
    await addToDeposit(trx, sweep, sweep.fee_asset, parseAmount(sweep.top_up));
    return saveSweep(trx, sweep, { status: next }, at);
  }
  const ownFee = await feeOnAddress(trx, sweep, next);
  const fee = sweep.fee === null ? null : formatAmount(ownFee);
  await takeFromDeposit(trx, sweep, sweep.fee_asset, ownFee);
  if (next === 'complete')
    await takeFromDeposit(trx, sweep, sweep.asset, parseAmount(sweep.amount));
  else await postpone(trx, sweep, at, timestamp(now + RETRY_MS));
  await settleFees(trx, sweep, ownFee + amountOf(sweep.top_up_fee), at);
  if (next === 'complete') return saveSweep(trx, sweep, { status: next, fee, hold: 'spent' }, at);
  // A top-up that did not arrive is on no address.
  const arrived = sweep.status === 'topping_up' ? { top_up_height: null } : {};
  await saveSweep(
    trx,
    sweep,
    { status: next, fee, hold: 'released', error: reasonOf(transaction), ...arrived },
    at,
  );
}

/** An address can't pay more than lies on it, whatever a node says. */
async function feeOnAddress(trx: Trx, sweep: Sweep, next: SweepStatus): Promise<Amount> {
  const fee = amountOf(sweep.fee);
  if (fee === 0n) return fee;
  const balance = parseAmount(await depositBalance(trx, sweep, sweep.fee_asset));
  const isSwept = next === 'complete' && sweep.asset === sweep.fee_asset;
  const rest = isSwept ? balance - parseAmount(sweep.amount) : balance;
  return fee < rest ? fee : rest;
}

const amountOf = (text: string | null): Amount => (text === null ? 0n : parseAmount(text));

function reasonOf(transaction: ChainPlace): string {
  if (transaction.state === 'block' || transaction.state === 'impossible')
    return transaction.reason ?? 'The transaction failed on the chain';
  return 'It was not sent';
}

/** A higher fee is retried automatically; any other error needs an operator. */
async function alarmOnFailure(
  { context }: SweepRound,
  { chain, address, asset }: Sweep,
  reason: string,
): Promise<void> {
  if (reason !== FEE_ROSE)
    await raiseAlarmOnce(
      context,
      chain,
      `${coinName(asset)} could not be swept from the deposit address ${address}: ${reason}`,
    );
}
