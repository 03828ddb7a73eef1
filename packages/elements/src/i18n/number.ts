const write = (number: number | bigint, locale: string): string =>
  number.toLocaleString(`${locale}-u-nu-latn`);

/**
 * Formats an exact amount of a coin with the language's decimal separator and without grouping.
 * Digits are always 0 to 9, so that people read, type and compare the same; the amount is never
 * converted to a double. A single decimal is completed, as in a price: `18.50`.
 */
export const formatCoins = (amount: string, locale: string): string =>
  amount.replace(/\.\d$/, '$&0').replace('.', write(0.5, locale)[1]!);

/** Formats an amount of money: the same with grouping. */
export const formatMoney = (amount: string, locale: string): string =>
  formatCoins(amount, locale).replace(/\d+/, (whole) => write(BigInt(whole), locale));

/**
 * Formats the amount to send. Satoshis have no decimals, so that the language's grouping cannot be
 * read as a decimal separator. Large amounts of other coins are grouped by a narrow space.
 */
export const formatSum = (amount: string, symbol: string | undefined, locale: string): string =>
  symbol === 'sats'
    ? formatMoney(amount, locale)
    : formatCoins(amount, locale).replace(/^\d{5,}/, (whole) =>
        whole.replace(/\B(?=(\d{3})+$)/g, '\u202f'),
      );

/**
 * Formats a price in the language's own form, with every decimal that the shop wrote: `$18.50`,
 * `18,50 $`. Currencies without a code of three letters follow the number.
 */
export function formatPrice(
  { amount, currency }: { amount: string; currency: string },
  locale: string,
): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  try {
    if (Number(amount) >= 0)
      return (
        new Intl.NumberFormat(`${locale}-u-nu-latn`, {
          style: 'currency',
          currency,
          // More than the amount has are never written.
          minimumFractionDigits: decimals,
        })
          .format(amount as Intl.StringNumericLiteral)
          // In Arabic the sign would stand before its letters: "$US".
          .replace(/\u200f.*\w\W$/, '$&\u200e')
      );
  } catch {
    // Not a currency of ISO 4217.
  }
  return `${formatMoney(amount, locale)} ${currency}`;
}

/** Whether an amount is greater than zero; `null` is not. */
export const isPositive = (amount: string | null): amount is string =>
  amount !== null && /[1-9]/.test(amount);
