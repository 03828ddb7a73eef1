import { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';
import { HttpError } from './http-error.ts';

/** All limits are multiples of RATE_LIMIT_RPS and RATE_LIMIT_BURST. */
export interface RateLimits {
  /** Pages, views, statuses, QR images. */
  read: RateLimiter;
  /** Requests that cause work in the service: opening, choosing, renewing. */
  write: RateLimiter;
  /** Bad tokens, secrets and signatures. */
  failure: RateLimiter;
  /** Maximum of concurrent event streams per address. */
  streams: number;
  /** The same of all addresses together. */
  allStreams: number;
}

export function createLimits(
  perSecond: number,
  burst: number,
  allStreams: number = Infinity,
): RateLimits {
  return {
    read: new RateLimiter({ perSecond: perSecond * 2, burst: burst * 2 }),
    write: new RateLimiter({ perSecond: perSecond / 4, burst: burst / 2 }),
    failure: new RateLimiter({ perSecond: perSecond / 60, burst: burst / 6 }),
    streams: burst * 4,
    allStreams,
  };
}

/** @throws HttpError 429 */
export function spend(limiter: RateLimiter, address: string, now: number): void {
  const wait = limiter.take(address, now);
  if (wait > 0) throw tooMany(wait);
}

/**
 * The limit for all callers together of look-ups of unknown ids at the service: a small share of
 * its requests, so that the others are left for buyers.
 */
export function createLookupLimit(perSecond: number, burst: number): RateLimiter {
  return new RateLimiter({ perSecond: perSecond / 5, burst: burst / 6 });
}

/** @throws HttpError 429 after too many failures of this address */
export function requireFewFailures(limiter: RateLimiter, address: string, now: number): void {
  const wait = limiter.peek(address, now);
  if (wait > 0) throw tooMany(wait);
}

export const tooMany = (waitMs: number): HttpError =>
  new HttpError(429, 'RateLimited', 'Too many requests from this address; try again shortly.', {
    retryAfter: waitMs / 1000,
  });
