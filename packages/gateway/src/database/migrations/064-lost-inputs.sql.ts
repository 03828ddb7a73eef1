/** Inputs of payments that were lost: whoever took one back is not believed without a confirmation. Few rows are ever in it. */
export const lostInputs = `
create index transaction_lost_inputs on transaction using gin (conflicts)
  where block_height is null and (replaced_by is not null or not in_mempool) and conflicts <> '{}';
`;
