/** The limit of an automatic payout without approval. */
export const automaticPayoutLimit = `
-- in USD, of the key that made or last changed it; null for no limit
alter table automatic_payout add column max_payout numeric(60,18) check (max_payout >= 0);
`;
