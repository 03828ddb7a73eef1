import { Refusal } from './refusal.ts';

/** Tells when a thing was done too often, by the generic cell rate algorithm: one number per key, no timers. */
export class Limiter {
  readonly #intervalMs: number;
  readonly #burst: number;
  readonly #arrival = new Map<string, number>();

  constructor(perSecond: number, burst: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#burst = Math.max(1, burst);
  }

  /** Counts one; answers 0, or the milliseconds until it would be allowed (and then counts nothing). */
  take(key: string, now: number): number {
    const arrival = Math.max(this.#arrival.get(key) ?? 0, now);
    const wait = arrival - now - (this.#burst - 1) * this.#intervalMs;
    if (wait > 0) return wait;
    if (this.#arrival.size >= MAX_KEYS) this.#prune(now);
    this.#arrival.set(key, arrival + this.#intervalMs);
    return 0;
  }

  /** What `take` would answer, counting nothing. */
  wait(key: string, now: number): number {
    return Math.max(0, (this.#arrival.get(key) ?? 0) - now - (this.#burst - 1) * this.#intervalMs);
  }

  #prune(now: number): void {
    for (const [key, arrival] of this.#arrival) if (arrival <= now) this.#arrival.delete(key);
    // All of them are busy: an attack from many addresses. The oldest go, so that memory has an end.
    for (const key of this.#arrival.keys()) {
      if (this.#arrival.size < MAX_KEYS / 2) return;
      this.#arrival.delete(key);
    }
  }
}

const MAX_KEYS = 100_000;

/** Every limit is a multiple of two settings (decisions, "Rate limit"). */
export interface Limits {
  /** Pages, views, statuses, QR images. */
  read: Limiter;
  /** Opening, choosing, renewing: they make the service work. */
  write: Limiter;
  /** Bad tokens, secrets and signatures. */
  failure: Limiter;
  /** Event streams that one address may hold at a time. */
  streams: number;
}

export function createLimits(perSecond: number, burst: number): Limits {
  return {
    read: new Limiter(perSecond * 2, burst * 2),
    write: new Limiter(perSecond / 4, burst / 2),
    failure: new Limiter(perSecond / 60, burst / 6),
    streams: burst * 4,
  };
}

/** @throws Refusal 429 */
export function spend(limiter: Limiter, address: string, now: number): void {
  const wait = limiter.take(address, now);
  if (wait > 0) throw tooMany(wait);
}

/** @throws Refusal 429 when the address has failed too often lately */
export function requireTrust(limiter: Limiter, address: string, now: number): void {
  const wait = limiter.wait(address, now);
  if (wait > 0) throw tooMany(wait);
}

export const tooMany = (waitMs: number): Refusal =>
  new Refusal(429, 'RateLimited', 'Too many requests from this address; try again shortly.', { retryAfter: waitMs / 1000 });
