import type { Context } from '../context.ts';
import { milliseconds } from '../database/timestamp.ts';
import { hasPaid, isPlanned, type PayoutView } from './store.ts';
import type { Trx } from '../database/database.ts';

/**
 * Whether a payout has to wait for a policy (`awaiting_policies`, §3.3). The one that there is: whoever steals a key can't empty
 * a wallet at once, because an address that the account never paid waits `PAYOUT_ADDRESS_DELAY` seconds, unless somebody
 * approved the payout.
 */
export async function isHeldByPolicy({ config, clock }: Context, trx: Trx, payout: PayoutView): Promise<boolean> {
  const delay = config.payoutAddressDelaySeconds * 1000;
  if (delay === 0 || payout.approved_at !== null || clock.now() >= milliseconds(payout.created_at) + delay) return false;
  // It passed before, and the process that planned it died: what is planned is finished.
  if (await isPlanned(trx, payout.id)) return false;
  for (const { address } of payout.recipients) {
    if (!(await hasPaid(trx, payout.account_id, address, payout.id))) return true;
  }
  return false;
}
