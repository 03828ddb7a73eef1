import {
  formatAmount,
  fromUnits,
  parseAmount,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { CHAINS, type EvmChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { evmAddress } from '@crypto-checkout/chains/evm/address';
import { uncompressedReceivingKey } from '@crypto-checkout/chains/hd-keys';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { EvmPlan } from '@crypto-checkout/chains/sender';
import { SigningRefusedError, type Purpose } from '@crypto-checkout/chains/signer';
import { isApproved, type Approval } from './approval.ts';
import { kindOfToken, type ChainPolicy, type Policy } from './policy.ts';
import type { SignedEntry, SignedLog } from './signed-log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SigningRequest {
  id: string;
  purpose: Purpose;
  chain: EvmChainId;
  plan: EvmPlan;
  recipientIndex: number | null;
  approval: Approval | null;
}

export interface SignerState {
  policy: Policy;
  keys: Pick<PublicKeys, 'evm'>;
  log: SignedLog;
  /** The signer's own clock, milliseconds since the epoch. */
  now: number;
  /** A person looks at each transaction: amounts need no approval and count for no limit. */
  isReviewed?: boolean;
}

/**
 * Decides about a plan from the policy, the own keys and the own log alone; the caller is not
 * trusted.
 * @returns the entry to log before signing; null for a plan that was signed before
 * @throws SigningRefusedError with one sentence
 */
export function decide(request: SigningRequest, state: SignerState): SignedEntry | null {
  const { policy, log } = state;
  const { chain, plan, id, purpose } = request;
  const rules = policy.chains[chain];
  if (rules === undefined) throw refused(`The policy does not name the chain ${chain}`);
  requireChainId(policy, chain, plan);
  const earlier = log.entries.filter((entry) => entry.id === id);
  if (earlier.some((entry) => samePlan(entry.plan, plan))) return null;
  requireConflict(earlier, plan);
  const kind = kindOfToken(policy, chain, plan.token);
  if (kind === null) throw refused(`The policy does not know the token ${String(plan.token)}`);
  requireTransfer(request, state);
  requireOwnAddresses(request, state, rules);
  // A clock that steps back does not begin a day anew.
  const at = Math.max(state.now, log.entries.at(-1)?.at ?? 0);
  const day = log.entries.filter((entry) => entry.chain === chain && entry.at > at - DAY_MS);
  const fee = BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas);
  const isReplacement = earlier.length > 0;
  const isReviewed = state.isReviewed === true;
  const needsApproval = isReplacement
    ? earlier.some((entry) => entry.approved)
    : purpose === 'payout' && isBeyond(rules, day, kind, plan);
  const approved = needsApproval || isReviewed;
  if (needsApproval && !isReviewed) requireApproval(request, state, { kind, at, earlier });
  requireFee(request, rules, day, fee);
  const units = isReplacement ? '0' : plan.units;
  return { at, id, purpose, chain, kind: kind.kind, units, fee: fee.toString(), approved, plan };
}

const refused = (reason: string): SigningRefusedError =>
  new SigningRefusedError(`The signer refused: ${reason}`);

function requireChainId({ network }: Policy, chain: EvmChainId, { chainId }: EvmPlan): void {
  const { evmChainId } = CHAINS[chain];
  if (network === 'mainnet' ? chainId !== evmChainId : chainId === evmChainId)
    throw refused(`the chain id ${chainId} is not ${chain} on the ${network}`);
}

const samePlan = (one: EvmPlan, other: EvmPlan): boolean => canonical(one) === canonical(other);
const canonical = (plan: EvmPlan): string =>
  JSON.stringify(Object.entries(plan).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** A second plan of an id may only change the fee: of all of them one can be mined. */
function requireConflict(earlier: readonly SignedEntry[], plan: EvmPlan): void {
  for (const { plan: before, id } of earlier) {
    const isSame =
      before.chainId === plan.chainId &&
      before.nonce === plan.nonce &&
      before.from.address.toLowerCase() === plan.from.address.toLowerCase() &&
      before.to.toLowerCase() === plan.to.toLowerCase() &&
      before.token === plan.token &&
      before.units === plan.units &&
      before.memo === plan.memo;
    if (!isSame && !isCancellation(before, plan))
      throw refused(`${id} was signed before, with another recipient, amount or number`);
  }
}

/** A transfer of nothing to the sender itself, which takes the number of the plan before. */
const isCancellation = (before: EvmPlan, plan: EvmPlan): boolean =>
  before.chainId === plan.chainId &&
  before.nonce === plan.nonce &&
  before.from.address.toLowerCase() === plan.from.address.toLowerCase() &&
  plan.to.toLowerCase() === plan.from.address.toLowerCase() &&
  plan.token === null &&
  plan.units === '0' &&
  plan.memo === null;

/** Coin with a memo to a token's contract would be a call of the token. */
function requireTransfer({ chain, plan }: SigningRequest, { policy }: SignerState): void {
  if (plan.token === null && kindOfToken(policy, chain, plan.to) !== null)
    throw refused(`${plan.to} is the contract of a token`);
  if (plan.memo !== null && BigInt(plan.units) === 0n)
    throw refused('a transfer of nothing cannot have a memo');
}

function requireOwnAddresses(
  { purpose, plan, recipientIndex }: SigningRequest,
  { keys }: SignerState,
  { sweep_to }: ChainPolicy,
): void {
  const payoutAddress = evmSendingAddress(keys).toLowerCase();
  const { branch, index } = plan.from;
  if (purpose === 'sweep' ? branch !== 0 : branch !== 1 || index !== 0)
    throw refused(`a ${purpose} cannot leave from ${plan.from.address}`);
  const to = plan.to.toLowerCase();
  if (purpose === 'sweep' && to !== payoutAddress && to !== sweep_to)
    throw refused(
      `a sweep to ${plan.to} is not allowed: it is neither the payout address nor sweep_to`,
    );
  if (purpose !== 'top_up') return;
  const own =
    recipientIndex === null
      ? null
      : evmAddress(uncompressedReceivingKey(keys.evm, recipientIndex)).toLowerCase();
  if (plan.token !== null || to !== own)
    throw refused(`a top-up to ${plan.to} is not allowed: it is no deposit address of these keys`);
}

/** Whether a payout needs an approval. */
function isBeyond(
  { payouts, destinations }: ChainPolicy,
  day: readonly SignedEntry[],
  { kind, decimals }: Kind,
  plan: EvmPlan,
): boolean {
  const limits = payouts[kind];
  if (limits === undefined) return true;
  if (destinations && !destinations.includes(plan.to.toLowerCase())) return true;
  const amount = amountOf(plan.units, decimals);
  const spent = day
    .filter((entry) => entry.purpose === 'payout' && entry.kind === kind && !entry.approved)
    .reduce((sum, { units }) => sum + amountOf(units, decimals), 0n);
  return amount > limits.per_transaction || spent + amount > limits.per_day;
}

/** A replacement has the approval of the plan before, which may have run out since. */
function requireApproval(
  { id, chain, plan, approval }: SigningRequest,
  { policy }: SignerState,
  { kind, at, earlier }: { kind: Kind; at: number; earlier: readonly SignedEntry[] },
): void {
  // A cancellation sends nothing; the policy limits its fee.
  if (earlier.some((entry) => isCancellation(entry.plan, plan))) return;
  const amount = formatAmount(amountOf(plan.units, kind.decimals));
  const wanted = `${amount} ${kind.kind} to ${plan.to}`;
  if (approval === null) throw refused(`${wanted} is beyond the policy and needs an approval`);
  if (earlier.length === 0 && approval.expires_at * 1000 <= at)
    throw refused(`the approval of ${wanted} has expired`);
  const payout = {
    network: policy.network,
    chain,
    kind: kind.kind,
    id,
    address: plan.to,
    tag: null,
    amount,
    fee: approval.fee,
    expires_at: approval.expires_at,
  };
  if (!isApproved(payout, approval, policy.approvers))
    throw refused(`the approval is not for ${wanted}, or not by an approver`);
  if (feeOf(plan) > parseAmount(approval.fee))
    throw refused(`the fee is above the ${approval.fee} of the approval`);
}

function requireFee(
  { chain, id }: SigningRequest,
  rules: ChainPolicy,
  day: readonly SignedEntry[],
  fee: bigint,
): void {
  const own = fromUnits(fee, 18);
  const limit = formatAmount(rules.fee_per_transaction);
  if (own > rules.fee_per_transaction)
    throw refused(`the fee of ${formatAmount(own)} is above fee_per_transaction, ${limit}`);
  // Of the plans of one id only one is mined: the highest fee counts.
  const highest = new Map<string, bigint>([[`${chain}:${id}`, fee]]);
  for (const entry of day) {
    const key = `${entry.chain}:${entry.id}`;
    const paid = BigInt(entry.fee);
    if (paid > (highest.get(key) ?? 0n)) highest.set(key, paid);
  }
  const sum = [...highest.values()].reduce((total, one) => total + fromUnits(one, 18), 0n);
  if (sum > rules.fee_per_day)
    throw refused(
      `the fees of 24 hours would be ${formatAmount(sum)}, above fee_per_day, ${formatAmount(rules.fee_per_day)}`,
    );
}

const amountOf = (units: string, decimals: number): Amount => fromUnits(BigInt(units), decimals);
const feeOf = (plan: EvmPlan): Amount =>
  fromUnits(BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas), 18);
