/**
 * Deliveries hold what was sent and what came back; resends are counted apart, so that they use up
 * no scheduled attempt.
 */
export const callbacks = `
alter table callback add column resends integer not null default 0;

alter table callback_delivery
  add column resend boolean not null default false,
  add column url text,
  add column request_headers jsonb,
  add column answer_headers jsonb,
  drop constraint callback_delivery_pkey,
  add primary key (account_id, callback_id, resend, attempt);

-- What is due for each destination: one with many callbacks is never in the way of the others. The address itself may be
-- too long for an index.
create index callback_destination on callback(account_id, hashtextextended(url, 0), next_at_real) where state = 'pending';
drop index callback_due;
-- The unique index on resource and event finds these too.
drop index callback_resource;
create index callback_list on callback(account_id, created_at_real desc, id desc);
create index callback_failed on callback(created_at_real desc, id desc) where state = 'failed';
`;
