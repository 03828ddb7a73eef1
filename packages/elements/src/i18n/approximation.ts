/** Digits of an approximate amount. */
const SIGNIFICANT = 6;

/**
 * Formats an approximate amount to six significant digits, with grouping: `2,102,270`, `18.50`.
 * Amounts like those of a price have two decimals: `24.00` beside `24.02`.
 */
export function formatApprox(approx: string, locale: string, symbol: string): string {
  const value = Number(Number(approx).toPrecision(SIGNIFICANT));
  if (!Number.isFinite(value)) return approx;
  const isMoney = /^\d{1,4}$|\.\d$/.test(String(value)) && symbol !== 'sats';
  return new Intl.NumberFormat(`${locale}-u-nu-latn`, {
    minimumFractionDigits: isMoney ? 2 : 0,
    maximumFractionDigits: 20,
  }).format(value);
}
