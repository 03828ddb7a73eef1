/** The chain's own finalized block: payments up to it can be paid out on a main network. */
export const finalizedBlocks = `
alter table chain_cursor add column finalized_height bigint;
alter table chain_cursor add column finalized_at_real timestamptz not null default clock_timestamp();
alter table transaction add column finalized boolean not null default false;
create index transaction_not_finalized on transaction(chain, block_height) where status = 'complete' and credit = 'pending';
`;
