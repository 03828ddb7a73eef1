/** Transactions that join small outputs of a wallet (Bitcoin, Litecoin, Dogecoin on a node). */
export const coinConsolidation = `
create table coin_consolidation (
  -- that of its outgoing transaction
  id uuid primary key,
  chain text not null,
  asset text not null,
  status text not null default 'sending' check (status in ('sending', 'complete', 'failed')),
  fee numeric(60,18) not null check (fee > 0),
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index coin_consolidation_open on coin_consolidation (chain) where status = 'sending';
create index coin_consolidation_chain on coin_consolidation (chain, created_at);

-- the part of the fee that each wallet pays
create table coin_consolidation_part (
  consolidation_id uuid not null references coin_consolidation(id),
  account_id uuid not null,
  wallet_id uuid not null,
  fee numeric(60,18) not null check (fee > 0),
  primary key (consolidation_id, wallet_id)
);
`;
