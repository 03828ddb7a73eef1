/**
 * Inputs of payments that were taken back: a payment that spends such inputs again does not count
 * without a confirmation.
 */
export const lostInputs = `
create index transaction_lost_inputs on transaction using gin (conflicts)
  where block_height is null and (replaced_by is not null or not in_mempool) and conflicts <> '{}';
`;
