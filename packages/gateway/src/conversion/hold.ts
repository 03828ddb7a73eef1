import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { post, type Line } from '../ledger/post.ts';
import type { ConversionRow } from './store.ts';

type Held = Pick<
  ConversionRow,
  'account_id' | 'id' | 'from_wallet_id' | 'from_asset' | 'amount' | 'to_wallet_id' | 'to_asset'
>;

/**
 * Reserves the amount to sell.
 * @throws LedgerError when too little is available; the caller must roll back
 */
export async function holdSale(trx: Trx, conversion: Held, at: string): Promise<void> {
  const amount = parseAmount(conversion.amount);
  await write(trx, conversion, 'conversion_held', at, [
    from(conversion, 'available', -amount),
    from(conversion, 'reserved', amount),
  ]);
}

/** Releases the reserved amount; nothing was sold. */
export async function releaseSale(trx: Trx, conversion: Held, at: string): Promise<void> {
  const amount = parseAmount(conversion.amount);
  await write(trx, conversion, 'conversion_released', at, [
    from(conversion, 'reserved', -amount),
    from(conversion, 'available', amount),
  ]);
}

/** Books the executed sale. */
export async function settleSale(
  trx: Trx,
  conversion: Held,
  bought: Amount,
  at: string,
): Promise<void> {
  const amount = parseAmount(conversion.amount);
  await write(trx, conversion, 'conversion_complete', at, [
    from(conversion, 'reserved', -amount),
    { book: 'exchange', currency: conversion.from_asset, amount },
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

function from(
  { from_wallet_id: walletId, from_asset: currency }: Held,
  bucket: 'available' | 'reserved',
  amount: Amount,
): Line {
  return { book: 'wallet', walletId, bucket, currency, amount };
}

async function write(
  trx: Trx,
  { account_id: accountId, id: resourceId }: Held,
  reason: string,
  at: string,
  lines: Line[],
): Promise<void> {
  await post(trx, { accountId, reason, resourceId, at, lines });
}
