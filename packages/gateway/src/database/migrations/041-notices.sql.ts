/**
 * E-mail notices, queued in the transaction of the change that they are about, as callbacks are.
 */
export const notices = `
create table notice (
  account_id uuid not null,
  id uuid not null,
  resource text not null check (resource in ('invoice', 'transaction', 'payout')),
  resource_id uuid not null,
  event text not null,
  profile_id uuid not null,
  recipient text not null,
  -- what the message says; nothing that the caller attached for himself
  content jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  next_at_real timestamptz not null,
  locked_by text,
  error text,
  created_at_real timestamptz not null,
  finished_at_real timestamptz,
  primary key (account_id, id),
  unique (resource_id, event)
) with (fillfactor = 70);
create index notice_due on notice(next_at_real, id) where state = 'pending';
`;
