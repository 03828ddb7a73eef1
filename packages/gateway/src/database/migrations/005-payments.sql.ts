/** What invoices, transactions and the engine need beyond the start. */
export const payments = `
-- Seconds that a quote runs; what a renewal or an extension adds.
alter table invoice add column expiration_seconds integer;
-- The payments seen in time make up the amount: such an invoice never expires.
alter table invoice add column matched boolean not null default false;
drop index invoice_due;
create index invoice_due on invoice(expires_at) where status in ('new', 'pending') and not matched and expires_at is not null;
-- Tells apart what arrived in the same moment.
alter table transaction add column number bigint generated always as identity;
alter table transaction add column quarantined boolean not null default false;
-- Business time of the last look that reached the tip: what is found later was first seen after it.
alter table chain_cursor add column looked_at timestamptz;

create index transaction_block on transaction(chain, block_height) where block_height is not null;
create index transaction_waiting on transaction(created_at) where status = 'pending' and block_height is null;
create index transaction_frozen on transaction(chain) where credit = 'frozen';
create index invoice_address_lower on invoice(account_id, lower(address)) where address like '0x%';
`;
