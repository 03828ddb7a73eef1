import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { leavesEnough, type Lying } from '../consolidation/lying.ts';
import type { Bucket } from '../database/tables/wallet.ts';
import { LedgerError, post, type Line } from '../wallet/post.ts';
import { needs } from './need.ts';
import { availableIn, type PayoutRow } from './store.ts';

type Held = Pick<PayoutRow, 'account_id' | 'id' | 'wallet_id' | 'asset' | 'fee_asset' | 'total' | 'fee_reserve'>;

/**
 * Takes what a payout can cost out of what is available.
 * @param lying what lies on deposit addresses: the fees for moving it together stay available, or the payout would never be sent
 * @throws LedgerError when there is less; the transaction is then to be given up
 */
export async function holdFunds(trx: Trx, payout: Held, at: string, lying: Lying): Promise<void> {
  await move(trx, payout, 'payout_held', at, [
    ...between(payout, 'available', 'reserved', payout.asset, parseAmount(payout.total)),
    ...between(payout, 'available', 'reserved', payout.fee_asset, parseAmount(payout.fee_reserve)),
  ]);
  if (lying.cost === 0n) return;
  const available = await availableIn(trx, payout.account_id, payout.wallet_id);
  const left = new Map([...needs(payout).keys()].map((asset) => [asset, parseAmount(available.get(asset) ?? '0')]));
  if (!leavesEnough(lying, left)) throw new LedgerError(`Nothing would pay for moving together what wallet ${payout.wallet_id} has`);
}

/** Gives all of it back: nothing was sent, and nothing will be. */
export async function releaseFunds(trx: Trx, payout: Held, at: string): Promise<void> {
  await move(trx, payout, 'payout_released', at, [
    ...between(payout, 'reserved', 'available', payout.asset, parseAmount(payout.total)),
    ...between(payout, 'reserved', 'available', payout.fee_asset, parseAmount(payout.fee_reserve)),
  ]);
}

/** The recipients have it: amount and fee leave the books, and what the fee did not need comes back. */
export async function spendFunds(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await move(trx, payout, 'payout_complete', at, out(payout, payout.asset, parseAmount(payout.total)));
  await spendFee(trx, payout, fee, at);
}

/** It is in a block and moved nothing: the amount comes back, the fee is gone. */
export async function spendFeeOnly(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await move(trx, payout, 'payout_released', at, between(payout, 'reserved', 'available', payout.asset, parseAmount(payout.total)));
  await spendFee(trx, payout, fee, at);
}

async function spendFee(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  const reserve = parseAmount(payout.fee_reserve);
  const spent = fee < reserve ? fee : reserve;
  await move(trx, payout, 'payout_network_fee', at, out(payout, payout.fee_asset, spent));
  await move(trx, payout, 'payout_fee_returned', at, between(payout, 'reserved', 'available', payout.fee_asset, reserve - spent));
}

function between({ wallet_id: walletId }: Held, from: Bucket, to: Bucket, currency: string, amount: Amount): Line[] {
  return [
    { book: 'wallet', walletId, bucket: from, currency, amount: -amount },
    { book: 'wallet', walletId, bucket: to, currency, amount },
  ];
}

function out({ wallet_id: walletId }: Held, currency: string, amount: Amount): Line[] {
  return [
    { book: 'wallet', walletId, bucket: 'reserved', currency, amount: -amount },
    { book: 'chain', currency, amount },
  ];
}

async function move(trx: Trx, { account_id: accountId, id: resourceId }: Held, reason: string, at: string, lines: Line[]): Promise<void> {
  await post(trx, { accountId, reason, resourceId, at, lines });
}
