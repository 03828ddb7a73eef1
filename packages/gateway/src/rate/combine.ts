import type { Amount } from '@crypto-checkout/protocol/amount';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { differByMore, middle, product } from './decimal.ts';
import type { Quote } from './source.ts';

/** Last answer of a source. */
export interface Answer {
  source: string;
  quotes: readonly Quote[];
  /** Real time, milliseconds since the epoch. */
  receivedAt: number;
  maxAgeMs: number;
}

export interface Rate {
  /** US dollars per unit. */
  usd: Amount;
  /** Real time when its newest price was received. */
  at: number;
}

/** Thousandths. */
const MAX_SPREAD = 20;
const MAX_FROM_MEDIAN = 30;
const MAX_BETWEEN_TWO = 10;
/** A stablecoin further from its peg is not priced: either its source or the coin is broken. */
const MAX_FROM_PEG = 100;
const PEG = parseAmount('1');
/** Stablecoins of the US dollar: their peg bounds the price. */
export const PEGGED: ReadonlySet<string> = new Set(
  KINDS.filter(({ stablecoin }) => stablecoin).map(({ symbol }) => symbol),
);

/**
 * Combines the sources' prices into one dollar price per symbol. Per source: the middle of bid and
 * ask; prices with a spread over 2 % and old prices are dropped. Values more than 3 % from the
 * median are dropped. Three or more values give the median. Two give the mean if they are within
 * 1 %. One counts only if the symbol has a single source. Other symbols are omitted.
 * @param singleSource symbols priced by one source only
 */
export function combineQuotes(
  answers: readonly Answer[],
  singleSource: ReadonlySet<string>,
  realNow: number,
): Map<string, Rate> {
  const rates = new Map<string, Rate>([['USD', { usd: PEG, at: realNow }]]);
  const fresh = answers.map((answer) => ({
    ...answer,
    quotes: answer.quotes.filter((quote) => isUsable(quote, answer, realNow)),
  }));
  for (const [symbol, rate] of agreed(fresh, singleSource, null)) rates.set(symbol, rate);
  // Prices in USDT need the price of USDT first.
  const tether = rates.get('USDT');
  if (tether === undefined) return rates;
  const all = agreed(fresh, singleSource, tether.usd);
  return new Map([...all, ['USD', { usd: PEG, at: realNow }], ['USDT', tether]]);
}

function agreed(
  answers: readonly Answer[],
  singleSource: ReadonlySet<string>,
  usdt: Amount | null,
): [string, Rate][] {
  return [...valuesBySymbol(answers, usdt)].flatMap(([symbol, values]): [string, Rate][] => {
    const usd = agree(
      values.map((value) => value.usd),
      singleSource.has(symbol),
    );
    if (usd === null || !isNearPeg(symbol, usd)) return [];
    return [[symbol, { usd, at: Math.max(...values.map(({ at }) => at)) }]];
  });
}

function isUsable(
  { bid, ask, at }: Quote,
  { receivedAt, maxAgeMs }: Answer,
  realNow: number,
): boolean {
  const age = realNow - Math.min(at ?? receivedAt, receivedAt);
  return age <= maxAgeMs && bid <= ask && !differByMore(bid, ask, MAX_SPREAD);
}

/** One value per source, even if a source quotes a coin twice. */
function valuesBySymbol(answers: readonly Answer[], usdt: Amount | null): Map<string, Rate[]> {
  const values = new Map<string, Rate[]>();
  for (const { quotes, receivedAt: at } of answers) {
    const own = new Map<string, Amount>();
    for (const { symbol, currency, bid, ask } of quotes) {
      if (currency === 'USD') own.set(symbol, middle(bid, ask));
      else if (usdt !== null) own.set(symbol, product(middle(bid, ask), usdt));
    }
    for (const [symbol, usd] of own)
      values.set(symbol, [...(values.get(symbol) ?? []), { usd, at }]);
  }
  return values;
}

function agree(all: readonly Amount[], mayBeSingle: boolean): Amount | null {
  const median = medianOf(all);
  const near = all.filter((value) => !differByMore(value, median, MAX_FROM_MEDIAN));
  const [first, second] = near;
  if (near.length >= 3) return medianOf(near);
  if (first === undefined) return null;
  if (second === undefined) return mayBeSingle && all.length === 1 ? first : null;
  return differByMore(first, second, MAX_BETWEEN_TWO) ? null : middle(first, second);
}

function medianOf(values: readonly Amount[]): Amount {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0n;
  return sorted.length % 2 === 1 ? upper : middle(sorted[half - 1] ?? upper, upper);
}

function isNearPeg(symbol: string, rate: Amount): boolean {
  return !PEGGED.has(symbol) || !differByMore(rate, PEG, MAX_FROM_PEG);
}
