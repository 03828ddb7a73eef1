import { z } from 'zod';

const NO_AMOUNT = 'must be a decimal amount: up to 18 digits, a point, up to 18 decimals';

/** A decimal amount as `parseAmount` reads it. */
export const amountText = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, { error: NO_AMOUNT, abort: true });

/** The same in a request, where a JSON number is accepted: `decodePayload` hands over whole numbers, everything else as it was written. */
export const amountInput = z
  .union([z.string(), z.int().nonnegative().transform(String)], {
    error: ({ input }) => (input === undefined ? 'is required' : NO_AMOUNT),
  })
  .pipe(amountText);

/** A rate or a quote: may be longer than an amount. */
export const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/, { error: 'must be a decimal number', abort: true });

/** §2.3. */
export const amountObject = z.object({ amount: amountText, currency: z.string() });
export type AmountObject = z.infer<typeof amountObject>;

/** ISO 8601 with an offset (conventions); we write `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`. */
export const timestamp = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'must be a timestamp');

/** A member that a service may leave out reads as null. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullable().default(null);
}
