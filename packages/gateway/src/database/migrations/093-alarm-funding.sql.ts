/** Alarms that end when coins are sent to an address of the service. */
export const alarmFunding = `
alter table alarm
  -- {asset, amount, address}; the amount is null where it is not known
  add column funding jsonb;
`;
