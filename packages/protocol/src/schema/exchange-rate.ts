import { z } from 'zod';
import { decimalText } from './fields/amount.ts';

export const exchangeRate = z
  .object({
    id: z.string().meta({ description: 'Slug of the currency or coin.', examples: ['euro'] }),
    kind: z.string().meta({ description: '`fiat` or `crypto`.', examples: ['fiat'] }),
    symbol: z.string().meta({ description: 'Symbol of the currency or coin.', examples: ['EUR'] }),
    rate_usd: decimalText.meta({ description: 'Price in US dollars.', examples: ['1.16'] }),
    rate_btc: decimalText.meta({
      description: 'Price in bitcoin.',
      examples: ['0.000012083333333333'],
    }),
    sign: z
      .string()
      .nullish()
      .transform((sign) => sign ?? '')
      .meta({ description: 'Currency sign.', examples: ['€'] }),
  })
  .meta({ description: 'The price of one unit of a currency or a coin.' });
export type ExchangeRate = z.infer<typeof exchangeRate>;
