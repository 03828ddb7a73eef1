import { kindOf } from '@crypto-checkout/protocol/kind';
import {
  Bolt11Error,
  decodeBolt11,
  type DecodedBolt11,
} from '@crypto-checkout/chains/lightning/bolt11';
import { MSAT_DECIMALS } from '@crypto-checkout/chains/lightning/payment-request';
import type { LightningPlan } from '@crypto-checkout/chains/sender';
import { isPayoutPurpose } from '@crypto-checkout/chains/signer';
import { refused, type LightningRequest, type SignerState, type Transfer } from './request.ts';

/**
 * The transfer of a plan. Reads the lightning request again: its hash, amount and node are signed
 * by the recipient.
 * @throws SigningRefusedError
 */
export function lightningTransfer(
  { id, purpose, recipientIndex, plan }: LightningRequest,
  { policy, log }: SignerState,
): Transfer {
  if (!isPayoutPurpose(purpose) || recipientIndex !== null)
    throw refused(`lightning has payouts only, and no ${purpose}`);
  const request = requestOf(plan);
  if ((request.prefix === 'bc') !== (policy.network === 'mainnet'))
    throw refused(`the lightning request is not for the ${policy.network}`);
  const isPlanned =
    request.paymentHash === plan.paymentHash &&
    (request.amountMsat === null || request.amountMsat === BigInt(plan.amountMsat));
  if (!isPlanned) throw refused('the lightning request has another hash or amount than the plan');
  for (const earlier of log.entries) {
    if (earlier.plan.family !== 'lightning') continue;
    if (earlier.id === id) throw refused(`${id} was signed before, with another request or fee`);
    if (earlier.plan.paymentHash === plan.paymentHash)
      throw refused(`the request of ${id} was signed before, for ${earlier.id}`);
  }
  return {
    kind: kindOf('BTC_LIGHTNING')!,
    decimals: MSAT_DECIMALS,
    recipients: [{ address: plan.paymentHash, memo: null, units: BigInt(plan.amountMsat) }],
    listed: [request.nodeKey],
    fee: BigInt(plan.feeLimitMsat),
    feeDecimals: MSAT_DECIMALS,
    isCancellation: false,
  };
}

function requestOf({ paymentRequest }: LightningPlan): DecodedBolt11 {
  try {
    return decodeBolt11(paymentRequest);
  } catch (error) {
    if (error instanceof Bolt11Error) throw refused(`the lightning request: ${error.message}`);
    throw error;
  }
}
