/** Confirmations of a profile's coin; null: the default of the chain and the amount. */
export const defaultConfirmations = `
alter table profile_currency alter column min_confirmations drop not null, alter column min_confirmations drop default;
-- On a test network the default is one confirmation, as before. On a main network a profile keeps its number.
update profile_currency c set min_confirmations = null
  from account a where a.id = c.account_id and a.is_testnet and c.min_confirmations = 1;
`;
