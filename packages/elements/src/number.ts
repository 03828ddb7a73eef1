const write = (number: number | bigint, locale: string): string => number.toLocaleString(`${locale}-u-nu-latn`);

/**
 * An exact amount of a coin as people write it in a language: with its decimal separator, and nothing between the thousands. Digits are 0
 * to 9 in all languages: what is read aloud, typed and compared is one thing. They are those that came, never a double's.
 */
export const formatCoins = (amount: string, locale: string): string => amount.replace('.', write(0.5, locale)[1]!);

/** An amount of money: the same, with the language's marks between the thousands. */
export const formatMoney = (amount: string, locale: string): string =>
  formatCoins(amount, locale).replace(/\d+/, (whole) => write(BigInt(whole), locale));

/** Seconds, less than a day of them, as a clock: `04:05`, `01:04:05`. */
export const formatClock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19);

/** An amount greater than nothing; `null` has no digits. */
export const isPositive = (amount: string | null): amount is string => amount !== null && /[1-9]/.test(amount);
