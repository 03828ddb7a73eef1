/** Rules that send what a wallet has too much of. */
export const automaticPayouts = `
create table automatic_payout (
  account_id uuid not null references account(id),
  id uuid not null,
  wallet_id uuid not null,
  kind text not null,
  -- several kinds are one coin, and one coin has one balance
  asset text not null,
  recipient_address text not null,
  keep_amount numeric(60,18) not null check (keep_amount >= 0),
  min_amount numeric(60,18) not null check (min_amount >= 0),
  interval_minutes integer not null,
  is_enabled boolean not null,
  is_api_editable boolean not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- the next run, which also names it: what was paid for it is not paid again
  next_at timestamptz not null,
  -- why the last run sent nothing that it should have sent
  last_error text,
  number bigint generated always as identity,
  primary key (account_id, id),
  foreign key (account_id, wallet_id) references wallet(account_id, id)
);
create unique index automatic_payout_id on automatic_payout(id);
create unique index automatic_payout_one on automatic_payout(account_id, wallet_id, asset);
create index automatic_payout_due on automatic_payout(next_at) where is_enabled;
`;
