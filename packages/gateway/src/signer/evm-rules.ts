import { toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS, type EvmChainId } from '@crypto-checkout/protocol/kind';
import { evmAddress } from '@crypto-checkout/chains/evm/address';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { networkOf } from '@crypto-checkout/chains/evm/setup';
import { EVM_TRAITS } from '@crypto-checkout/chains/evm/traits';
import { uncompressedReceivingKey } from '@crypto-checkout/chains/hd-keys';
import type { EvmPlan } from '@crypto-checkout/chains/sender';
import { isPayoutPurpose } from '@crypto-checkout/chains/signer';
import { dataFeeOf, kindOfToken, type ChainPolicy, type Policy } from './policy.ts';
import { refused, type EvmRequest, type SignerState, type Transfer } from './request.ts';
import type { SignedEntry } from './signed-log.ts';

const COIN_DECIMALS = 18;

/** @throws SigningRefusedError for a plan of another network */
export function requireChainId({ network }: Policy, chain: EvmChainId, { chainId }: EvmPlan): void {
  if (networkOf(chain, chainId) !== network)
    throw refused(`the chain id ${chainId} is not ${chain} on the ${network}`);
}

/**
 * The transfer of a plan whose addresses are derived anew.
 * @param earlier entries of the same id
 * @throws SigningRefusedError
 */
export function evmTransfer(
  request: EvmRequest,
  state: SignerState,
  earlier: readonly SignedEntry[],
): Transfer {
  const { chain, plan } = request;
  requireConflict(earlier, plan);
  const kind = kindOfToken(state.policy, chain, plan.token);
  if (kind === null) throw refused(`The policy does not know the token ${String(plan.token)}`);
  requireTransfer(request, state);
  requireOwnAddresses(request, state, state.policy.chains[chain]!);
  return {
    kind,
    decimals: kind.decimals,
    recipients: [{ address: plan.to, memo: plan.memo, units: BigInt(plan.units) }],
    fee:
      BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas) +
      toUnits(dataFeeOf(chain, state.policy.chains[chain]!), COIN_DECIMALS),
    feeDecimals: COIN_DECIMALS,
    isCancellation: earlier.some((entry) => isCancellation(entry.plan, plan)),
  };
}

/** A second plan of an id may only change the fee: of all of them one can be mined. */
function requireConflict(earlier: readonly SignedEntry[], plan: EvmPlan): void {
  for (const { plan: before, id } of earlier) {
    const isSame =
      before.family === 'evm' &&
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
const isCancellation = (before: SignedEntry['plan'], plan: EvmPlan): boolean =>
  before.family === 'evm' &&
  before.chainId === plan.chainId &&
  before.nonce === plan.nonce &&
  before.from.address.toLowerCase() === plan.from.address.toLowerCase() &&
  plan.to.toLowerCase() === plan.from.address.toLowerCase() &&
  plan.token === null &&
  plan.units === '0' &&
  plan.memo === null;

/** Coin with a memo to a token's contract would be a call of the token. */
function requireTransfer({ chain, plan }: EvmRequest, { policy }: SignerState): void {
  if (plan.token === null && kindOfToken(policy, chain, plan.to) !== null)
    throw refused(`${plan.to} is the contract of a token`);
  if (plan.memo !== null && BigInt(plan.units) === 0n)
    throw refused('a transfer of nothing cannot have a memo');
  // The fee for data grows with its length; the ceilings count that of a transfer.
  if (plan.memo !== null && EVM_TRAITS[chain].hasDataFee)
    throw refused(`a transaction on ${CHAINS[chain].name} has no memo`);
}

function requireOwnAddresses(
  { purpose, plan, recipientIndex }: EvmRequest,
  { keys }: SignerState,
  { sweep_to }: ChainPolicy,
): void {
  const payoutAddress = evmSendingAddress(keys).toLowerCase();
  const depositAddress = (at: number): string =>
    evmAddress(uncompressedReceivingKey(keys.evm, at)).toLowerCase();
  const { branch, index } = plan.from;
  if (purpose === 'sweep' ? branch !== 0 : branch !== 1 || index !== 0)
    throw refused(`a ${purpose} cannot leave from ${plan.from.address}`);
  // Before the log: an entry that is never signed would take part of the day's limits.
  if (plan.from.address.toLowerCase() !== (branch === 0 ? depositAddress(index) : payoutAddress))
    throw refused(`no key of this signer derives the address ${plan.from.address}`);
  if (isPayoutPurpose(purpose)) return;
  if (plan.memo !== null) throw refused(`a ${purpose} has no memo`);
  const to = plan.to.toLowerCase();
  if (purpose === 'sweep' && to !== payoutAddress && to !== sweep_to)
    throw refused(
      `a sweep to ${plan.to} is not allowed: it is neither the payout address nor sweep_to`,
    );
  if (purpose !== 'top_up') return;
  const own = recipientIndex === null ? null : depositAddress(recipientIndex);
  if (plan.token !== null || to !== own)
    throw refused(`a top-up to ${plan.to} is not allowed: it is no deposit address of these keys`);
}
