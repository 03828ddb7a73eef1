import { ServiceError } from './error.ts';

/** How long a caller must wait, or null when it may go on. */
export type Wait = number | null;

/**
 * Generic cell rate algorithm: `burst` at once, then `rps` a second, one number kept per caller. Memory is bounded: who was
 * quiet for long enough is forgotten, and beyond `maxCallers` the one that was added first.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #maxCallers: number;
  readonly #dueAt = new Map<string, number>();

  constructor({ rps, burst, maxCallers = 100_000 }: { rps: number; burst: number; maxCallers?: number }) {
    this.#intervalMs = 1000 / rps;
    this.#toleranceMs = this.#intervalMs * (burst - 1);
    this.#maxCallers = maxCallers;
  }

  /** Counts one request of `caller`. @returns seconds to wait, at least 1, when it is one too many (it is then not counted) */
  take(caller: string, nowMs: number): Wait {
    const wait = this.peek(caller, nowMs);
    if (wait !== null) return wait;
    const due = Math.max(this.#dueAt.get(caller) ?? 0, nowMs) + this.#intervalMs;
    this.#dueAt.delete(caller);
    this.#dueAt.set(caller, due);
    if (this.#dueAt.size > this.#maxCallers) this.#forget(nowMs);
    return null;
  }

  /** The same without counting. */
  peek(caller: string, nowMs: number): Wait {
    const due = this.#dueAt.get(caller) ?? 0;
    const early = due - this.#toleranceMs - nowMs;
    return early > 0 ? Math.max(1, Math.ceil(early / 1000)) : null;
  }

  #forget(nowMs: number): void {
    for (const [caller, due] of this.#dueAt) {
      if (due > nowMs && this.#dueAt.size <= this.#maxCallers) return;
      this.#dueAt.delete(caller);
    }
  }
}

/** Every limit of the gateway, each a multiple of `RATE_LIMIT_RPS` and `RATE_LIMIT_BURST`. */
export class Limits {
  readonly #key: RateLimiter;
  readonly #address: RateLimiter;
  readonly #failures: RateLimiter;

  constructor({ rateLimitRps: rps, rateLimitBurst: burst }: { rateLimitRps: number; rateLimitBurst: number }) {
    this.#key = new RateLimiter({ rps, burst });
    this.#address = new RateLimiter({ rps: rps * 10, burst: burst * 10 });
    this.#failures = new RateLimiter({ rps: rps / 10, burst });
  }

  /** All requests of an address, and the failed ones among them. @throws ServiceError `RateLimited` */
  requireAddress(address: string, nowMs: number): void {
    refuse(this.#failures.peek(address, nowMs), 'this address after failed authentications');
    refuse(this.#address.take(address, nowMs), 'this address');
  }

  countFailure(address: string, nowMs: number): void {
    this.#failures.take(address, nowMs);
  }

  /** @throws ServiceError `RateLimited` */
  requireKey(keyId: string, nowMs: number): void {
    refuse(this.#key.take(keyId, nowMs), 'this API key');
  }
}

function refuse(wait: Wait, whose: string): void {
  if (wait === null) return;
  const headers = { 'Retry-After': String(wait) };
  throw new ServiceError('RateLimited', `There were too many requests of ${whose}; the next one is accepted in ${wait} s.`, { headers });
}
