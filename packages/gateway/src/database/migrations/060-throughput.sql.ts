/** Fast lists and cheap writes for large tables. */
export const throughput = `
-- How many rows of a list there were up to a place that nobody writes before any more; the rest is counted when it is asked.
create table list_count (
  account_id uuid not null references account(id),
  resource text not null,
  -- a time or a number, as text: rows from here on are not counted yet
  until text not null,
  count bigint not null,
  primary key (account_id, resource)
);
create index transaction_number on transaction(account_id, number);

-- Both are written several times within minutes: with room on their page their indexes need not be written again.
alter table invoice set (fillfactor = 80);
alter table transaction set (fillfactor = 80);
-- A callback's body stays in its row: packing it costs more time than all the rest of queueing it (measured).
alter table callback set (toast_tuple_target = 8160);
`;
