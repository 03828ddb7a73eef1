import { FeeCeilingError } from '@crypto-checkout/chains/error';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { raiseRecurring } from '../alarm/recurring.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease, type Lease } from '../database/lease.ts';
import { isSigned } from '../engine/sending/outgoing-store.ts';
import {
  ageOf,
  findReplaceable,
  planReplacement,
  saveReplacement,
} from '../engine/sending/replace.ts';
import type { SentStatus } from '../engine/sending/track.ts';
import { LedgerError } from '../ledger/post.ts';
import { sharesOf } from '../ledger/shares.ts';
import { lockConsolidation, saveParts, type ConsolidationPart } from './consolidation-store.ts';
import { holdFees } from './hold.ts';

/** The sender of a chain, under the lease of that chain. */
export interface LeasedSender {
  context: Context;
  sender: ChainSender;
  lease: Lease;
}

/** It pays a low fee, so it may wait; then its coins are needed for payouts. */
const BUMP_AFTER_MS = 6 * 60 * 60 * 1000;
/** Each alarm about it begins with it. */
export const NOT_JOINED = 'Small coins are not joined: ';

/** The parts of a fee in whole units of the coin. */
export function sharesOfFee(fee: Amount, weights: readonly Amount[], asset: string): Amount[] {
  const { decimals } = KINDS.find((kind) => kind.asset === asset)!;
  return sharesOf(fee, weights, 10n ** BigInt(18 - decimals));
}

/** The hold of a wallet for its part. */
export const heldFor = (
  id: string,
  asset: string,
  { account_id, wallet_id, fee }: ConsolidationPart,
) => ({
  id,
  account_id,
  wallet_id,
  fee_asset: asset,
  fee_reserve: formatAmount(fee),
  top_up_fee_reserve: '0',
});

/**
 * Sends the transaction again for a higher fee when it waits for long and the network fee rose
 * above its own: its coins are reserved meanwhile. Any of its attempts can be mined.
 */
export async function raiseConsolidationFee(
  { context, sender, lease }: LeasedSender,
  id: string,
  { state, isUnderpriced = false }: SentStatus,
): Promise<void> {
  if (state !== 'mempool' && state !== 'unseen') return;
  const { db, clock } = context;
  const waiting = await findReplaceable(db, sender, id);
  if (waiting === null || !isSigned(waiting.newest)) return;
  if (ageOf(waiting.newest, clock.real()) <= BUMP_AFTER_MS) return;
  const alarm = (reason: string) => raiseRecurring(context, sender.chain, `${NOT_JOINED}${reason}`);
  const replacement = await planReplacement(waiting, 'bump', 'economy').catch(async (error) => {
    if (!(error instanceof FeeCeilingError)) throw error;
    await alarm('the transaction waits, with the highest fee rate of its chain');
    return null;
  });
  if (replacement === null || (!replacement.isOutbid && !isUnderpriced)) return;
  try {
    const isWithin = await transact(db, async (trx) => {
      await guardLease(trx, lease);
      const parts = await lockConsolidation(trx, id);
      if (parts === null) return true;
      const held = parts.reduce((sum, { fee }) => sum + fee, 0n);
      if (replacement.fee > held * BigInt(context.config.payoutFeeRise)) return false;
      if (await saveReplacement(trx, waiting, 'bump', replacement))
        await holdRest(trx, id, parts, replacement.fee - held, timestamp(clock.now()));
      return true;
    });
    if (!isWithin) await alarm('the network fee rose above PAYOUT_FEE_RISE');
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await alarm('the network fee rose, and the wallets have too little for it');
  }
}

/** @throws LedgerError if a balance is too low; the caller must roll back */
async function holdRest(
  trx: Trx,
  id: string,
  parts: readonly (ConsolidationPart & { asset: string })[],
  more: Amount,
  at: string,
): Promise<void> {
  if (more <= 0n) return;
  const { asset } = parts[0]!;
  const weights = parts.map(({ fee }) => fee);
  const rest = sharesOfFee(more, weights, asset);
  for (const [place, part] of parts.entries())
    await holdFees(trx, heldFor(id, asset, { ...part, fee: rest[place]! }), at);
  await saveParts(
    trx,
    id,
    parts.map((part, place) => ({ ...part, fee: part.fee + rest[place]! })),
  );
}
