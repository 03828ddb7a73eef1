/** Why the last scan of a chain failed, for the alarm about a standstill. */
export const scanFailures = `
create table scan_failure (
  chain text primary key,
  reason text not null,
  failed_at_real timestamptz not null
);
`;
