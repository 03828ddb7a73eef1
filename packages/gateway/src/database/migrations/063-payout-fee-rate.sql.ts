/**
 * Every payout on a chain of the Bitcoin family shows its fee rate, also when the caller set none.
 */
export const payoutFeeRate = `
alter table payout
  -- satoshi per byte that its fee was reckoned with; null on other chains, and in payouts from before
  add column fee_rate integer;
`;
