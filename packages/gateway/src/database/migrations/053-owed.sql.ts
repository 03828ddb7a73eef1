/** Payments that left the chain after their money was spent. */
export const owed = `
-- its amount is to leave what is available as soon as there is enough
alter table transaction add column owed boolean not null default false;
create index transaction_owed on transaction(chain) where owed;
`;
