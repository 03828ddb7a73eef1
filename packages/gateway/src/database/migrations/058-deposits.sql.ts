/** Fewer writes for each payment. */
export const deposits = `
-- A transaction is found by its id, which is unique by itself: a second index with the account before it was written and never read.
alter table transaction drop constraint transaction_pkey;
alter table transaction add primary key using index transaction_id;

-- What waits in no block yet is passed over where depths are counted.
drop index transaction_open;
create index transaction_open on transaction(chain, block_height) where status in ('pending', 'confirmed', 'unconfirmed', 'quarantined');
`;
