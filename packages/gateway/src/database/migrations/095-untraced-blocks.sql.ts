/** Blocks that wait for their traces, and money that was found before its transaction. */
export const untracedBlocks = `
create table untraced_block (
  chain text not null,
  height bigint not null,
  hash text not null,
  tries integer not null default 0,
  read_at_real timestamptz not null,
  due_at_real timestamptz not null,
  primary key (chain, height)
);

-- while no node traces a block of the chain
create table trace_pause (
  chain text primary key,
  failures integer not null,
  until_real timestamptz not null
);

-- what a comparison of a balance has shown, with the height of that balance
create table found_money (
  chain text not null,
  observation_key text not null,
  address text not null,
  asset text not null,
  height bigint not null,
  primary key (chain, observation_key)
);
create index found_money_address on found_money (chain, address);
-- of earlier versions, at a height that the comparison cannot have passed
insert into found_money (chain, observation_key, address, asset, height)
select f.chain, f.observation_key, split_part(f.observation_key, ':', 2), f.asset,
  coalesce((select (c.cursor->>'height')::bigint from chain_cursor c where c.chain = f.chain), 0)
from (
  select chain, observation_key, asset from unassigned where starts_with(observation_key, 'balance:')
  union select chain, observation_key, asset from transaction where starts_with(observation_key, 'balance:')) f;

-- transactions that brought found money and that a later look has shown: they are not credited
create table explained_payment (
  chain text not null,
  observation_key text not null,
  found_key text not null,
  amount numeric(60,18) not null,
  block_height bigint not null,
  primary key (chain, observation_key)
);
create index explained_payment_found on explained_payment (chain, found_key);
`;
