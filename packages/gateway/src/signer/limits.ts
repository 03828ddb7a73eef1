import {
  formatAmount,
  fromUnits,
  parseAmount,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { isPayoutPurpose, type PayoutPurpose } from '@crypto-checkout/chains/signer';
import { isApproved } from './approval.ts';
import { normalAddress, type ChainPolicy, type Policy, type PurposePolicy } from './policy.ts';
import {
  refused,
  unitsOf,
  type SignerState,
  type SigningRequest,
  type Transfer,
} from './request.ts';
import type { SignedEntry } from './signed-log.ts';

/** Whether a payout needs an approval. */
export function isBeyond(
  { chain, purpose }: { chain: SigningRequest['chain']; purpose: PayoutPurpose },
  { network, chains }: Policy,
  day: readonly SignedEntry[],
  transfer: Transfer,
): boolean {
  const {
    kind: { kind },
    decimals,
  } = transfer;
  const rules = chains[chain]!;
  const { budget, limits: kinds, destinations } = budgetOf(rules, purpose);
  const limits = kinds[kind];
  if (limits === undefined) return true;
  // A contract at a listed address could obey a memo, and pay another address.
  const hasMemo = transfer.recipients.some(({ memo }) => memo !== null);
  const names = transfer.listed ?? transfer.recipients.map(({ address }) => address);
  const isListed = (name: string): boolean =>
    !destinations || (!hasMemo && destinations.includes(normalAddress(chain, network, name)));
  if (!names.every(isListed)) return true;
  const amount = fromUnits(unitsOf(transfer), decimals);
  const spent = day
    .filter((entry) => entry.kind === kind && !entry.approved)
    .filter(
      (entry) => isPayoutPurpose(entry.purpose) && budgetOf(rules, entry.purpose).budget === budget,
    )
    .reduce((sum, entry) => sum + fromUnits(BigInt(entry.units), decimals), 0n);
  return amount > limits.per_transaction || spent + amount > limits.per_day;
}

/** A purpose without limits of its own counts as a payout. */
function budgetOf(
  { payouts, destinations, refunds, automatic_payouts }: ChainPolicy,
  purpose: PayoutPurpose,
): PurposePolicy & { budget: PayoutPurpose } {
  if (purpose === 'refund' && refunds != null) return { budget: purpose, ...refunds };
  if (purpose === 'automatic_payout' && automatic_payouts != null)
    return { budget: purpose, ...automatic_payouts };
  return { budget: 'payout', limits: payouts, destinations };
}

/**
 * A replacement has the approval of the plan before, which may have run out since.
 * @throws SigningRefusedError
 */
export function requireApproval(
  { id, chain, approval }: SigningRequest,
  { policy }: SignerState,
  { transfer, at, isReplacement }: { transfer: Transfer; at: number; isReplacement: boolean },
): void {
  // A cancellation sends nothing; the policy limits its fee.
  if (transfer.isCancellation) return;
  const { kind, decimals, recipients, fee, feeDecimals } = transfer;
  const amountOf = (units: bigint): string => formatAmount(fromUnits(units, decimals));
  const to = recipients.length === 1 ? recipients[0]!.address : `${recipients.length} recipients`;
  const wanted = `${amountOf(unitsOf(transfer))} ${kind.kind} to ${to}`;
  if (approval === null) throw refused(`${wanted} is beyond the policy and needs an approval`);
  if (!isReplacement && approval.expires_at * 1000 <= at)
    throw refused(`the approval of ${wanted} has expired`);
  const payout = {
    network: policy.network,
    chain,
    kind: kind.asset,
    id,
    recipients: recipients.map(({ address, memo, units }) => ({
      address,
      tag: memo,
      amount: amountOf(units),
    })),
    fee: approval.fee,
    expires_at: approval.expires_at,
  };
  if (!isApproved(payout, approval, policy.approvers))
    throw refused(`the approval is not for ${wanted}, or not by an approver`);
  if (fromUnits(fee, feeDecimals) > parseAmount(approval.fee))
    throw refused(`the fee is above the ${approval.fee} of the approval`);
}

/** @throws SigningRefusedError for a fee above the ceilings */
export function requireFee(
  { chain, id }: SigningRequest,
  rules: ChainPolicy,
  day: readonly SignedEntry[],
  { fee, feeDecimals }: Transfer,
): void {
  const own = fromUnits(fee, feeDecimals);
  const limit = formatAmount(rules.fee_per_transaction);
  if (own > rules.fee_per_transaction)
    throw refused(`the fee of ${formatAmount(own)} is above fee_per_transaction, ${limit}`);
  const sum = feesOf(day, `${chain}:${id}`, fee, feeDecimals);
  if (sum > rules.fee_per_day)
    throw refused(
      `the fees of 24 hours would be ${formatAmount(sum)}, above fee_per_day, ${formatAmount(rules.fee_per_day)}`,
    );
}

/** Of the plans of one id only one is mined: the highest fee counts. */
function feesOf(day: readonly SignedEntry[], id: string, fee: bigint, feeDecimals: number): Amount {
  const highest = new Map<string, bigint>([[id, fee]]);
  for (const entry of day) {
    const key = `${entry.chain}:${entry.id}`;
    const paid = BigInt(entry.fee);
    if (paid > (highest.get(key) ?? 0n)) highest.set(key, paid);
  }
  return [...highest.values()].reduce((total, one) => total + fromUnits(one, feeDecimals), 0n);
}
