/** §2.6 shows a rate for every payout on a chain of the Bitcoin family, also where none was given. */
export const payoutFeeRate = `
alter table payout
  -- satoshi per byte that its fee was reckoned with; null on other chains, and in payouts from before
  add column fee_rate integer;
`;
