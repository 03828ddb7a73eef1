/** Network fees above what was held for them, while a wallet lacks the money. */
export const owedFees = `
create table owed_fee (
  -- the payout or sweep
  resource_id uuid primary key,
  account_id uuid not null,
  wallet_id uuid not null,
  currency text not null,
  -- of the posting
  reason text not null,
  amount numeric(60,18) not null check (amount > 0)
);

-- the chain took these fees, and only what was held was posted
insert into owed_fee (resource_id, account_id, wallet_id, currency, reason, amount)
select id, account_id, wallet_id, fee_asset, 'payout_network_fee', fee - fee_reserve from payout
where block_height is not null and hold in ('spent', 'released') and status in ('complete', 'failed') and fee > fee_reserve;
`;
