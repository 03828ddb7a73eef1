/** Money that was found by comparing an address's balance with the books. */
export const balanceChecks = `
-- of the transaction that brought it; null in older rows, and for what only the balance shows
alter table unassigned add column block_height bigint;

create table balance_check (
  chain text primary key,
  -- watch key of the last compared address: the next round goes on behind it
  after_key text not null default '',
  -- start of the present pass over all addresses, and the end of the last one
  pass_started_at_real timestamptz not null default clock_timestamp(),
  passed_at_real timestamptz
);
`;
