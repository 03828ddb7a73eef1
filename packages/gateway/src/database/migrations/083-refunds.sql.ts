/** Refunds: payouts that return the money of one transaction. */
export const refunds = `
alter table transaction
  -- the sum of its refunds, without those that were rejected or failed
  add column refunded numeric(60,18) not null default 0 check (refunded >= 0),
  -- the most that the shop offers to return; null without an offer
  add column refund_offer numeric(60,18) check (refund_offer >= 0),
  -- late, and counted by the shop all the same
  add column late_accepted boolean not null default false;

create table refund (
  account_id uuid not null references account(id),
  id uuid primary key,
  transaction_id uuid not null references transaction(id),
  invoice_id uuid not null references invoice(id),
  profile_id uuid not null,
  payout_id uuid unique,
  kind text not null,
  asset text not null,
  cause text not null check (cause in ('late', 'wrong_coin', 'expired', 'excess', 'offered')),
  status text not null check (status in ('requested', 'draft', 'approved', 'paid', 'rejected', 'failed')),
  address text not null,
  destination_tag text,
  amount numeric(60,18) not null check (amount > 0),
  -- of the payout; before it an estimate
  received numeric(60,18) not null check (received > 0),
  network_fee_pays text not null check (network_fee_pays in ('merchant', 'recipient')),
  is_proven boolean not null,
  -- due: REFUNDS=auto has not decided yet; done: it approved
  automatic text not null default 'no' check (automatic in ('no', 'due', 'done')),
  -- null without an exchange rate
  usd_value numeric(60,18),
  reference_id text,
  reason text,
  -- hash of the parameters: the same again is the same refund
  fingerprint text not null,
  key_id uuid,
  decided_by jsonb,
  decided_at timestamptz,
  error text,
  events text[] not null default '{}',
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  number bigint generated always as identity
);
create unique index refund_open on refund(transaction_id) where status in ('requested', 'draft', 'approved');
create unique index refund_reference on refund(reference_id, account_id) where reference_id is not null;
create index refund_transaction on refund(transaction_id);
create index refund_invoice on refund(invoice_id);
create index refund_list on refund(account_id, created_at desc, number desc);
create index refund_following on refund(number) where status in ('draft', 'approved', 'failed');
create index refund_due on refund(number) where automatic = 'due' and status = 'requested';
create index refund_automatic on refund(account_id, decided_at) where automatic = 'done';

alter table callback drop constraint callback_resource_check,
  add constraint callback_resource_check check (resource in ('invoice', 'transaction', 'payout', 'refund'));

-- Keys of earlier versions: those of a BFF, which have exactly what a BFF needed, and those that make payouts.
update api_key set permissions = permissions || '{refunds:read,refunds:write}'
  where not 'refunds:write' = any(permissions) and not 'payouts:approve' = any(permissions) and (
    'payouts:write' = any(permissions)
    or (permissions @> '{invoices:read,invoices:write,transactions:read,profiles:read,exchange-rates:read,wallets:read}'
      and permissions <@ '{invoices:read,invoices:write,transactions:read,profiles:read,exchange-rates:read,wallets:read}'));
update api_key set permissions = permissions || '{refunds:read}'
  where 'payouts:approve' = any(permissions) and 'payouts:read' = any(permissions) and not 'refunds:read' = any(permissions);
`;
