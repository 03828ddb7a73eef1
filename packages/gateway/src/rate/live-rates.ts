import type { Logger } from 'pino';
import type { Clock } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { acceptedRates } from './accepted-rates.ts';
import { combineQuotes, PEGGED, type Answer, type Rate } from './combine.ts';
import { PUBLIC_SOURCES, SAME_AS } from './public-sources.ts';
import type { RateBook, RateSet } from './rate-book.ts';
import { askSource, type RateSource } from './source.ts';

export interface LiveRatesOptions {
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Default: the seven public sources. */
  sources?: readonly RateSource[];
}

const REFRESH_MS = 30_000;
/** Rates are marked stale after two refreshes without new prices. */
const STALE_MS = 2 * REFRESH_MS + 10_000;
const MAX_AGE_MS = 5 * 60_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 5 * 60_000;

interface SourceState {
  source: RateSource;
  answer: Answer | null;
  failures: number;
  /** Real time of the next request, after a failure. */
  nextAt: number;
}

/**
 * Rates of public sources, refreshed on demand at most every 30 s. Uses real time, not business
 * time.
 */
export function liveRates({
  clock,
  log,
  fetch: send = fetch,
  sources = PUBLIC_SOURCES,
}: LiveRatesOptions): RateBook {
  const states: SourceState[] = sources.map((source) => ({
    source,
    answer: null,
    failures: 0,
    nextAt: 0,
  }));
  const singleSource = symbolsOfOneSource(sources);
  const unconfirmed = new Set([...singleSource].filter((symbol) => !PEGGED.has(symbol)));
  const accepted = acceptedRates(unconfirmed);
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;

  async function refresh(): Promise<void> {
    refreshing ??= askAll().finally(() => (refreshing = null));
    await refreshing;
  }

  async function askAll(): Promise<void> {
    refreshedAt = clock.real();
    await Promise.all(
      states
        .filter(({ nextAt }) => nextAt <= clock.real())
        .map((state) => askOne(state, { clock, log, send })),
    );
    const answers = states.flatMap(({ answer }) => (answer === null ? [] : [answer]));
    accepted.update(combineQuotes(answers, singleSource, clock.real()));
  }

  const valid = (): Map<string, Rate> => accepted.valid(clock.real());

  return {
    refresh,
    async current() {
      if (clock.real() - refreshedAt >= REFRESH_MS) {
        const asked = refresh();
        if (valid().size === 0) await asked;
        else asked.catch(() => {});
      } else if (refreshing !== null && valid().size === 0) await refreshing;
      const rates = valid();
      if (rates.size === 0)
        throw new ServiceError(
          'RateUnavailable',
          'No source of exchange rates answers at the moment.',
        );
      return rateSet(rates, unconfirmed, clock);
    },
  };
}

interface Asking {
  clock: Clock;
  log: LiveRatesOptions['log'];
  send: typeof fetch;
}

/**
 * A failed source keeps its last answer until that is too old. Retries after 5 s, 10 s, … 5 min.
 */
async function askOne(state: SourceState, { clock, log, send }: Asking): Promise<void> {
  const { source } = state;
  try {
    const quotes = await askSource(source, send);
    state.answer = {
      source: source.name,
      quotes,
      receivedAt: clock.real(),
      maxAgeMs: source.maxAgeMs ?? MAX_AGE_MS,
    };
    state.failures = 0;
    state.nextAt = 0;
  } catch (error) {
    state.nextAt = clock.real() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** state.failures);
    state.failures += 1;
    log.warn(
      {
        event: 'rate_source_failed',
        source: source.name,
        failures: state.failures,
        reason: error instanceof Error ? error.message : String(error),
      },
      'rate source failed',
    );
  }
}

function symbolsOfOneSource(sources: readonly RateSource[]): Set<string> {
  const counts = new Map<string, number>();
  for (const symbol of sources.flatMap(({ symbols }) => [...new Set(symbols)]))
    counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count === 1).map(([symbol]) => symbol));
}

function rateSet(
  rates: ReadonlyMap<string, Rate>,
  unconfirmed: ReadonlySet<string>,
  clock: Clock,
): RateSet {
  const usd = new Map([...rates].map(([symbol, rate]) => [symbol, rate.usd]));
  for (const [symbol, same] of Object.entries(SAME_AS)) {
    const rate = usd.get(same);
    if (rate !== undefined) usd.set(symbol, rate);
  }
  const newest = Math.max(...[...rates].map(([symbol, { at }]) => (symbol === 'USD' ? 0 : at)));
  const ageMs = clock.real() - newest;
  return { usd, at: clock.now() - ageMs, stale: ageMs > STALE_MS, unconfirmed };
}
