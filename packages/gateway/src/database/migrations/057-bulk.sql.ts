/** Cheaper writes for whole blocks of payments. */
export const bulk = `
-- Invoices that were made together are paid together: with room for a second version of each on their page their indexes need not be
-- written again.
alter table invoice set (fillfactor = 50);

-- In the order in which a list is shown, and in which nearly all rows come: a new one goes to the end of the index.
drop index transaction_list;
create index transaction_list on transaction(account_id, created_at, number);
`;
