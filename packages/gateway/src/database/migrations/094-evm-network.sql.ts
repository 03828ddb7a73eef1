/** The network that a payment link names, where it is not that of the tables. */
export const evmNetwork = `
alter table invoice
  -- {chain_id, contract}; null: as in the tables, and for chains that are not EVM
  add column evm jsonb;
`;
