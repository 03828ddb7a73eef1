import { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';

/** Number of remembered values; the oldest is forgotten. */
const MAX_REMEMBERED = 100;
const BURST = 20;
const PER_SECOND = 1 / 60;

/**
 * Returns a filter that is true for the first occurrence of a value. Strangers choose the values,
 * so memory and rate are bounded: a value above the rate is logged at its next occurrence.
 */
export function createOnceFilter(now: () => number): (value: string) => boolean {
  const known = new Set<string>();
  const limiter = new RateLimiter({ perSecond: PER_SECOND, burst: BURST });
  return (value) => {
    if (known.has(value) || limiter.take('', now()) > 0) return false;
    const [oldest] = known;
    if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.add(value);
    return true;
  };
}
