import { formatAmount, fromUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { EVM_TRAITS } from '@crypto-checkout/chains/evm/traits';
import { DECIMALS } from '@crypto-checkout/chains/bitcoin/units';
import { MSAT_DECIMALS } from '@crypto-checkout/chains/lightning/payment-request';
import { kindOfToken, type Policy } from './policy.ts';
import {
  isEvmRequest,
  isLightningRequest,
  type BitcoinRequest,
  type EvmRequest,
  type LightningRequest,
  type SigningRequest,
} from './request.ts';

/**
 * Text of a stranger, in quotation marks, without characters that change how a terminal shows it.
 */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** One sentence about a transaction, from its own bytes: amounts, recipients and highest fee. */
export function describeTransaction(request: SigningRequest, policy: Policy): string {
  if (isEvmRequest(request)) return describeEvm(request, policy);
  if (isLightningRequest(request)) return describeLightning(request);
  return describeBitcoin(request, policy);
}

function describeEvm({ id, purpose, chain, plan }: EvmRequest, policy: Policy): string {
  const kind = kindOfToken(policy, chain, plan.token);
  const amount =
    kind === null
      ? `${plan.units} units of the unknown token ${String(plan.token)}`
      : `${formatAmount(fromUnits(BigInt(plan.units), kind.decimals))} ${kind.kind}`;
  const coin = kindOfToken(policy, chain, null)!.kind;
  const fee = formatAmount(fromUnits(BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas), 18));
  const forData = EVM_TRAITS[chain].hasDataFee ? ', and a fee for its data' : '';
  const memo = plan.memo === null ? '' : `, with the memo ${quoted(plan.memo)}`;
  return `${purpose} ${id}: ${amount} on ${CHAINS[chain].name} from ${plan.from.address} to ${plan.to}${memo}, number ${plan.nonce}, fee at most ${fee} ${coin}${forData}`;
}

function describeBitcoin({ id, purpose, chain, plan }: BitcoinRequest, policy: Policy): string {
  const { inputs, outputs, change } = plan;
  const coin = kindOfToken(policy, chain, null)!.kind;
  const shown = (units: bigint): string => `${formatAmount(fromUnits(units, DECIMALS))} ${coin}`;
  const sum = (parts: readonly { units: string }[]): bigint =>
    parts.reduce((total, { units }) => total + BigInt(units), 0n);
  const sent = outputs.map(({ address, units }) => `${shown(BigInt(units))} to ${address}`);
  const back = change === null ? [] : [change];
  const fee = sum(inputs) - sum(outputs) - sum(back);
  return [
    `${purpose} ${id}: ${sent.length === 0 ? 'nothing' : sent.join(', ')} on ${CHAINS[chain].name}`,
    ...back.map(({ address, units }) => `change of ${shown(BigInt(units))} to ${address}`),
    `fee ${shown(fee)}`,
  ].join(', ');
}

function describeLightning({ id, purpose, plan }: LightningRequest): string {
  const shown = (msat: string): string =>
    `${formatAmount(fromUnits(BigInt(msat), MSAT_DECIMALS))} BTC`;
  return `${purpose} ${id}: ${shown(plan.amountMsat)} over lightning for the request ${plan.paymentHash}, fee at most ${shown(plan.feeLimitMsat)}`;
}
