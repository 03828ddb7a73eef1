/** What writes less for each payment. */
export const deposits = `
-- A transaction is found by its id, which is unique by itself: a second index with the account before it was written and never read.
alter table transaction drop constraint transaction_pkey;
alter table transaction add primary key using index transaction_id;
`;
