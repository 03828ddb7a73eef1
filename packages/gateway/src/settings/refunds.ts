import { setting } from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';
import { usDollars } from './us-dollars.ts';

/** Settings of refunds, for the table of all settings. */
export const REFUND_SETTINGS = {
  REFUNDS: setting(
    'ask',
    z.enum(['off', 'ask', 'auto'], 'must be off, ask or auto'),
    'Refunds that buyers ask for: refused (off), made after an approval (ask), or small proven ones by themselves (auto).',
  ),
  REFUND_AUTO_MAX: setting(
    '50',
    usDollars,
    'Value in US dollars up to which REFUNDS=auto makes one refund by itself.',
  ),
  REFUND_AUTO_DAILY_MAX: setting(
    '500',
    usDollars,
    'Value in US dollars of all refunds of an account that REFUNDS=auto makes by itself within 24 hours.',
  ),
};
