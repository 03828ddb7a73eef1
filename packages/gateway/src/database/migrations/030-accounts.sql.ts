/**
 * Sub accounts, keys whose secret was changed, and profiles that were deleted but whose invoices
 * and payouts go on.
 */
export const accounts = `
-- Whose sub account it is; null for an account of the operator's own.
alter table account add column parent_id uuid references account(id);
-- Of sub accounts only: made from the first name, and never changed.
alter table account add column slug text;
alter table account add column can_add_exchange boolean not null default false;
alter table account add column show_internal_tx boolean not null default false;
alter table account add column whitelabel_fee numeric(20,18) not null default 0 check (whitelabel_fee between 0 and 1);
create unique index account_slug on account(parent_id, slug);

-- The secret before the last change, for as long as it still signs.
alter table api_key add column previous_secret_sealed text;
alter table api_key add column previous_until_real timestamptz;

alter table profile add column deleted_at timestamptz;

-- Addresses of expired invoices that are still asked for their balance (chain/payable.ts).
create index invoice_expired on invoice(expires_at) where status = 'expired';
`;
