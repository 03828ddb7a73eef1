import { z } from 'zod';
import { decimalsOf } from '../amount/amount.ts';
import { CURRENCIES, currencyOf } from '../amount/currency.ts';
import { KINDS, kindOf } from '../kinds/kind.ts';
import { MAX_LENGTHS, CLAIM_RULES, amountRule, isOrderAmount } from '../wire/order-token.ts';
import { closestName } from '../wire/spelling.ts';

const text = (name: keyof typeof MAX_LENGTHS, least = 0) => {
  const rule = CLAIM_RULES.text(MAX_LENGTHS[name], least);
  return z
    .string(rule)
    .min(least, rule)
    .max(MAX_LENGTHS[name], rule)
    .refine((value) => !value.includes('\0'), rule);
};

/**
 * Codes are upper-case. One in another case, or the one that a code resembles, is named in the
 * message; otherwise it lists all.
 */
const ruleOf =
  (what: string, codes: readonly string[]) =>
  ({ input }: { input?: unknown }): string => {
    const given = typeof input === 'string' ? input.trim().toUpperCase() : '';
    if (codes.includes(given)) return `must be "${given}", in capitals`;
    const meant = closestName(given, codes);
    return `must be one of ${meant ? `the ${what}, such as ${meant}` : codes.join(', ')}`;
  };
const currencyRule = ruleOf(
  'currencies',
  CURRENCIES.map(({ symbol }) => symbol),
);
const kindRule = ruleOf(
  'kinds',
  KINDS.map(({ kind }) => kind),
);

/**
 * An order from a shop's server. It has the members of an order token's claims, which
 * `verifyOrderToken` validates.
 */
export const order = z
  .object({
    order_id: text('order_id', 1).meta({
      description: 'Your id of the order. The same order opens the same checkout.',
      examples: ['A-1001'],
    }),
    // A JSON number is exact here: parsers with `plainNumber` return a number only if its text is
    // the shortest one.
    amount: z
      .union([z.string(), z.number().transform(String)], CLAIM_RULES.amount)
      .refine(isOrderAmount, { error: ({ input }) => amountRule(input), abort: true })
      .meta({ description: 'A decimal string, such as `18.50`.', examples: ['18.50'] }),
    currency: z
      .string({ error: currencyRule })
      .refine((symbol) => currencyOf(symbol) !== undefined, { error: currencyRule })
      .meta({ description: 'A code in capitals, such as `USD` or `BTC`.', examples: ['USD'] }),
    description: text('description')
      .optional()
      .meta({ description: 'One line for the buyer.', examples: ['Harbour mug'] }),
    success_url: text('success_url')
      .optional()
      .meta({
        description: 'Where the buyer goes after the payment. See [Success links](#success-links).',
        examples: ['https://shop.example/thanks'],
      }),
    shop_url: text('shop_url')
      .optional()
      .meta({ description: 'The link back to the shop.', examples: ['https://shop.example/'] }),
    kinds: z
      .array(
        z
          .string(CLAIM_RULES.kinds)
          .refine((kind) => kindOf(kind) !== undefined, { error: kindRule }),
        CLAIM_RULES.kinds,
      )
      .min(1, CLAIM_RULES.kinds)
      .max(100, CLAIM_RULES.kinds)
      .optional()
      .meta({
        description:
          'The coins to offer, such as `["BTC", "ETH_USDT"]`. Default: all of the profile.',
        examples: [['BTC', 'ETH_USDT']],
      }),
  })
  .superRefine((value, context) => {
    const decimals = currencyOf(value.currency)?.decimals;
    if (decimals !== undefined && decimalsOf(value.amount) > decimals)
      context.addIssue({
        code: 'custom',
        path: ['amount'],
        message: `must have at most ${decimals} decimals in ${value.currency}`,
      });
  });
export type Order = z.infer<typeof order>;
