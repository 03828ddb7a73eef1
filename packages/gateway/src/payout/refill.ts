import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Trx } from '../database/database.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { post } from '../wallet/post.ts';
import { needs } from './need.ts';
import { convert } from './recipient.ts';
import type { LockedPayout } from './store.ts';

/** §2.8; the reference is written under either name, as an id or with it. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const reserveWallet = z.object({ kind: z.string(), wallet: reference.optional(), wallet_id: reference.optional() });

/**
 * Fetches what a payout lacks out of the profile's reserve wallet, at the rate of the moment and in the caller's transaction.
 * Only where the coins of the books are simulated ones: elsewhere they have to be exchanged on a market first.
 * @throws LedgerError when the reserve has too little; the transaction is then to be given up
 */
export async function refill(trx: Trx, { chains }: Context, payout: LockedPayout, rates: RateSet, at: string): Promise<void> {
  const parsed = reserveWallet.safeParse(payout.reserve_wallet);
  const reserve = parsed.success ? kindOf(parsed.data.kind) : undefined;
  const reserveId = parsed.data?.wallet_id ?? parsed.data?.wallet;
  if (reserve === undefined || reserveId === undefined || chains.get(payout.chain)?.source !== 'sandbox') return;
  for (const [asset, needed] of needs(payout)) {
    const lacking = needed - (await availableOf(trx, payout, asset));
    const wanted = kindOf(asset);
    if (lacking <= 0n || wanted === undefined) continue;
    if (asset === reserve.asset && reserveId === payout.wallet_id) continue;
    const cost = convert(lacking, wanted.symbol, reserve.symbol, rates, reserve.decimals, 'up');
    await post(trx, {
      accountId: payout.account_id,
      reason: 'payout_refill',
      resourceId: payout.id,
      at,
      lines: [
        { book: 'wallet', walletId: reserveId, bucket: 'available', currency: reserve.asset, amount: -cost },
        { book: 'chain', currency: reserve.asset, amount: cost },
        { book: 'chain', currency: asset, amount: -lacking },
        { book: 'wallet', walletId: payout.wallet_id, bucket: 'available', currency: asset, amount: lacking },
      ],
    });
  }
}

/** Locked, so that what is lacking is not fetched twice. */
async function availableOf(trx: Trx, { account_id, wallet_id }: LockedPayout, asset: string): Promise<Amount> {
  const row = await trx
    .selectFrom('balance')
    .select('amount')
    .where('account_id', '=', account_id)
    .where('wallet_id', '=', wallet_id)
    .where('currency', '=', asset)
    .where('bucket', '=', 'available')
    .forUpdate()
    .executeTakeFirst();
  return parseAmount(formatAmount(parseAmount(row?.amount ?? '0')));
}
