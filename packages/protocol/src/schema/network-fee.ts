import { z } from 'zod';
import { decimalText } from './fields/amount.ts';

export const networkFee = z
  .object({
    kind: z.string().meta({ description: 'The kind that is paid with.', examples: ['ETH_USDT'] }),
    fee_usd: decimalText.nullable().meta({
      description:
        'Usual network fee of one payment in US dollars, to two significant digits. Null when it is unknown.',
      examples: ['1.4'],
    }),
    seconds: z
      .int()
      .nonnegative()
      .meta({
        description: 'Usual seconds until a block contains the payment; 0 for immediately.',
        examples: [12],
      }),
  })
  .meta({ description: 'The network fee that a payment in a coin usually costs, and its time.' });
export type NetworkFee = z.infer<typeof networkFee>;
