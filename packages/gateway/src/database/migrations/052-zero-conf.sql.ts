/** The part of a wallet's pending money that is accepted without a confirmation. */
export const zeroConf = `
create index transaction_zero_confirmed on transaction(wallet_id) where zero_conf_status = 'confirmed' and credit = 'pending';
`;
