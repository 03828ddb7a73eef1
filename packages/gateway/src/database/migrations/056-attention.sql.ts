/** Partial indexes for rows that wait for an operator. */
export const attention = `
create index payout_draft on payout(account_id, number) where status = 'draft';
`;
