import { parseAmount } from '@crypto-checkout/protocol/amount';
import { text } from '@crypto-checkout/protocol/schema/setting';

/** An amount of US dollars. */
export const usDollars = text
  .regex(/^\d{1,12}(\.\d{1,2})?$/, 'must be an amount of US dollars, as in 1000')
  .transform(parseAmount);
