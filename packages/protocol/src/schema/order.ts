import { z } from 'zod';
import { decimalsOf } from '../amount.ts';
import { CURRENCIES, currencyOf } from '../currency.ts';
import { kindOf } from '../kind.ts';
import { LONGEST, MUST, amountRule, isOrderAmount } from '../order-token.ts';

const text = (name: keyof typeof LONGEST, least = 0) => {
  const rule = MUST.text(LONGEST[name], least);
  return z
    .string(rule)
    .min(least, rule)
    .max(LONGEST[name], rule)
    .refine((value) => !value.includes('\0'), rule);
};

/** An order as a shop's server states it; the same members as an order token's claims, which `verifyOrderToken` has checked for form. */
export const order = z
  .object({
    order_id: text('order_id', 1),
    // A number is its digits: whoever reads JSON hands over as a number only what is written as one would write it.
    amount: z
      .union([z.string(), z.number().transform(String)], MUST.amount)
      .refine(isOrderAmount, { error: ({ input }) => amountRule(input), abort: true }),
    currency: z.string({ error: currencyRule }).refine((symbol) => currencyOf(symbol) !== undefined, { error: currencyRule }),
    description: text('description').optional(),
    success_url: text('success_url').optional(),
    shop_url: text('shop_url').optional(),
    kinds: z
      .array(
        z.string(MUST.kinds).refine((kind) => kindOf(kind) !== undefined, { error: kindRule }),
        MUST.kinds,
      )
      .min(1, MUST.kinds)
      .max(100, MUST.kinds)
      .optional(),
  })
  .superRefine((value, context) => {
    const decimals = currencyOf(value.currency)?.decimals;
    if (decimals !== undefined && decimalsOf(value.amount) > decimals)
      context.addIssue({ code: 'custom', path: ['amount'], message: `must have at most ${decimals} decimals in ${value.currency}` });
  });
export type Order = z.infer<typeof order>;

/** Codes are in capitals; who wrote one otherwise reads which, and nobody else a long list of what he nearly had. */
function currencyRule({ input }: { input?: unknown }): string {
  const meant = typeof input === 'string' ? currencyOf(input.trim().toUpperCase()) : undefined;
  return meant ? `must be "${meant.symbol}", in capitals` : `must be one of ${CURRENCIES.map(({ symbol }) => symbol).join(', ')}`;
}

function kindRule({ input }: { input?: unknown }): string {
  const meant = typeof input === 'string' ? kindOf(input.trim().toUpperCase()) : undefined;
  return meant ? `must be "${meant.kind}", in capitals` : 'must be the kind of a coin, such as BTC or ETH_USDT';
}
