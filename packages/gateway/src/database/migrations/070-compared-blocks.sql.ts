/** Payments whose block a second provider of the chain has to show before they are final. */
export const comparedBlocks = `
alter table transaction
  add column must_compare boolean not null default false,
  -- The block that two providers have; null before the comparison.
  add column agreed_hash text;
create index transaction_must_compare on transaction (chain, block_height)
  where must_compare and agreed_hash is distinct from block_hash;
`;
