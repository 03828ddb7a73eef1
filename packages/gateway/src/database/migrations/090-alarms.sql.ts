/** Alarms that lapse with their cause, and that are logged once by any process. */
export const alarms = `
alter table alarm
  -- earlier alarms were logged, or counted at a start
  add column is_logged boolean not null default true,
  -- removed then, unless the cause is met again
  add column lapses_at timestamptz;
alter table alarm alter column is_logged set default false;

update alarm set lapses_at = clock_timestamp() + interval '20 minutes'
where reason like 'A sweep waits: %' or reason like 'Deposits are not swept: %'
  or reason like 'A higher fee was not sent: %';
`;
