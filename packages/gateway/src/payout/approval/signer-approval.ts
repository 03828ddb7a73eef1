import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { ServiceError } from '../../http/error.ts';
import type { ApprovedPayout } from '../../signer/approval.ts';
import type { PayoutView } from '../store.ts';

/**
 * Returns what an approver has to approve, without the fee and the expiry, which the approver sets.
 * @throws ServiceError `ValidationError` for a payout that the signer process does not sign
 */
export function approvalRequest(
  payout: PayoutView,
  network: ApprovedPayout['network'],
): Omit<ApprovedPayout, 'fee' | 'expires_at'> {
  const [recipient, ...others] = payout.recipients;
  if (recipient === undefined || others.length > 0)
    throw new ServiceError('ValidationError', 'Only a payout to one recipient can be approved.');
  return {
    network,
    chain: payout.chain,
    kind: payout.asset,
    id: payout.id,
    address: recipient.address,
    tag: recipient.tag,
    amount: formatAmount(parseAmount(recipient.amount)),
  };
}
