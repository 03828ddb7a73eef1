/** Digits of an approximate amount. */
const SIGNIFICANT = 6;

/** Formats an approximate amount to six significant digits, with grouping: `2,102,270`, `18.50`. */
export function formatApprox(approx: string, locale: string): string {
  const value = Number(Number(approx).toPrecision(SIGNIFICANT));
  if (!Number.isFinite(value)) return approx;
  const isMoney = /\.\d$/.test(String(value));
  return new Intl.NumberFormat(`${locale}-u-nu-latn`, {
    minimumFractionDigits: isMoney ? 2 : 0,
    maximumFractionDigits: 20,
  }).format(value);
}
