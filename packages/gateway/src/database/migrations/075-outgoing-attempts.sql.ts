/** Several transactions for one payout or top-up, of which at most one can be mined. */
export const outgoingAttempts = `
create table outgoing_attempt (
  outgoing_id uuid not null,
  -- from 1 on, oldest first
  number integer not null,
  intent text not null check (intent in ('send', 'bump', 'cancel')),
  plan jsonb not null,
  raw text,
  txid text,
  -- set before the first broadcast: after a crash it is not known whether it was made
  is_tried boolean not null default false,
  created_at_real timestamptz not null,
  primary key (outgoing_id, number)
);
create index outgoing_attempt_txid on outgoing_attempt (txid) where txid is not null;

insert into outgoing_attempt (outgoing_id, number, intent, plan, raw, txid, is_tried, created_at_real)
  select id, 1, 'send', plan, raw, txid, tries > 0, created_at_real from outgoing;

drop index outgoing_txid;
alter table outgoing drop column plan, drop column raw, drop column txid;

-- a replacement on a simulated chain has the input of what it replaces
create index sandbox_transaction_input on sandbox_transaction ((conflicts[1]));
`;
