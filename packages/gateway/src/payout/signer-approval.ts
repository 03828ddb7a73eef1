import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { approval, type Approval, type ApprovedPayout } from '../signer/approval.ts';
import type { PayoutView } from './store.ts';

/** The approval that the signer process is shown with a payout; null when there is none. */
export async function findApproval(db: Db, payoutId: string): Promise<Approval | null> {
  const { rows } = await sql<{ approval: unknown }>`
    select approval from signer_approval where payout_id::text = ${payoutId}`.execute(db);
  return rows[0] === undefined ? null : approval.parse(rows[0].approval);
}

/** Stores an approval; a later one replaces it. The signer decides whether it is valid. */
export async function saveApproval(db: Db, payoutId: string, given: Approval): Promise<void> {
  await sql`insert into signer_approval (payout_id, approval)
    values (${payoutId}::uuid, ${JSON.stringify(given)}::jsonb)
    on conflict (payout_id) do update set approval = excluded.approval`.execute(db);
}

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
