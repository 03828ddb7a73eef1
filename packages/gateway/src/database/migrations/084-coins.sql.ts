/** Chains whose wallets hold single outputs (Bitcoin, Litecoin, Dogecoin on a node). */
export const coins = `
-- the outputs that pay this wallet; a node confirms each before it is spent
create table coin (
  chain text not null,
  -- txid and index
  outpoint text not null,
  watch_key text not null,
  amount numeric(60,18) not null check (amount > 0),
  -- the signing key: branch 0 receives, branch 1 holds change
  branch smallint not null check (branch in (0, 1)),
  key_index bigint not null,
  in_block boolean not null,
  -- by a transaction of ours in a block
  spent boolean not null default false,
  primary key (chain, outpoint)
);
create index coin_unspent on coin (chain) where not spent;

-- addresses that the change of our transactions goes to
create table change_key (
  watch_key text primary key,
  chain text not null,
  key_index bigint not null
);
create index change_key_index on change_key (chain, key_index);

-- what a stored plan spends; two open plans never spend the same output
create table outgoing_input (
  chain text not null,
  outpoint text not null,
  outgoing_id uuid not null,
  is_open boolean not null default true,
  primary key (outgoing_id, outpoint)
);
create unique index outgoing_input_open on outgoing_input (chain, outpoint) where is_open;
`;
