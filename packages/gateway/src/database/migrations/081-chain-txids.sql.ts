/** The id that a chain gives a transaction later than its signer, as TON does. */
export const chainTxids = `
alter table outgoing_attempt add column chain_txid text;
create index outgoing_attempt_chain_txid on outgoing_attempt (chain_txid) where chain_txid is not null;
`;
