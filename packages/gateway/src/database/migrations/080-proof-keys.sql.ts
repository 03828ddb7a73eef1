/** Keys that sign address proofs and receipts, and the orders and proofs of invoices. */
export const proofKeys = `
create table proof_key (
  account_id uuid not null references account (id),
  kid text not null,
  public_key text not null,
  -- null for a previous key, which signs nothing any more
  private_key_sealed text,
  state text not null check (state in ('next', 'current', 'previous')),
  created_at timestamptz not null,
  primary key (account_id, kid)
);
create unique index proof_key_state on proof_key (account_id, state);
alter table invoice add column order_id text;
alter table invoice add column proof jsonb;
create index invoice_order on invoice (account_id, order_id) where order_id is not null;
`;
