import {
  formatAmount,
  fromUnits,
  parseAmount,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { isApproved } from './approval.ts';
import { normalAddress, type ChainPolicy, type Policy } from './policy.ts';
import { refused, type SignerState, type SigningRequest, type Transfer } from './request.ts';
import type { SignedEntry } from './signed-log.ts';

/** Whether a payout needs an approval. */
export function isBeyond(
  { chain }: Pick<SigningRequest, 'chain'>,
  { network, chains }: Policy,
  day: readonly SignedEntry[],
  { kind: { kind }, units, decimals, recipients, listed = recipients }: Transfer,
): boolean {
  const { payouts, destinations } = chains[chain]!;
  const limits = payouts[kind];
  if (limits === undefined) return true;
  const isListed = (address: string): boolean =>
    !destinations || destinations.includes(normalAddress(chain, network, address));
  if (!listed.every(isListed)) return true;
  const amount = fromUnits(units, decimals);
  const spent = day
    .filter((entry) => entry.purpose === 'payout' && entry.kind === kind && !entry.approved)
    .reduce((sum, entry) => sum + fromUnits(BigInt(entry.units), decimals), 0n);
  return amount > limits.per_transaction || spent + amount > limits.per_day;
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
  const { kind, units, decimals, recipients, fee, feeDecimals } = transfer;
  const amount = formatAmount(fromUnits(units, decimals));
  const [address = ''] = recipients;
  const wanted = `${amount} ${kind.kind} to ${recipients.length === 1 ? address : `${recipients.length} recipients`}`;
  if (recipients.length > 1)
    throw refused(`${wanted} is beyond the policy, and an approval is for one recipient`);
  if (approval === null) throw refused(`${wanted} is beyond the policy and needs an approval`);
  if (!isReplacement && approval.expires_at * 1000 <= at)
    throw refused(`the approval of ${wanted} has expired`);
  const payout = {
    network: policy.network,
    chain,
    kind: kind.asset,
    id,
    address,
    tag: null,
    amount,
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
