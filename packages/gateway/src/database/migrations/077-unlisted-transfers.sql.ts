/** Tokens that reached our addresses and are not listed. */
export const unlistedTransfers = `
create table unlisted_transfer (
  chain text not null,
  observation_key text not null,
  txid text not null,
  contract text not null,
  watch_key text not null,
  -- in the contract's own units
  units numeric(78,0) not null,
  block_height bigint not null,
  seen_at timestamptz not null,
  number bigint generated always as identity,
  primary key (chain, observation_key)
);
create index unlisted_transfer_number on unlisted_transfer (chain, number);
`;
