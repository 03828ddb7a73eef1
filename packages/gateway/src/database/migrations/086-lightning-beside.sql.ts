/** Lightning requests beside an address, and the end of requests at their node. */
export const lightningBeside = `
alter table invoice
  add column lightning_proof jsonb,
  -- beside an address: a payment was seen, so the request is not shown any more
  add column request_closed boolean not null default false;

-- requests that their node has to cancel
create table request_to_cancel (
  payment_hash text primary key,
  at timestamptz not null
);
`;
