import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { SendRequest } from '@crypto-checkout/chains/sender';
import { raiseAlarmAbout } from '../../alarm/raise.ts';
import { deleteAlarmsAbout } from '../../alarm/store.ts';
import type { Context } from '../../context.ts';
import type { AlarmFunding } from '../../database/tables/transaction.ts';
import { timestamp, transact } from '../../database/database.ts';
import { guardLease } from '../../database/lease.ts';
import { isBehindAnother } from '../../engine/sending/lane.ts';
import {
  ageOf,
  findReplaceable,
  planReplacement,
  type Replaceable,
} from '../../engine/sending/replace.ts';
import type { SentStatus } from '../../engine/sending/track.ts';
import { LedgerError } from '../../ledger/post.ts';
import { holdMore } from '../hold.ts';
import { fundingAddressOf } from './refill.ts';
import { storeReplacement } from './replace.ts';
import type { PayoutRound } from './round.ts';
import { isUnsent } from '../state.ts';
import { availableIn, lockPayout, type PayoutView } from '../store.ts';
import { movePayout } from '../transition.ts';

/** A transaction that waits longer for its block needs a look. */
const UNMINED_ALARM_MS = 10 * 60 * 1000;
/** The fee of a transaction is looked at again after this time without a block. */
export const BUMP_AFTER_MS = 60 * 1000;

/** Characters of a node's answer. */
const MAX_SHOWN = 200;

/**
 * Estimates the fee anew when it rose above what is held for a payout, and holds the difference.
 * The next round sends it. Beyond `PAYOUT_FEE_RISE`, or without enough money, the payout waits with
 * an alarm; it can be rejected.
 */
export async function followFee(
  round: PayoutRound,
  payout: PayoutView,
  request: SendRequest,
): Promise<void> {
  const { context, sender } = round;
  const { fee, reserve } = await sender.estimate(request);
  const { payoutFeeRise: limit } = context.config;
  if (reserve <= parseAmount(payout.fee_reserve)) return;
  if (fee > parseAmount(payout.fee) * BigInt(limit)) {
    await raiseAlarmAbout(
      context,
      payout.id,
      `The payout waits: the network fee rose to more than ${limit} times its estimate of ${payout.fee} ${payout.fee_asset}`,
    );
    return;
  }
  try {
    await holdReserve(round, payout.id, formatAmount(reserve));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await raiseAlarmAbout(
      context,
      payout.id,
      `The payout waits: the network fee rose, and the wallet lacks ${payout.fee_asset} for it`,
      await fundingFor(context, payout, reserve),
    );
  }
}

async function holdReserve(
  { context, lease }: PayoutRound,
  id: string,
  reserve: string,
): Promise<void> {
  const at = timestamp(context.clock.now());
  await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null || !isUnsent(payout.status) || payout.hold !== 'held') return;
    const more = parseAmount(reserve) - parseAmount(payout.fee_reserve);
    if (more <= 0n) return;
    await holdMore(trx, payout, more, at);
    await movePayout(trx, context, payout, [], { fee_reserve: reserve });
    await deleteAlarmsAbout(trx, id);
  });
}

/**
 * Follows a transaction that no block contains: sends it again for a higher fee when the network
 * fee rose above it, and raises an alarm after ten minutes.
 */
export async function watchUnmined(
  round: PayoutRound,
  payout: PayoutView,
  status: SentStatus,
): Promise<void> {
  const { context, sender } = round;
  const { state, txid, isUnderpriced = false } = status;
  if (status.state === 'unseen' && status.lost !== undefined)
    return reportLost(context, payout, status.lost, txid);
  // Where blocks are rare, waiting for one is no news.
  if (sender.lane === null && state !== 'unseen') return;
  if (context.chains.get(sender.chain)?.source !== 'node') return;
  const waiting = await findReplaceable(context.db, sender, payout.id);
  if (waiting === null) return;
  if (sender.lane === null) return reportUnseen(context, payout, waiting, status);
  // The first one holds the others up: it alone needs a look, and a higher fee.
  if (await isBehindAnother(context.db, waiting.id)) return;
  const now = context.clock.real();
  const [oldest = waiting.newest] = waiting.attempts;
  if (ageOf(oldest, now) > UNMINED_ALARM_MS)
    await raiseAlarmAbout(
      context,
      payout.id,
      `The transaction ${txid} has waited for its block for more than 10 minutes`,
    );
  if (ageOf(waiting.newest, now) > BUMP_AFTER_MS)
    await followMarket(round, payout, waiting, isUnderpriced);
}

/** The instructions for a payout whose node has no record of it. */
export const LOST_PAGE = 'docs/run/lightning.md, "A payment without a record"';

/** It ends only by a record of the node: until then nothing proves that it was not paid. */
async function reportLost(
  context: Context,
  { id, status }: PayoutView,
  lost: string,
  txid: string | null,
): Promise<void> {
  const reason =
    status === 'confirmed'
      ? `The payment ${txid} was paid, but the node has no record of it any more. The payout completes when the node shows it again, and the wallet holds enough for it`
      : `The payment ${txid} has an unknown outcome: ${lost}. The payout stays open, and is not sent again. Look for the payment hash on each node that may have paid it. If nobody was paid two weeks after it was sent (${LOST_PAGE}), end it with: payouts give-up ${id}`;
  await raiseAlarmAbout(context, id, reason);
}

/** The same bytes are sent again in each round; the node refuses them, or loses them. */
async function reportUnseen(
  context: Context,
  payout: PayoutView,
  { newest }: Replaceable,
  { txid, refusal, ...status }: SentStatus,
): Promise<void> {
  if (ageOf(newest, context.clock.real()) <= UNMINED_ALARM_MS) return;
  const doubt = status.state === 'unseen' ? status.doubt : undefined;
  const answer = refusal === undefined ? '' : `; the node answers: ${refusal.slice(0, MAX_SHOWN)}`;
  const more = doubt === undefined ? answer : `, but a block may have it: ${doubt}`;
  await raiseAlarmAbout(
    context,
    payout.id,
    `The network does not have the transaction ${txid}, 10 minutes after it was sent${more}`,
  );
}

/** Sends a transaction again for a higher fee, up to `PAYOUT_FEE_RISE` times the estimate. */
async function followMarket(
  { context, lease }: PayoutRound,
  payout: PayoutView,
  waiting: Replaceable,
  isUnderpriced: boolean,
): Promise<void> {
  const replacement = await planReplacement(waiting, 'bump');
  if (!replacement.isOutbid && !isUnderpriced) return;
  const { payoutFeeRise: limit } = context.config;
  if (replacement.fee > parseAmount(payout.fee) * BigInt(limit)) {
    const reason = `The network fee rose to more than ${limit} times the estimate of ${payout.fee} ${payout.fee_asset}: the transaction waits for its block, and can be sent again for a higher fee or cancelled`;
    return raiseAlarmAbout(context, payout.id, reason);
  }
  try {
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      await storeReplacement(trx, context, { id: payout.id, waiting, intent: 'bump', replacement });
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const reason = `The network fee rose, and the wallet lacks ${payout.fee_asset} to send the transaction again for a higher fee`;
    await raiseAlarmAbout(
      context,
      payout.id,
      reason,
      await fundingFor(context, payout, replacement.reserve),
    );
  }
}

/** Coins that the wallet lacks for a higher fee; null for payouts that share a transaction. */
async function fundingFor(
  context: Context,
  payout: PayoutView,
  reserve: Amount,
): Promise<AlarmFunding | null> {
  const { account_id, wallet_id, fee_asset: asset, fee_reserve, batch_id } = payout;
  const address = fundingAddressOf(context, payout);
  if (address === null || batch_id !== null) return null;
  const available = (await availableIn(context.db, account_id, wallet_id)).get(asset) ?? '0';
  const missing = reserve - parseAmount(fee_reserve) - parseAmount(available);
  return missing > 0n ? { asset, amount: formatAmount(missing), address } : null;
}
