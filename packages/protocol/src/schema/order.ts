import { z } from 'zod';
import { decimalsOf, parseAmount } from '../amount.ts';
import { currencyOf } from '../currency.ts';
import { kindOf } from '../kind.ts';
import { amountInput } from './amount.ts';

/** An order as a shop's server states it; the same members as an order token's claims, which `verifyOrderToken` has checked for form. */
export const order = z
  .object({
    order_id: z
      .string()
      .min(1)
      .max(200)
      .refine((text) => !text.includes('\0'), 'must not contain NUL'),
    amount: amountInput.refine((amount) => parseAmount(amount) > 0n, 'must be above zero'),
    currency: z.string().refine((symbol) => currencyOf(symbol) !== undefined, 'must be a currency that invoices can have'),
    description: z.string().max(1000).optional(),
    success_url: z.string().max(2000).optional(),
    shop_url: z.string().max(2000).optional(),
    kinds: z
      .array(z.string().refine((kind) => kindOf(kind) !== undefined, 'must be a coin that invoices can have'))
      .min(1)
      .max(100)
      .optional(),
  })
  .superRefine((value, context) => {
    const decimals = currencyOf(value.currency)?.decimals;
    if (decimals !== undefined && decimalsOf(value.amount) > decimals)
      context.addIssue({ code: 'custom', path: ['amount'], message: `must have at most ${decimals} decimals in ${value.currency}` });
  });
export type Order = z.infer<typeof order>;
