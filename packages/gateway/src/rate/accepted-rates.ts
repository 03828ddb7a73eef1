import type { Amount } from '@crypto-checkout/protocol/amount';
import type { Rate } from './combine.ts';
import { differByMore } from './decimal.ts';

/** Maximum age of the last good rate; after that the coin is not sold. */
const VALID_MS = 10 * 60_000;
/** Thousandths: a larger change of a rate must be confirmed by the next refresh. */
const JUMP = 150;
const SAME_JUMP = 30;
/** A first or changed price that no second source confirms must last this long. */
const HOLD_MS = 10 * 60_000;

interface Candidate {
  usd: Amount;
  /** Real time when this price was first received. */
  since: number;
}

export interface AcceptedRates {
  /** Takes the rates of one refresh. */
  update(rates: ReadonlyMap<string, Rate>): void;
  /** Rates that are not too old; none if only the dollar is left. */
  valid(realNow: number): Map<string, Rate>;
}

/**
 * Keeps the rates that may be used. A rate of several sources is accepted at once, and after a
 * large change if the next refresh confirms it; until then the last rate is used while it is valid.
 * A rate without a second source is accepted only after its answers have agreed for ten minutes, at
 * the start and after a large change; until then the coin has no rate.
 */
export function acceptedRates(unconfirmed: ReadonlySet<string>): AcceptedRates {
  const accepted = new Map<string, Rate>();
  let candidates = new Map<string, Candidate>();

  function update(rates: ReadonlyMap<string, Rate>): void {
    const before = candidates;
    candidates = new Map();
    for (const [symbol, rate] of rates) {
      const isAlone = unconfirmed.has(symbol);
      const candidate = isAlone
        ? pendingAlone(rate, accepted.get(symbol), before.get(symbol))
        : pending(rate, accepted.get(symbol), before.get(symbol));
      if (candidate === null) {
        accepted.set(symbol, rate);
        continue;
      }
      candidates.set(symbol, candidate);
      // One source cannot say which of its two prices is right.
      if (isAlone) accepted.delete(symbol);
    }
  }

  function valid(realNow: number): Map<string, Rate> {
    // The dollar alone prices nothing.
    const found = new Map(
      [...accepted].filter(([symbol, { at }]) => symbol !== 'USD' && realNow - at <= VALID_MS),
    );
    const dollar = accepted.get('USD');
    return found.size === 0 || dollar === undefined ? new Map() : found.set('USD', dollar);
  }

  return { update, valid };
}

/** @returns null for a rate that is accepted */
function pending(
  { usd, at }: Rate,
  last: Rate | undefined,
  before: Candidate | undefined,
): Candidate | null {
  if (last === undefined || !differByMore(last.usd, usd, JUMP)) return null;
  return before !== undefined && !differByMore(before.usd, usd, SAME_JUMP)
    ? null
    : { usd, since: at };
}

/** Counts the time between answers: an answer that is only remembered confirms nothing. */
function pendingAlone(
  { usd, at }: Rate,
  last: Rate | undefined,
  before: Candidate | undefined,
): Candidate | null {
  if (last !== undefined && !differByMore(last.usd, usd, JUMP)) return null;
  if (before === undefined || differByMore(before.usd, usd, JUMP)) return { usd, since: at };
  return at - before.since >= HOLD_MS ? null : before;
}
