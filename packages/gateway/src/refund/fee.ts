import type { ChainSender } from '@crypto-checkout/chains/sender';
import { withinTime } from '@crypto-checkout/chains/within-time';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Amount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { deductedFee } from '../payout/fee.ts';
import { transfer } from '../sweep/start-sweep.ts';
import { sweepFeeOf, type SweptMoney } from './plan.ts';

/** Longest wait for the node. A buyer waits for the answer. */
const LONGEST_WAIT_MS = 1_500;

/**
 * The fee that the recipient of money will pay when a sweep has to bring it first, as it is before
 * an address is known. Queries the chain, so never call it in a database transaction.
 * @returns null where the usual network fee of the chain applies, and without an answer of the node
 */
export async function feeWithSweep(context: Context, money: SweptMoney): Promise<Amount | null> {
  const kind = kindOf(money.transaction.kind);
  const sender = kind && context.senders.get(kind.chain);
  if (sender?.sweeping === undefined) return null;
  try {
    return await withinTime(
      () => estimate(context, sender, money),
      LONGEST_WAIT_MS,
      () => null,
    );
  } catch {
    // The list is shown without it: the request with an address counts the fee again.
    return null;
  }
}

async function estimate(
  context: Context,
  sender: ChainSender,
  money: SweptMoney,
): Promise<Amount | null> {
  const sweepFee = await sweepFeeOf(context, money);
  if (sweepFee === 0n) return null;
  const { asset } = kindOf(money.transaction.kind)!;
  const address = sender.sweeping!.payoutAddress;
  const request = { ...transfer(asset, address, money.amount), preset: 'normal' } as const;
  return deductedFee(await sender.estimate(request), sweepFee);
}
