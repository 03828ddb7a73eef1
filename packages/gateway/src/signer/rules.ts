import type { BitcoinPlan, EvmPlan, LightningPlan } from '@crypto-checkout/chains/sender';
import { isPayoutPurpose } from '@crypto-checkout/chains/signer';
import { bitcoinTransfer, requireBitcoinNetwork, withoutPrevious } from './bitcoin-rules.ts';
import { evmTransfer, requireChainId } from './evm-rules.ts';
import { isBeyond, requireApproval, requireFee } from './limits.ts';
import { lightningTransfer } from './lightning-rules.ts';
import {
  isEvmRequest,
  isLightningRequest,
  refused,
  unitsOf,
  type SignerState,
  type SigningRequest,
  type Transfer,
} from './request.ts';
import type { SignedEntry } from './signed-log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Decides about a plan from the policy, the own keys and the own log alone; the caller is not
 * trusted.
 * @returns the entry to log before signing; null for a plan that was signed before
 * @throws SigningRefusedError with one sentence
 */
export function decide(request: SigningRequest, state: SignerState): SignedEntry | null {
  const { policy, log } = state;
  const { chain, id, purpose } = request;
  const rules = policy.chains[chain];
  if (rules === undefined) throw refused(`The policy does not name the chain ${chain}`);
  if (isEvmRequest(request)) requireChainId(policy, request.chain, request.plan);
  else if (!isLightningRequest(request)) requireBitcoinNetwork(policy, request);
  const earlier = log.entries.filter((entry) => entry.id === id);
  const plan = request.plan.family === 'bitcoin' ? withoutPrevious(request.plan) : request.plan;
  if (earlier.some((entry) => samePlan(entry.plan, plan))) return null;
  const transfer = transferOf(request, state, earlier);
  // A clock that steps back does not begin a day anew.
  const at = Math.max(state.now, log.entries.at(-1)?.at ?? 0);
  const day = log.entries.filter((entry) => entry.chain === chain && entry.at > at - DAY_MS);
  const isReplacement = earlier.length > 0;
  const isReviewed = state.isReviewed === true;
  const needsApproval = isReplacement
    ? earlier.some((entry) => entry.approved)
    : isPayoutPurpose(purpose) && isBeyond({ chain, purpose }, policy, day, transfer);
  const approved = needsApproval || isReviewed;
  if (needsApproval && !isReviewed)
    requireApproval(request, state, { transfer, at, isReplacement });
  requireFee(request, rules, day, transfer);
  const units = isReplacement ? '0' : unitsOf(transfer).toString();
  const fee = transfer.fee.toString();
  return { at, id, purpose, chain, kind: transfer.kind.kind, units, fee, approved, plan };
}

function transferOf(
  request: SigningRequest,
  state: SignerState,
  earlier: readonly SignedEntry[],
): Transfer {
  if (isEvmRequest(request)) return evmTransfer(request, state, earlier);
  if (isLightningRequest(request)) return lightningTransfer(request, state);
  return bitcoinTransfer(request, state, earlier);
}

type Plan = EvmPlan | BitcoinPlan | LightningPlan;
export const samePlan = (one: Plan, other: Plan): boolean => canonical(one) === canonical(other);
const canonical = (plan: Plan): string =>
  JSON.stringify(Object.entries(plan).toSorted(([a], [b]) => (a < b ? -1 : 1)));
