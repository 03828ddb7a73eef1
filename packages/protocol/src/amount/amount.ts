import { type Amount, AmountError, SCALE, formatAmount, parseAmount } from './decimal.ts';

export { type Amount, AmountError, SCALE, formatAmount, parseAmount } from './decimal.ts';

/** Direction of rounding: towards plus or minus infinity. */
export type Rounding = 'up' | 'down';

const ONE = 10n ** BigInt(SCALE);

/**
 * The decimals of an amount without trailing zeros: `1.50` has one.
 * @throws AmountError when the text is not an amount.
 */
export function decimalsOf(text: string): number {
  const formatted = formatAmount(parseAmount(text));
  const point = formatted.indexOf('.');
  return point < 0 ? 0 : formatted.length - point - 1;
}

/**
 * The smallest amount with `decimals` decimals that is not below `amount`. Used for invoiced
 * amounts.
 */
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
 * Converts to the coin's smallest units (satoshi, wei): `toUnits(parseAmount('1.5'), 8)` is
 * `150000000n`.
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

/**
 * `bigint` division truncates towards zero; this rounds in the requested direction, also below
 * zero.
 */
function divideIntegers(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  const negative = dividend < 0n !== divisor < 0n;
  if (rounding === 'up') return negative ? quotient : quotient + 1n;
  return negative ? quotient - 1n : quotient;
}
