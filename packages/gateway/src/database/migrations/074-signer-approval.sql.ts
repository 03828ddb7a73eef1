/** Approvals of payouts that the policy of the signer process does not allow by itself. */
export const signerApproval = `
create table signer_approval (
  payout_id uuid primary key,
  -- signed by an approver on another machine; only the signer decides whether it is valid
  approval jsonb not null,
  created_at_real timestamptz not null default clock_timestamp()
);
`;
