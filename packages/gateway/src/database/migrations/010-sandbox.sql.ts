/**
 * The simulated chains: blocks linked by hash, a mempool, outputs. Empty on a main network, where
 * no chain is simulated.
 */
export const sandbox = `
create table sandbox_chain (
  chain text primary key,
  -- tip of the best chain
  height bigint not null,
  hash text not null,
  -- the pace of automatic mining
  mined_at_real timestamptz not null
);

create table sandbox_block (
  chain text not null references sandbox_chain(chain),
  hash text not null,
  parent text,
  height bigint not null,
  time timestamptz not null,
  -- false for a block that a reorganisation took off the best chain
  best boolean not null default true,
  primary key (chain, hash)
);
create unique index sandbox_block_best on sandbox_block(chain, height) where best;

create table sandbox_transaction (
  chain text not null references sandbox_chain(chain),
  txid text not null,
  state text not null check (state in ('mempool', 'block', 'replaced', 'dropped', 'failed')),
  block_hash text,
  -- inputs that only one transaction can spend
  conflicts text[] not null,
  replaced_by text,
  number bigint generated always as identity,
  primary key (chain, txid),
  check ((state = 'block') = (block_hash is not null))
);
create index sandbox_transaction_txid on sandbox_transaction(txid);
create index sandbox_mempool on sandbox_transaction(chain) where state = 'mempool';
create index sandbox_transaction_block on sandbox_transaction(chain, block_hash) where block_hash is not null;

create table sandbox_output (
  chain text not null,
  txid text not null,
  slot integer not null,
  asset text not null,
  address text not null,
  watch_key text not null,
  amount numeric(60,18) not null check (amount > 0),
  primary key (chain, txid, slot),
  foreign key (chain, txid) references sandbox_transaction(chain, txid)
);

insert into sandbox_chain (chain, height, hash, mined_at_real)
select chain, 0, encode(sha256(convert_to('genesis of ' || chain, 'UTF8')), 'hex'), clock_timestamp()
from unnest(array['bitcoin', 'litecoin', 'dogecoin', 'liquid', 'xrp', 'ton', 'solana', 'ethereum', 'base', 'arbitrum', 'polygon',
  'bsc', 'celo', 'tron', 'lightning']) as chain;
insert into sandbox_block (chain, hash, parent, height, time)
select chain, hash, null, height, mined_at_real from sandbox_chain;
`;
