import type { ChainSender } from '@crypto-checkout/chains/sender';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { timestamp, transact } from '../database/database.ts';
import { guardLease } from '../database/lease.ts';
import { isBehindAnother } from '../engine/sending/lane.ts';
import {
  ageOf,
  findReplaceable,
  planReplacement,
  saveReplacement,
} from '../engine/sending/replace.ts';
import type { SentStatus } from '../engine/sending/track.ts';
import { LedgerError } from '../ledger/post.ts';
import { raiseSweepWaits } from './alarms.ts';
import { holdMoreFees } from './hold.ts';
import type { SweepRound } from './start-sweep.ts';
import { lockSweep, saveSweep, type Sweep } from './store.ts';

/** The fee of a top-up is looked at again after this time without a block. */
const BUMP_AFTER_MS = 60 * 1000;
/** Sweeps use a low fee, so they may wait; top-ups hold up payouts. */
const ALARM_AFTER_MS = { topping_up: 10 * 60 * 1000, sending: 6 * 60 * 60 * 1000 } as const;

/**
 * Follows a sweep's transaction that no block contains. A top-up leaves from the payout address, so
 * it is sent again when the network fee rose above its own. A sweep waits: its address has no coin
 * for a higher fee.
 */
export async function watchUnmined(
  round: SweepRound,
  sender: ChainSender,
  sweep: Sweep,
  { txid, isUnderpriced = false }: Pick<SentStatus, 'txid' | 'isUnderpriced'>,
): Promise<void> {
  const { context, lease } = round;
  const { status, chain, fee_asset } = sweep;
  if (status !== 'topping_up' && status !== 'sending') return;
  if (context.chains.get(chain)?.source !== 'node') return;
  const id = status === 'topping_up' ? sweep.top_up_id : sweep.id;
  const waiting = await findReplaceable(context.db, sender, id);
  if (waiting === null) return;
  if (await isBehindAnother(context.db, id)) {
    round.isUnseen = true;
    return;
  }
  const now = context.clock.real();
  const [oldest = waiting.newest] = waiting.attempts;
  if (ageOf(oldest, now) > ALARM_AFTER_MS[status])
    await raiseSweepWaits(
      round,
      `the transaction ${txid} has no block since ${oldest.created_at_real}`,
    );
  if (status !== 'topping_up' || ageOf(waiting.newest, now) <= BUMP_AFTER_MS) return;
  const replacement = await planReplacement(waiting, 'bump');
  if (!replacement.isOutbid && !isUnderpriced) return;
  const limit = BigInt(context.config.payoutFeeRise);
  const at = timestamp(context.clock.now());
  try {
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      const locked = await lockSweep(trx, sweep.id);
      if (locked?.status !== 'topping_up') return;
      const held = parseAmount(locked.top_up_fee_reserve);
      if (replacement.fee > held * limit) return;
      if (!(await saveReplacement(trx, waiting, 'bump', replacement))) return;
      if (replacement.reserve <= held) return;
      await holdMoreFees(trx, locked, replacement.reserve - held, at);
      const top_up_fee_reserve = formatAmount(replacement.reserve);
      await saveSweep(trx, locked, { top_up_fee_reserve }, at);
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const reason = `the network fee rose, and the wallet ${sweep.wallet_id} lacks ${fee_asset} for the gas top-up`;
    await raiseSweepWaits(round, reason);
  }
}
