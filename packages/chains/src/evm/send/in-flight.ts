import type { EvmPlan, SendPlan } from '../../sender.ts';

/** Costs of the transactions of an address that wait for their blocks, in the smallest units. */
export interface InFlight {
  /** Null without any. */
  firstNonce: number | null;
  count: number;
  /** Amounts of the coin, and the highest fees for gas. */
  coin: bigint;
  /** Amounts of one token. */
  tokens: bigint;
}

export function inFlightOf(plans: readonly SendPlan[] = [], token: string | null): InFlight {
  const found: InFlight = { firstNonce: null, count: 0, coin: 0n, tokens: 0n };
  for (const plan of plans.filter(isEvm)) {
    found.firstNonce ??= plan.nonce;
    found.count += 1;
    found.coin += BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas);
    if (plan.token === null) found.coin += BigInt(plan.units);
    else if (plan.token.toLowerCase() === token?.toLowerCase()) found.tokens += BigInt(plan.units);
  }
  return found;
}

const isEvm = (plan: SendPlan): plan is EvmPlan => plan.family === 'evm';
