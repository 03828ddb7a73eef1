import { integer, optionalInteger, setting } from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';

/** Settings of payouts, for the table of all settings. */
export const PAYOUT_SETTINGS = {
  PAYOUT_ADDRESS_DELAY: setting(
    '',
    optionalInteger(0, 31_536_000),
    'Seconds that a payout to a new address waits, unless it is approved; by default 86400 on a main network, otherwise 0.',
  ),
  PAYOUT_FEE_RISE: setting(
    '10',
    integer(1, 1_000),
    'Times that the network fee of a payout may rise above its estimate until it is sent; beyond, the payout waits.',
  ),
  PAYOUT_FUNDS_AT: setting(
    '',
    z.enum(['', 'confirmed', 'complete', 'final'], 'must be confirmed, complete or final'),
    'When a payment can be paid out: confirmed; complete, at its final depth; or final, also at or below the finalized block of a chain that has one. Default: final on a main network, otherwise confirmed.',
  ),
};

/**
 * From when on a payment can be paid out: at a status, or `final`: complete, and at or below the
 * chain's own finalized block, where it has one.
 */
export type FundsAt = 'confirmed' | 'complete' | 'final';
