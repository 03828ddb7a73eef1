import type { Context } from '../../context.ts';
import type { PayoutFunding } from '../../conversion/process.ts';
import { readUnswept } from '../../sweep/unswept-funds.ts';
import { fundPayout } from './refill.ts';
import { findPayouts, lockPayout } from '../store.ts';

/**
 * Holds the bought funds for the waiting payout in the transaction that completes the conversion.
 */
export function payoutFunding(context: Context): PayoutFunding {
  return {
    async lock(trx, payoutId) {
      await lockPayout(trx, payoutId);
    },
    async prepare(payoutId) {
      const [payout] = await findPayouts(context.db, [payoutId]);
      if (payout === undefined) return null;
      const unswept = await readUnswept(context, payout.chain, payout.wallet_id).catch(() => null);
      if (unswept === null) return null;
      return async (trx) => {
        const locked = await lockPayout(trx, payoutId);
        if (locked !== null) await fundPayout(trx, context, locked, unswept);
      };
    },
  };
}
