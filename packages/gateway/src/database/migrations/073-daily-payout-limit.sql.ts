/** The limit of the payouts that a key makes within a day without approval. */
export const dailyPayoutLimit = `
-- in USD; null for no limit
alter table api_key add column max_payout_daily numeric(60,18) check (max_payout_daily >= 0);
-- of all recipients when it was created, in USD; null without an exchange rate, and in older payouts
alter table payout add column usd_value numeric(60,18);
create index payout_of_key on payout (key_id, created_at) where key_id is not null;
`;
