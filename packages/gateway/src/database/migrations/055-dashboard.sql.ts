/**
 * Sessions of the dashboard. Tokens are stored as hashes, so a reader of the table cannot sign in.
 */
export const dashboard = `
create table dashboard_link (
  token_hash text primary key,
  account_id uuid not null references account(id),
  email text,
  created_at_real timestamptz not null,
  expires_at_real timestamptz not null,
  -- a link is used once
  used_at_real timestamptz
);

create table dashboard_session (
  token_hash text primary key,
  account_id uuid not null references account(id),
  email text,
  created_at_real timestamptz not null,
  seen_at_real timestamptz not null,
  ends_at_real timestamptz not null
);

-- Balances over time read the newest postings only. Nearly free to keep: postings are written in the order of their time.
create index posting_time on posting using brin(created_at);
`;
