import type { Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import type { Bucket } from '../database/tables/wallet.ts';
import { post, type Line } from './post.ts';

/** Lines that move an amount between two buckets of a wallet. */
export function between(
  walletId: string,
  from: Bucket,
  to: Bucket,
  { currency, amount }: { currency: string; amount: Amount },
): Line[] {
  return [
    { book: 'wallet', walletId, bucket: from, currency, amount: -amount },
    { book: 'wallet', walletId, bucket: to, currency, amount },
  ];
}

/** Lines for held money that leaves a wallet over the chain. */
export function toChain(
  walletId: string,
  { currency, amount }: { currency: string; amount: Amount },
): Line[] {
  return [
    { book: 'wallet', walletId, bucket: 'reserved', currency, amount: -amount },
    { book: 'chain', currency, amount },
  ];
}

/** Lines for money that a block took and gave back, because it left the chain. */
export function fromChain(
  walletId: string,
  { currency, amount }: { currency: string; amount: Amount },
): Line[] {
  return [
    { book: 'chain', currency, amount: -amount },
    { book: 'wallet', walletId, bucket: 'available', currency, amount },
  ];
}

/** Posts an entry of a payout, sweep or conversion that holds money in its wallet. */
export function postHeld(
  trx: Trx,
  { account_id: accountId, id: resourceId }: { account_id: string; id: string },
  reason: string,
  at: string,
  lines: readonly Line[],
): Promise<void> {
  return post(trx, { accountId, reason, resourceId, at, lines });
}
