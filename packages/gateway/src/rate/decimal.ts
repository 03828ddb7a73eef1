import {
  divide,
  multiply,
  parseAmount,
  SCALE,
  type Amount,
} from '@crypto-checkout/protocol/amount';

const ONE = parseAmount('1');

/** Parses JSON with every number as a string, so that no price passes through a double. */
export function parseJsonLosslessly(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  return JSON.parse(quoted) as unknown;
}

/**
 * Parses a price, exponents included, cut after 18 decimals. Null for an invalid price: 0, −1, NaN,
 * too large.
 */
export function priceOf(text: string): Amount | null {
  const parts = /^(\d{1,18})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (parts === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const shift = SCALE - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const price = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return price > 0n && price < 10n ** BigInt(2 * SCALE) ? price : null;
}

/** Inverts a price of A in B into the price of B in A. */
export function inverse(price: Amount): Amount {
  return divide(ONE, price, 'down');
}

export function middle(a: Amount, b: Amount): Amount {
  return (a + b) / 2n;
}

/** Reports whether two prices differ by more than `thousandths` of the smaller one. */
export function differByMore(a: Amount, b: Amount, thousandths: number): boolean {
  const [low, high] = a < b ? [a, b] : [b, a];
  return (high - low) * 1_000n > low * BigInt(thousandths);
}

export function product(a: Amount, b: Amount): Amount {
  return multiply(a, b, 'down');
}
