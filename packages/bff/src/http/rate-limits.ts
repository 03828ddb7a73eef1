import { HttpError } from './http-error.ts';

/** A rate limiter by the generic cell rate algorithm: one number per key, no timers. */
export class Limiter {
  readonly #intervalMs: number;
  readonly #burst: number;
  readonly #arrival = new Map<string, number>();

  constructor(perSecond: number, burst: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#burst = Math.max(1, burst);
  }

  /**
   * Counts one event and returns 0, or returns the milliseconds until it is allowed and counts
   * nothing.
   */
  take(key: string, now: number): number {
    const arrival = Math.max(this.#arrival.get(key) ?? 0, now);
    const wait = arrival - now - (this.#burst - 1) * this.#intervalMs;
    if (wait > 0) return wait;
    if (this.#arrival.size >= MAX_KEYS) this.#prune(now);
    this.#arrival.set(key, arrival + this.#intervalMs);
    return 0;
  }

  /** The result of `take`, without counting. */
  wait(key: string, now: number): number {
    return Math.max(0, (this.#arrival.get(key) ?? 0) - now - (this.#burst - 1) * this.#intervalMs);
  }

  /** Takes back one counted event. */
  giveBack(key: string): void {
    const arrival = this.#arrival.get(key);
    if (arrival !== undefined) this.#arrival.set(key, arrival - this.#intervalMs);
  }

  #prune(now: number): void {
    for (const [key, arrival] of this.#arrival) if (arrival <= now) this.#arrival.delete(key);
    // All keys are active, as in an attack from many addresses: evict the oldest to bound the
    // memory.
    for (const key of this.#arrival.keys()) {
      if (this.#arrival.size < MAX_KEYS / 2) return;
      this.#arrival.delete(key);
    }
  }
}

const MAX_KEYS = 100_000;

/** All limits are multiples of RATE_LIMIT_RPS and RATE_LIMIT_BURST. */
export interface RateLimits {
  /** Pages, views, statuses, QR images. */
  read: Limiter;
  /** Requests that cause work in the service: opening, choosing, renewing. */
  write: Limiter;
  /** Bad tokens, secrets and signatures. */
  failure: Limiter;
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
    read: new Limiter(perSecond * 2, burst * 2),
    write: new Limiter(perSecond / 4, burst / 2),
    failure: new Limiter(perSecond / 60, burst / 6),
    streams: burst * 4,
    allStreams,
  };
}

/** @throws HttpError 429 */
export function spend(limiter: Limiter, address: string, now: number): void {
  const wait = limiter.take(address, now);
  if (wait > 0) throw tooMany(wait);
}

/**
 * The limit for all callers together of look-ups of unknown ids at the service: a small share of
 * its requests, so that the others are left for buyers.
 */
export function createLookupLimit(perSecond: number, burst: number): Limiter {
  return new Limiter(perSecond / 5, burst / 6);
}

/** @throws HttpError 429 after too many failures of this address */
export function requireFewFailures(limiter: Limiter, address: string, now: number): void {
  const wait = limiter.wait(address, now);
  if (wait > 0) throw tooMany(wait);
}

export const tooMany = (waitMs: number): HttpError =>
  new HttpError(429, 'RateLimited', 'Too many requests from this address; try again shortly.', {
    retryAfter: waitMs / 1000,
  });
