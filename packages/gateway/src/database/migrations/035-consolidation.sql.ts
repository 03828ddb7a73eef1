/** Funds on deposit addresses, and the sweeps that collect them. */
export const consolidation = `
-- Number of the key behind an address, for whoever spends from it; null for one that was given out before this column was.
alter table deposit_target add column key_index bigint;

-- Counted into what lies on its address: final, on a chain where every address has a balance of its own.
alter table transaction add column collected boolean not null default false;
create index transaction_uncollected on transaction(wallet_id, chain) where credit = 'available' and not collected
  and chain in ('ethereum', 'base', 'arbitrum', 'polygon', 'bsc', 'celo', 'tron', 'solana', 'ton');
create index transaction_lost on transaction(chain) where collected and credit <> 'available';

-- What the books know to lie on a deposit address: final payments, and gas that was brought there. More may lie there, never less.
create table deposit (
  chain text not null,
  invoice_id uuid not null references invoice(id),
  asset text not null,
  account_id uuid not null,
  wallet_id uuid not null,
  amount numeric(60,18) not null check (amount >= 0),
  -- business time since which a payment lies there; null when only what a sweep left does
  since timestamptz,
  -- not to be tried again before
  not_before timestamptz,
  primary key (chain, invoice_id, asset)
);
create index deposit_wallet on deposit(wallet_id) where amount > 0;
create index deposit_due on deposit(chain, since) where since is not null;

-- One transfer from a deposit address to the address that pays out; its id is the one in outgoing.
create table sweep (
  id uuid primary key,
  account_id uuid not null,
  wallet_id uuid not null,
  chain text not null,
  invoice_id uuid not null,
  address text not null,
  key_index bigint,
  asset text not null,
  fee_asset text not null,
  status text not null check (status in ('topping_up', 'sending', 'complete', 'failed')),
  -- what arrives
  amount numeric(60,18) not null check (amount > 0),
  -- the most that it can cost, and what it did
  fee_reserve numeric(60,18) not null check (fee_reserve >= 0),
  fee numeric(60,18),
  -- gas that is brought to the address first: 0 where it has enough
  top_up_id uuid not null,
  top_up numeric(60,18) not null default 0,
  top_up_fee_reserve numeric(60,18) not null default 0,
  top_up_fee numeric(60,18),
  -- whether the fees are held back in the wallet
  hold text not null check (hold in ('held', 'released', 'spent')),
  -- where the two transactions are: null outside of a block
  top_up_height bigint,
  block_height bigint,
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  number bigint generated always as identity
);
-- One at a time from an address: its transactions are numbered.
create unique index sweep_open on sweep(chain, invoice_id) where status in ('topping_up', 'sending');
create index sweep_wallet on sweep(wallet_id) where status in ('topping_up', 'sending');
create index sweep_held on sweep(wallet_id) where hold = 'held';
`;
