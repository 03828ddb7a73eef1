/** A currency of order amounts, with the facts that `/v1/exchange-rates/` returns. */
export interface Currency {
  symbol: string;
  kind: 'fiat' | 'crypto';
  /** By ISO 4217 for fiat, of the coin for crypto. */
  decimals: number;
  sign: string;
  /** Name in lower case, such as `us-dollar`. */
  id: string;
  name: string;
}

type Row = readonly [symbol: string, name: string, decimals: number, sign: string];

const FIAT: readonly Row[] = [
  ['USD', 'US Dollar', 2, '$'],
  ['EUR', 'Euro', 2, '€'],
  ['GBP', 'British Pound', 2, '£'],
  ['AUD', 'Australian Dollar', 2, 'A$'],
  ['CAD', 'Canadian Dollar', 2, 'C$'],
  ['CHF', 'Swiss Franc', 2, 'CHF'],
  ['ZAR', 'South African Rand', 2, 'R'],
  ['NOK', 'Norwegian Krone', 2, 'kr'],
  ['NZD', 'New Zealand Dollar', 2, 'NZ$'],
  ['MXN', 'Mexican Peso', 2, 'MX$'],
  ['CLP', 'Chilean Peso', 0, 'CLP$'],
  ['KRW', 'South Korean Won', 0, '₩'],
  ['JPY', 'Japanese Yen', 0, '¥'],
  ['PLN', 'Polish Zloty', 2, 'zł'],
  ['DKK', 'Danish Krone', 2, 'kr.'],
  ['SEK', 'Swedish Krona', 2, 'kr'],
  ['ARS', 'Argentine Peso', 2, 'AR$'],
  ['KES', 'Kenyan Shilling', 2, 'KSh'],
  ['BRL', 'Brazilian Real', 2, 'R$'],
  ['MNT', 'Mongolian Tugrik', 2, '₮'],
  ['NGN', 'Nigerian Naira', 2, '₦'],
  ['RUB', 'Russian Ruble', 2, '₽'],
  ['HUF', 'Hungarian Forint', 2, 'Ft'],
];

const CRYPTO: readonly Row[] = [
  ['BTC', 'Bitcoin', 8, '₿'],
  ['LTC', 'Litecoin', 8, 'Ł'],
  ['ETH', 'Ethereum', 18, 'Ξ'],
  ['TRX', 'TRON', 6, 'TRX'],
  ['SOL', 'Solana', 9, 'SOL'],
  ['POL', 'Polygon', 18, 'POL'],
  ['XRP', 'XRP', 6, 'XRP'],
  ['DOGE', 'Dogecoin', 8, 'Ð'],
  ['USDT', 'Tether', 6, 'USDT'],
  ['USDC', 'USD Coin', 6, 'USDC'],
  ['TUSD', 'TrueUSD', 18, 'TUSD'],
  ['PAX', 'Pax Dollar', 18, 'PAX'],
  ['GUSD', 'Gemini Dollar', 2, 'GUSD'],
  ['BUSD', 'Binance USD', 18, 'BUSD'],
  ['DAI', 'Dai', 18, 'DAI'],
  ['WBNB', 'Wrapped BNB', 18, 'WBNB'],
  ['SAND', 'The Sandbox', 18, 'SAND'],
  ['SHIB', 'Shiba Inu', 18, 'SHIB'],
  ['L-BTC', 'Liquid Bitcoin', 8, 'L-BTC'],
  ['L-USDT', 'Liquid Tether', 8, 'L-USDT'],
];

export const CURRENCIES: readonly Currency[] = /* @__PURE__ */ [
  ...FIAT.map((row) => currencyFrom(row, 'fiat')),
  ...CRYPTO.map((row) => currencyFrom(row, 'crypto')),
];

/** @example currencyOf('JPY')?.decimals // 0 */
export function currencyOf(symbol: string): Currency | undefined {
  return CURRENCIES.find((currency) => currency.symbol === symbol);
}

/**
 * Pads an amount to its currency's decimals. Nothing is rounded; amounts of coins stay unchanged.
 * @example withCurrencyDecimals('18.5', 'USD') // '18.50'
 */
export function withCurrencyDecimals(amount: string, symbol: string): string {
  const { kind, decimals } = currencyOf(symbol) ?? {};
  return kind === 'fiat' ? withDecimals(amount, decimals!) : amount;
}

/** Pads an amount with zeros to at least this many decimals. */
export function withDecimals(amount: string, least: number): string {
  const [whole, fraction = ''] = amount.split('.');
  return fraction.length < least ? `${whole}.${fraction.padEnd(least, '0')}` : amount;
}

function currencyFrom([symbol, name, decimals, sign]: Row, kind: Currency['kind']): Currency {
  return { symbol, kind, decimals, sign, id: name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), name };
}
