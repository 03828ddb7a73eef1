import type { Context } from '../../context.ts';
import { milliseconds } from '../../database/timestamp.ts';
import { hasPaid, isPlanned, type PayoutView } from '../store.ts';
import type { Trx } from '../../database/database.ts';

/** A stolen key on a main network leaves the operator a day to notice. */
const DEFAULT_DELAY_SECONDS = { mainnet: 86_400, testnet: 0 } as const;

/**
 * True if a payout must stay `awaiting_policies`. A stolen key must not empty a wallet at once: a
 * payout to an address that the account has never paid waits `PAYOUT_ADDRESS_DELAY` seconds, unless
 * it was approved.
 */
export async function isHeldByPolicy(
  { config, network, clock }: Context,
  trx: Trx,
  payout: PayoutView,
): Promise<boolean> {
  const seconds = config.payoutAddressDelaySeconds ?? DEFAULT_DELAY_SECONDS[network];
  const delay = seconds * 1000;
  if (
    delay === 0 ||
    payout.approved_at !== null ||
    clock.now() >= milliseconds(payout.created_at) + delay
  )
    return false;
  // The policy passed before a crash: finish the planned payout.
  if (await isPlanned(trx, payout.id)) return false;
  for (const recipient of payout.recipients) {
    if (!(await hasPaid(trx, payout.account_id, recipient, payout.id))) return true;
  }
  return false;
}
