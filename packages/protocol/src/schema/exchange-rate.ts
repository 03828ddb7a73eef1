import { z } from 'zod';
import { decimalText } from './amount.ts';

/** §2.12: what one of `symbol` is worth. */
export const exchangeRate = z.object({
  /** Slug. */
  id: z.string(),
  /** `fiat` or `crypto`. */
  kind: z.string(),
  symbol: z.string(),
  rate_usd: decimalText,
  rate_btc: decimalText,
  sign: z
    .string()
    .nullish()
    .transform((sign) => sign ?? ''),
});
export type ExchangeRate = z.infer<typeof exchangeRate>;
