/** What the last run of an automatic payout did, for whoever looks at the rules. */
export const lastRun = `
alter table automatic_payout
  add column last_at timestamptz,
  -- what it sent; null when it sent nothing
  add column last_payout_id uuid;
`;
