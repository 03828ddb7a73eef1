/**
 * A decimal amount of money or coins as an integer number of 10^-18 parts: `1.5` is
 * `1500000000000000000n`. On the wire amounts are decimal strings; `number` never holds one.
 */
export type Amount = bigint;

/** Decimals of every `Amount`; no coin has more. */
export const SCALE = 18;

/** The value is not an amount, or has more decimals than the target allows. */
export class AmountError extends Error {
  override readonly name = 'AmountError';
}

const GRAMMAR = /^(\d{1,18})(?:\.(\d{1,18}))?$/;

/**
 * Parses an amount of the API: `digits[.digits]`, at most 18 and 18 digits, no sign, exponent or
 * spaces.
 * @throws AmountError when the text is anything else.
 * @example parseAmount('0.1') // 100000000000000000n
 */
export function parseAmount(text: string): Amount {
  const match = typeof text === 'string' ? GRAMMAR.exec(text) : null;
  if (!match)
    throw new AmountError(
      `not an amount: ${quoted(text)}; allowed are up to 18 digits, then a point and up to 18 decimals`,
    );
  return BigInt(match[1] + (match[2] ?? '').padEnd(SCALE, '0'));
}

/**
 * Formats an amount without exponent and trailing zeros. Ledger lines can be negative, with a
 * leading `-`.
 * @example formatAmount(1500000000000000000n) // '1.5'
 */
export function formatAmount(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return (amount < 0n ? '-' : '') + digits.slice(0, -SCALE) + (fraction && `.${fraction}`);
}

function quoted(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    : typeof value;
}
