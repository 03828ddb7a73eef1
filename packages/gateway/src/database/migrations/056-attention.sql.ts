/** What waits for a person is found without looking at all the rest. */
export const attention = `
create index payout_draft on payout(account_id, number) where status = 'draft';
`;
