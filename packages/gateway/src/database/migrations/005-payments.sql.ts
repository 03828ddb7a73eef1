/** Tables of invoices, transactions and the engine. */
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
create index invoice_address_lower on invoice(lower(address), account_id) where address like '0x%';

-- Before its first statistics PostgreSQL takes any index that begins with a column it compares, so these begin with the column
-- that tells rows apart: otherwise a new database reads all invoices of the account for each that is created (measured).
alter table quote drop constraint quote_account_id_invoice_id_fkey;
alter table quote add foreign key (invoice_id) references invoice(id);
drop index invoice_address;
create index invoice_address on invoice(address, account_id);
drop index transaction_txid;
create index transaction_txid on transaction(txid, account_id);
drop index transaction_invoice;
create index transaction_invoice on transaction(invoice_id);
create index quote_invoice on quote(invoice_id);
`;
