/**
 * Every tenant table starts its key with the account (`account_id`); money is `numeric(60,18)`;
 * times are business time unless named `*_real`.
 */
export const start = `
create table account (
  id uuid primary key,
  name text not null,
  is_testnet boolean not null,
  callback_token_sealed text not null,
  created_at timestamptz not null
);

create table api_key (
  account_id uuid not null references account(id),
  id uuid not null,
  api_key text not null unique,
  secret_sealed text not null,
  name text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  is_integrator_key boolean not null default false,
  max_payout numeric(60,18),
  whitelist_ip text[] not null default '{}',
  permissions text[] not null,
  nonce_window boolean not null default false,
  last_nonce numeric not null default 0,
  recent_nonces numeric[] not null default '{}',
  primary key (account_id, id)
-- A full nonce window stays in its row: compressing it anew for every request costs more than the room.
) with (fillfactor = 50, toast_tuple_target = 8160);

create table wallet (
  account_id uuid not null references account(id),
  id uuid not null,
  name text not null,
  chain text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create table profile (
  account_id uuid not null references account(id),
  id uuid not null,
  name text not null,
  notification_email text,
  invoice_expiration integer not null,
  addresses_expiration integer not null,
  notification_email_kinds text[] not null default '{}',
  onramp_api_key text,
  allow_smart_contract_payouts boolean not null default false,
  stablecoin_precision integer not null default 2,
  positive_difference numeric(20,4) not null default 0.5,
  negative_difference numeric(20,4) not null default 0.5,
  reserve_wallet jsonb,
  callback_url text,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create table profile_currency (
  account_id uuid not null,
  profile_id uuid not null,
  kind text not null,
  wallet_id uuid not null,
  custom_fee jsonb,
  min_confirmations integer not null default 1,
  zero_conf_max_amount numeric(60,18),
  primary key (account_id, profile_id, kind),
  foreign key (account_id, profile_id) references profile(account_id, id) on delete cascade
);

create table invoice (
  account_id uuid not null references account(id),
  id uuid not null,
  profile_id uuid not null,
  wallet_id uuid not null,
  kind text not null,
  chain text not null,
  status text not null check (status in ('new', 'pending', 'paid', 'complete', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz,
  -- null for a reusable address
  requested_text text,
  requested_currency text not null,
  -- the quote in force; null for a reusable address. Gross: it contains the fee.
  invoiced numeric(60,18),
  rate_usd numeric(60,18),
  fee_amount numeric(60,18),
  min_confirmations integer,
  required_confirmations integer not null,
  positive_difference numeric(20,4) not null,
  negative_difference numeric(20,4) not null,
  zero_conf_enabled boolean not null default false,
  notes text,
  passthrough text,
  address text,
  tag text,
  x_address text,
  public_address text,
  lightning jsonb,
  lnurl_invoice_id uuid,
  renewals integer not null default 0,
  extended boolean not null default false,
  paid_total numeric(60,18) not null default 0,
  events text[] not null default '{}',
  version bigint not null default 1,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create unique index invoice_id on invoice(id);
create index invoice_list on invoice(account_id, created_at desc, id desc);
create index invoice_address on invoice(account_id, address);
create index invoice_due on invoice(expires_at) where status in ('new', 'pending') and expires_at is not null;
create index invoice_parent on invoice(lnurl_invoice_id) where lnurl_invoice_id is not null;

-- Each price that an invoice ever had: the one in force when a payment was first seen is the one that counts for it.
create table quote (
  account_id uuid not null,
  invoice_id uuid not null,
  number integer not null,
  invoiced numeric(60,18) not null,
  rate_usd numeric(60,18),
  currency_rates jsonb not null,
  starts_at timestamptz not null,
  expires_at timestamptz,
  primary key (account_id, invoice_id, number),
  foreign key (account_id, invoice_id) references invoice(account_id, id)
);

-- Which invoice an address, tag or payment hash belongs to. Never reused.
create table deposit_target (
  watch_key text primary key,
  account_id uuid not null,
  invoice_id uuid not null,
  chain text not null,
  created_at timestamptz not null
);
create index deposit_target_invoice on deposit_target(account_id, invoice_id);

create table derivation (
  key_group text primary key,
  next_index bigint not null default 0
);

create table transaction (
  account_id uuid not null references account(id),
  id uuid not null,
  chain text not null,
  -- txid and output: the natural key of a payment
  observation_key text not null,
  txid text not null,
  kind text not null,
  asset text not null,
  invoice_id uuid not null,
  profile_id uuid not null,
  wallet_id uuid not null,
  -- false for another coin than the invoice's: credited, never counted
  counted boolean not null,
  quote_number integer,
  amount numeric(60,18) not null check (amount > 0),
  status text not null check (status in ('pending', 'confirmed', 'complete', 'unconfirmed', 'failed', 'quarantined', 'replaced')),
  confirmations integer not null default 0,
  required_confirmations integer not null,
  final_confirmations integer not null,
  block_height bigint,
  block_hash text,
  in_mempool boolean not null default true,
  conflicts text[] not null default '{}',
  replaced_by text,
  failure text,
  -- where its amount stands in the ledger
  credit text not null default 'none' check (credit in ('none', 'pending', 'available', 'frozen')),
  zero_conf_status text,
  risk_level text,
  risk_data jsonb not null default '{}',
  quotes jsonb not null,
  currency_rates jsonb not null,
  created_at timestamptz not null,
  executed_at timestamptz,
  confirmed_at timestamptz,
  late boolean not null default false,
  events text[] not null default '{}',
  version bigint not null default 1,
  updated_at timestamptz not null,
  primary key (account_id, id),
  unique (chain, observation_key)
);
create unique index transaction_id on transaction(id);
create index transaction_list on transaction(account_id, created_at desc, id desc);
create index transaction_txid on transaction(account_id, txid);
create index transaction_invoice on transaction(account_id, invoice_id);
create index transaction_open on transaction(chain) where status in ('pending', 'confirmed', 'unconfirmed', 'quarantined');

create table unassigned (
  chain text not null,
  observation_key text not null,
  txid text,
  asset text not null,
  address text not null,
  amount numeric(60,18) not null,
  reason text not null,
  seen_at timestamptz not null,
  primary key (chain, observation_key)
);

-- Operator's attention: a rollback after final, a reorganisation deeper than the ring.
create table alarm (
  id uuid primary key,
  chain text,
  resource_id uuid,
  reason text not null,
  raised_at timestamptz not null
);

create table posting (
  account_id uuid not null,
  entry_id uuid not null,
  line integer not null,
  -- 'wallet' lines carry a wallet and a bucket; 'chain' is the world outside
  book text not null check (book in ('wallet', 'chain')),
  wallet_id uuid,
  bucket text check (bucket in ('pending', 'available', 'frozen')),
  currency text not null,
  amount numeric(60,18) not null check (amount <> 0),
  reason text not null,
  resource_id uuid not null,
  created_at timestamptz not null,
  primary key (account_id, entry_id, line)
);
create index posting_resource on posting(account_id, resource_id);

create table balance (
  account_id uuid not null,
  wallet_id uuid not null,
  currency text not null,
  bucket text not null,
  amount numeric(60,18) not null default 0 check (amount >= 0),
  primary key (account_id, wallet_id, currency, bucket)
);

create table callback (
  account_id uuid not null,
  id uuid not null,
  resource text not null check (resource in ('invoice', 'transaction', 'payout')),
  resource_id uuid not null,
  event text not null,
  profile_id uuid not null,
  url text not null,
  -- the exact bytes that are sent, every time
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_at_real timestamptz not null,
  locked_by text,
  created_at_real timestamptz not null,
  finished_at_real timestamptz,
  primary key (account_id, id),
  unique (resource_id, event)
) with (fillfactor = 70);
create index callback_due on callback(next_at_real, id) where state = 'pending';
create index callback_resource on callback(account_id, resource_id);

create table callback_delivery (
  account_id uuid not null,
  callback_id uuid not null,
  attempt integer not null,
  at_real timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  answer text,
  primary key (account_id, callback_id, attempt)
);

create table chain_cursor (
  chain text primary key,
  cursor jsonb not null,
  tip bigint not null,
  scanned_at_real timestamptz not null
);

create table lease (
  name text primary key,
  holder text not null,
  fence bigint not null,
  until timestamptz not null
);

create table setting (
  name text primary key,
  value jsonb not null
);
`;
