import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../../context.ts';
import { transact, type Trx } from '../../database/database.ts';
import { type Lease, guardLease } from '../../database/lease.ts';
import { lockPayout, type LockedPayout } from '../store.ts';
import type { waitingAlarms } from './waiting-alarm.ts';

/** One process that sends the payouts of a chain, under the lease of that chain. */
export interface PayoutRound {
  context: Context;
  sender: ChainSender;
  lease: Lease;
  alarms: ReturnType<typeof waitingAlarms>;
}

/** Locks a payout and changes it. The lease fence rejects a worker whose lease expired. */
export async function changeUnderLease<T>(
  { context, lease }: PayoutRound,
  id: string,
  work: (trx: Trx, payout: LockedPayout) => Promise<T>,
): Promise<T> {
  return transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null) throw new Error(`Unknown payout ${id}`);
    return work(trx, payout);
  });
}
