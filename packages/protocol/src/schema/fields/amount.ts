import { z } from 'zod';
import { quotedText } from '../../wire/spelling.ts';

const FORM = 'up to 18 digits, a point, up to 18 decimals';
const NO_AMOUNT = `must be a decimal amount: ${FORM}`;

/** Says what is wrong with a text that is no amount. */
const amountRule = ({ input }: { input?: unknown }): string => {
  if (input === undefined) return 'is required';
  if (input === null) return `${NO_AMOUNT}; leave it out where it is optional`;
  if (typeof input === 'object') return NO_AMOUNT;
  const given = typeof input === 'string' ? quotedText(input) : JSON.stringify(input);
  const isPower = typeof input === 'string' && /^-?\d+(\.\d+)?[eE][+-]?\d+$/.test(input);
  return isPower
    ? `must be a decimal amount without an exponent: ${FORM}, not ${given}`
    : `${NO_AMOUNT}, such as 19.90, not ${given}`;
};

/** A decimal amount, in the format of `parseAmount`. */
export const amountText = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/, { error: amountRule, abort: true })
  .meta({ description: 'Decimal amount, as text.', examples: ['0.000398'] });

/**
 * An amount in a request, where a JSON number is accepted: `decodePayload` returns whole numbers as
 * numbers, and all others as their text without an exponent.
 */
export const amountInput = z
  .union([z.string(), z.int().nonnegative().transform(String)], { error: amountRule })
  .pipe(amountText);

/** A rate or a quote, which can have more digits than an amount. */
export const decimalText = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, { error: 'must be a decimal number', abort: true });

export const amountObject = z
  .object({
    amount: amountText,
    currency: z
      .string()
      .meta({ description: 'Symbol of a currency or a coin.', examples: ['BTC'] }),
  })
  .meta({ description: 'An amount with its currency.' });
export type AmountObject = z.infer<typeof amountObject>;

/** ISO 8601 with an offset; the gateway writes `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`. */
export const timestamp = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a timestamp')
  .meta({ format: 'date-time' });

/** Reads an omitted member as null. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullable().default(null);
}
