/** The cold address that a sweep goes to; null: the payout address. */
export const sweepRecipient = `
alter table sweep add column recipient text;
`;
