import { parseAmount } from '@crypto-checkout/protocol/amount';
import { setting, text } from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';

export const usDollars = text
  .regex(/^\d{1,12}(\.\d{1,2})?$/, 'must be an amount of US dollars, as in 1000')
  .transform(parseAmount);

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
