/**
 * Money without an owner can be put away: to a wallet, or off the list. Who did it and why stays
 * with it.
 */
export const unassigned = `
alter table unassigned
  add column id uuid not null default gen_random_uuid(),
  -- where it was put; null while it waits, and for what was dismissed
  add column account_id uuid,
  add column wallet_id uuid,
  -- the deposit address on which it lies until it is moved together
  add column invoice_id uuid,
  add column settled_at timestamptz,
  add column settled_by text,
  add column settled_reason text,
  add constraint unassigned_wallet foreign key (account_id, wallet_id) references wallet(account_id, id),
  add constraint unassigned_settled check (settled_at is not null or wallet_id is null);
create unique index unassigned_id on unassigned(id);
create index unassigned_open on unassigned(seen_at) where settled_at is null;
`;
