import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { ApprovedPayout } from '../../signer/approval.ts';
import type { PayoutView } from '../store.ts';

/**
 * Returns what an approver has to approve, without the fee and the expiry, which the approver sets.
 */
export function approvalRequest(
  payout: PayoutView,
  network: ApprovedPayout['network'],
): Omit<ApprovedPayout, 'fee' | 'expires_at'> {
  return {
    network,
    chain: payout.chain,
    kind: payout.asset,
    id: payout.id,
    recipients: payout.recipients.map(({ address, tag, memo, amount }) => ({
      address,
      tag: tag ?? memo,
      amount: formatAmount(parseAmount(amount)),
    })),
  };
}
