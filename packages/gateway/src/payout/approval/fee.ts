import { withinTime } from '@crypto-checkout/chains/within-time';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../http/error.ts';
import { transferOf } from '../sending/send-request.ts';
import type { PayoutRow, PayoutView } from '../store.ts';

/** The fee of a payout: as expected, at most, and the rate behind it. */
export type PayoutFee = Pick<PayoutRow, 'fee' | 'fee_reserve' | 'fee_rate'>;

/** Longest wait for the node. An approver waits for the answer. */
export const LONGEST_WAIT_MS = 5_000;

/**
 * Estimates the fee of a draft anew, because it may have waited for days. Queries the chain, so
 * never call it in a database transaction. Without an answer, and beyond `PAYOUT_FEE_RISE`, the
 * draft's own fee stays: the worker follows the fee before it sends the payout.
 */
export async function feeAtApproval(context: Context, payout: PayoutView): Promise<PayoutFee> {
  const { id, chain, fee, fee_reserve, fee_rate } = payout;
  const ofDraft = { fee, fee_reserve, fee_rate };
  const sender = context.senders.get(chain);
  if (sender === undefined) return ofDraft;
  try {
    const estimate = await withinTime(
      () => sender.estimate(transferOf(payout)),
      LONGEST_WAIT_MS,
      () => {
        throw new UnavailableError(`The chain ${chain} did not answer in time`);
      },
    );
    if (estimate.fee > parseAmount(fee) * BigInt(context.config.payoutFeeRise)) return ofDraft;
    return {
      fee: formatAmount(estimate.fee),
      fee_reserve: formatAmount(estimate.reserve),
      fee_rate: estimate.feeRate === undefined ? null : Math.ceil(estimate.feeRate),
    };
  } catch (error) {
    context.log.warn(
      { event: 'payout_fee_not_estimated', err: error, payout_id: id, chain },
      'a payout is approved with the network fee of its draft',
    );
    return ofDraft;
  }
}

/**
 * The fee with the reserve of the draft, for a wallet that lacks more: the draft may be for all
 * that it has. Null when that reserve is no less, or does not cover the expected fee.
 */
export function withReserveOf(
  { fee_reserve }: Pick<PayoutRow, 'fee_reserve'>,
  fee: PayoutFee,
): PayoutFee | null {
  const reserve = parseAmount(fee_reserve);
  const isEnough = parseAmount(fee.fee) <= reserve && reserve < parseAmount(fee.fee_reserve);
  return isEnough ? { ...fee, fee_reserve } : null;
}
