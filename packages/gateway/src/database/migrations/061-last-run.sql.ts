/** The result of an automatic payout's last run, for the dashboard. */
export const lastRun = `
alter table automatic_payout
  add column last_at timestamptz,
  -- what it sent; null when it sent nothing
  add column last_payout_id uuid;
`;
