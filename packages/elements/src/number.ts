/**
 * An amount of money as people write it in a language, digits 0 to 9 in all of them: what is read aloud, typed and compared is one thing.
 * The exact decimal string is formatted, never a double. Text that is no amount is shown as it came.
 */
export function formatMoney(amount: string, locale: string): string {
  if (!/^[\d.]+$/.test(amount)) return amount;
  const decimals = amount.split('.')[1]?.length ?? 0;
  const form = new Intl.NumberFormat(`${locale}-u-nu-latn`, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return form.format(amount as Intl.StringNumericLiteral);
}

/** Seconds as a clock: `4:05`, `1:04:05`. */
export function formatClock(seconds: number): string {
  const pad = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)}`;
}

/** An amount greater than nothing. */
export const isPositive = (amount: string | null): amount is string => amount !== null && /[1-9]/.test(amount);
