/** Conversions, the rules that make them, and the built-in book that carries them out. */
export const conversions = `
-- What an exchange took and gave stands against it, as a chain's does: 'exchange' is another world outside.
alter table posting drop constraint if exists posting_book_check;
alter table posting add constraint posting_book_check check (book in ('wallet', 'chain', 'exchange'));

create table conversion (
  account_id uuid not null references account(id),
  id uuid not null,
  -- who made it: a caller, a rule, or a payout that lacked money
  origin text not null check (origin in ('caller', 'automatic_conversion', 'automatic_funding', 'payout')),
  -- the rule and its period, or the payout and its need: the same again is the same conversion; null for a caller's
  natural_key text,
  rule_id uuid,
  created_at timestamptz not null,
  created_by text not null,
  from_wallet_id uuid not null,
  from_kind text not null,
  from_asset text not null,
  to_wallet_id uuid not null,
  to_kind text not null,
  to_asset text not null,
  -- as it was given
  amount_text text not null,
  amount numeric(60,18) not null check (amount > 0),
  -- expected, then what the exchange gave
  to_amount numeric(60,18) not null check (to_amount >= 0),
  exchange text not null,
  status text not null check (status in ('draft', 'pending', 'complete', 'failed')),
  is_approved boolean not null,
  approved_by text,
  hold text not null default 'none' check (hold in ('none', 'held', 'released', 'spent')),
  -- counted before the exchange is asked: after a crash it is not known whether it was
  tries integer not null default 0,
  next_at_real timestamptz,
  error text,
  transaction_id uuid,
  payout_id uuid,
  updated_at timestamptz not null,
  version bigint not null default 1,
  number bigint generated always as identity,
  primary key (account_id, id),
  foreign key (account_id, from_wallet_id) references wallet(account_id, id),
  foreign key (account_id, to_wallet_id) references wallet(account_id, id)
);
create unique index conversion_id on conversion(id);
create unique index conversion_natural_key on conversion(natural_key);
create unique index conversion_one on conversion(account_id, from_wallet_id, from_asset)
  where origin = 'caller' and status in ('draft', 'pending');
create index conversion_list on conversion(account_id, number desc);
create index conversion_due on conversion(exchange, number) where status in ('draft', 'pending');
create index conversion_rule on conversion(rule_id) where status = 'pending' and rule_id is not null;
create index conversion_payout on conversion(payout_id) where payout_id is not null;

-- Automatic conversions and automatic funding; amounts as they were given.
create table automatic_rule (
  account_id uuid not null references account(id),
  id uuid not null,
  type text not null check (type in ('conversion', 'funding')),
  created_at timestamptz not null,
  created_by text not null,
  from_wallet_id uuid not null,
  from_kind text not null,
  from_asset text not null,
  to_wallet_id uuid not null,
  to_kind text not null,
  to_asset text not null,
  keep_amount text not null,
  min_amount text not null,
  max_amount text not null,
  exchange text not null,
  is_enabled boolean not null,
  -- beginning of the last period in which it was looked at
  period timestamptz,
  updated_at timestamptz not null,
  version bigint not null default 1,
  number bigint generated always as identity,
  primary key (account_id, id),
  foreign key (account_id, from_wallet_id) references wallet(account_id, id),
  foreign key (account_id, to_wallet_id) references wallet(account_id, id)
);
create unique index automatic_rule_id on automatic_rule(id);
-- One for each balance that it looks after: a conversion after what it sells, a funding after what it buys.
create unique index automatic_conversion_one on automatic_rule(account_id, from_wallet_id, from_asset) where type = 'conversion';
create unique index automatic_funding_one on automatic_rule(account_id, to_wallet_id, to_asset) where type = 'funding';
create index automatic_rule_due on automatic_rule(number) where is_enabled;

-- What the built-in book did, by the key of its order.
create table exchange_order (
  key text primary key,
  sold numeric(60,18) not null,
  bought numeric(60,18) not null,
  from_kind text not null,
  to_kind text not null,
  from_usd numeric(60,18) not null,
  to_usd numeric(60,18) not null,
  created_at timestamptz not null
);
`;
