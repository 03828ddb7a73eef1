/**
 * An amount of money as people write it in a language, digits 0 to 9 in all of them: what is read aloud, typed and compared is one thing.
 * The exact decimal string is formatted, never a double. Text that is no amount is shown as it came.
 */
export function formatMoney(amount: string, locale: string): string {
  if (!Number(amount)) return amount;
  const decimals = amount.split('.')[1]?.length ?? 0;
  const form = new Intl.NumberFormat(`${locale}-u-nu-latn`, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return form.format(amount as Intl.StringNumericLiteral);
}

/** Seconds, less than a day of them, as a clock: `04:05`, `01:04:05`. */
export const formatClock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19);

/** An amount greater than nothing. */
export const isPositive = (amount: string | null): amount is string => amount !== null && /[1-9]/.test(amount);
