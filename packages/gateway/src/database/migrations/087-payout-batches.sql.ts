/** Payouts that leave in one transaction (Bitcoin, Litecoin, Dogecoin on a node). */
export const payoutBatches = `
-- the transaction that a payout shares with others; null: that of its own id. A plan that nobody signed is discarded, and its payouts stand alone again
alter table payout add column batch_id uuid references outgoing(id) on delete set null deferrable initially deferred;
create index payout_batch on payout(batch_id) where batch_id is not null;
`;
