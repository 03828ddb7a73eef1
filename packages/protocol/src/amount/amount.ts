/**
 * A decimal amount of money or coins as an integer number of 10^-18 parts: `1.5` is `1500000000000000000n`.
 * On the wire amounts are decimal strings; `number` never holds one.
 */
export type Amount = bigint;

/** Decimals of every `Amount`; no coin has more. */
export const SCALE = 18;

/** Direction of rounding: towards plus or minus infinity. */
export type Rounding = 'up' | 'down';

/** The value is not an amount, or has more decimals than the target allows. */
export class AmountError extends Error {
  override readonly name = 'AmountError';
}

const ONE = 10n ** BigInt(SCALE);
const GRAMMAR = /^(\d{1,18})(?:\.(\d{1,18}))?$/;

/**
 * Parses an amount of the API: `digits[.digits]`, at most 18 and 18 digits, no sign, exponent or spaces.
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
 * Formats an amount without exponent and trailing zeros. Ledger lines can be negative, with a leading `-`.
 * @example formatAmount(1500000000000000000n) // '1.5'
 */
export function formatAmount(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return (amount < 0n ? '-' : '') + digits.slice(0, -SCALE) + (fraction && `.${fraction}`);
}

/**
 * The decimals of an amount without trailing zeros: `1.50` has one.
 * @throws AmountError when the text is not an amount.
 */
export function decimalsOf(text: string): number {
  const formatted = formatAmount(parseAmount(text));
  const point = formatted.indexOf('.');
  return point < 0 ? 0 : formatted.length - point - 1;
}

/** The smallest amount with `decimals` decimals that is not below `amount`. Used for invoiced amounts. */
export function roundUp(amount: Amount, decimals: number): Amount {
  const unit = unitOf(decimals);
  return divideIntegers(amount, unit, 'up') * unit;
}

/** The largest amount with `decimals` decimals that is not above `amount`. Used for credits. */
export function roundDown(amount: Amount, decimals: number): Amount {
  const unit = unitOf(decimals);
  return divideIntegers(amount, unit, 'down') * unit;
}

/** `a × b`, rounded at the last of 18 decimals. */
export function multiply(a: Amount, b: Amount, rounding: Rounding): Amount {
  return divideIntegers(a * b, ONE, rounding);
}

/**
 * `a ÷ b`, rounded at the last of 18 decimals.
 * @throws AmountError when `b` is zero.
 */
export function divide(a: Amount, b: Amount, rounding: Rounding): Amount {
  if (b === 0n) throw new AmountError('division by zero');
  return divideIntegers(a * ONE, b, rounding);
}

/**
 * Converts to the coin's smallest units (satoshi, wei): `toUnits(parseAmount('1.5'), 8)` is `150000000n`.
 * @throws AmountError when the amount has more decimals than the coin.
 */
export function toUnits(amount: Amount, decimals: number): bigint {
  const unit = unitOf(decimals);
  if (amount % unit !== 0n)
    throw new AmountError(`${formatAmount(amount)} has more than ${decimals} decimals`);
  return amount / unit;
}

/** Converts from the coin's smallest units. */
export function fromUnits(units: bigint, decimals: number): Amount {
  return units * unitOf(decimals);
}

function unitOf(decimals: number): bigint {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > SCALE)
    throw new AmountError(`decimals must be 0 to ${SCALE}, not ${decimals}`);
  return 10n ** BigInt(SCALE - decimals);
}

/** `bigint` division truncates towards zero; this rounds in the requested direction, also below zero. */
function divideIntegers(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  const negative = dividend < 0n !== divisor < 0n;
  if (rounding === 'up') return negative ? quotient : quotient + 1n;
  return negative ? quotient - 1n : quotient;
}

function quoted(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    : typeof value;
}
