import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import type { Bucket } from '../database/tables/wallet.ts';
import { between, postHeld } from '../ledger/held.ts';
import type { ConversionRow } from './store.ts';

type Held = Pick<
  ConversionRow,
  'account_id' | 'id' | 'from_wallet_id' | 'from_asset' | 'amount' | 'to_wallet_id' | 'to_asset'
>;

/**
 * Reserves the amount to sell.
 * @throws LedgerError when too little is available; the caller must roll back
 */
export const holdSale = (trx: Trx, conversion: Held, at: string): Promise<void> =>
  moveSale(trx, conversion, at, 'conversion_held', 'available', 'reserved');

/** Releases the reserved amount; nothing was sold. */
export const releaseSale = (trx: Trx, conversion: Held, at: string): Promise<void> =>
  moveSale(trx, conversion, at, 'conversion_released', 'reserved', 'available');

function moveSale(
  trx: Trx,
  conversion: Held,
  at: string,
  reason: string,
  from: Bucket,
  to: Bucket,
): Promise<void> {
  const { from_wallet_id, from_asset: currency } = conversion;
  const sold = { currency, amount: parseAmount(conversion.amount) };
  return postHeld(trx, conversion, reason, at, between(from_wallet_id, from, to, sold));
}

/** Books the executed sale. */
export async function settleSale(
  trx: Trx,
  conversion: Held,
  bought: Amount,
  at: string,
): Promise<void> {
  const amount = parseAmount(conversion.amount);
  const { from_wallet_id, from_asset: currency } = conversion;
  await postHeld(trx, conversion, 'conversion_complete', at, [
    { book: 'wallet', walletId: from_wallet_id, bucket: 'reserved', currency, amount: -amount },
    { book: 'exchange', currency, amount },
    { book: 'exchange', currency: conversion.to_asset, amount: -bought },
    {
      book: 'wallet',
      walletId: conversion.to_wallet_id,
      bucket: 'available',
      currency: conversion.to_asset,
      amount: bought,
    },
  ]);
}
