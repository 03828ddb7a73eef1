/** Payouts, and what is sent for them. */
export const payouts = `
-- \`reserved\` is held back for what is being sent: no longer available, not yet gone. Which buckets there are is said by the types.
alter table posting drop constraint if exists posting_bucket_check;

create table payout (
  account_id uuid not null references account(id),
  id uuid not null,
  profile_id uuid not null,
  wallet_id uuid not null,
  kind text not null,
  chain text not null,
  asset text not null,
  fee_asset text not null,
  status text not null check (status in ('draft', 'scheduled', 'queued', 'new', 'pending', 'confirmed', 'complete', 'rejected',
    'failed', 'unconfirmed', 'awaiting_funds', 'awaiting_policies')),
  sub_kind text,
  created_at timestamptz not null,
  scheduled_at timestamptz,
  approved_at timestamptz,
  approved_by jsonb,
  executed_at timestamptz,
  -- null for one that no API key made
  key_id uuid,
  network_fee_pays text not null check (network_fee_pays in ('merchant', 'recipient')),
  network_fee_preset text not null check (network_fee_preset in ('high', 'normal', 'economy')),
  -- satoshi per byte
  network_fee integer,
  passthrough text,
  reference_id text,
  -- hash of the reference, or of the passthrough without one; null without both
  duplicate_key text,
  -- hash of the parameters: the same again is the same payout
  fingerprint text not null,
  -- what the recipients get together
  total numeric(60,18) not null check (total > 0),
  -- expected, then what the chain took
  fee numeric(60,18) not null check (fee >= 0),
  -- the most that it can take, held with the total
  fee_reserve numeric(60,18) not null check (fee_reserve >= 0),
  hold text not null default 'none' check (hold in ('none', 'held', 'released', 'spent')),
  txid text,
  block_height bigint,
  block_hash text,
  confirmations integer not null default 0,
  error text,
  events text[] not null default '{}',
  version bigint not null default 1,
  updated_at timestamptz not null,
  number bigint generated always as identity,
  primary key (account_id, id)
);
create unique index payout_id on payout(id);
create unique index payout_duplicate on payout(account_id, duplicate_key);
create index payout_list on payout(account_id, created_at desc, number desc);
create index payout_reference on payout(reference_id, account_id) where reference_id is not null;
create index payout_txid on payout(txid, account_id) where txid is not null;
create index payout_open on payout(chain, number)
  where status in ('scheduled', 'queued', 'new', 'pending', 'confirmed', 'unconfirmed', 'awaiting_funds', 'awaiting_policies');

create table payout_recipient (
  account_id uuid not null,
  payout_id uuid not null references payout(id),
  number integer not null,
  id uuid not null,
  -- as it was given
  given_address text not null,
  address text not null,
  tag text,
  destination_tag text,
  requested_text text not null,
  requested_currency text not null,
  amount numeric(60,18) not null check (amount > 0),
  custom_fee jsonb,
  notes text,
  memo text,
  payment_request text,
  lnurl text,
  primary key (account_id, payout_id, number)
);
create index payout_recipient_payout on payout_recipient(payout_id);
create index payout_recipient_address on payout_recipient(address, account_id);

-- One row for whatever is sent, so that it is planned once: the plan, then the signed bytes, then what became of them.
create table outgoing (
  -- of the payout, or whatever else it is for
  id uuid primary key,
  purpose text not null,
  chain text not null,
  -- address whose transactions go one after another; null where any number may be on their way
  lane text,
  nonce bigint,
  plan jsonb not null,
  raw text,
  txid text,
  -- counted before each attempt: after a crash it is not known whether it was made
  tries integer not null default 0,
  result text check (result in ('ok', 'failed', 'unknown')),
  reason text,
  -- false once it is in a block, or certain never to be
  open boolean not null default true,
  created_at_real timestamptz not null
);
create unique index outgoing_nonce on outgoing(chain, lane, nonce) where nonce is not null and result is distinct from 'failed';
create index outgoing_lane on outgoing(chain, lane) where open;
create index outgoing_txid on outgoing(txid) where txid is not null;
`;
