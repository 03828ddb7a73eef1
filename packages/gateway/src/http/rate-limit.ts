import { ServiceError } from './error.ts';

/** How long a caller must wait, or null when it may go on. */
export type Wait = number | null;

interface Caller {
  dueAt: number;
  /** When it was put behind all others. */
  movedAt: number;
}

/** A caller is put behind all others once in this time: doing so with each request costs more than the rest of counting it. */
const MOVE_EVERY_MS = 1_000;

/**
 * Generic cell rate algorithm: `burst` at once, then `rps` a second, one number kept per caller. Memory is bounded: who was
 * quiet for long enough is forgotten, and beyond `maxCallers` the one that was seen the longest ago.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #maxCallers: number;
  readonly #callers = new Map<string, Caller>();

  constructor({ rps, burst, maxCallers = 100_000 }: { rps: number; burst: number; maxCallers?: number }) {
    this.#intervalMs = 1000 / rps;
    this.#toleranceMs = this.#intervalMs * (burst - 1);
    this.#maxCallers = maxCallers;
  }

  /** Counts one request of `caller`. @returns seconds to wait, at least 1, when it is one too many (it is then not counted) */
  take(caller: string, nowMs: number): Wait {
    const known = this.#callers.get(caller);
    const wait = this.#wait(known, nowMs);
    if (wait !== null) return wait;
    const dueAt = Math.max(known?.dueAt ?? 0, nowMs) + this.#intervalMs;
    if (known && Math.abs(nowMs - known.movedAt) < MOVE_EVERY_MS) known.dueAt = dueAt;
    else this.#move(caller, dueAt, nowMs);
    return null;
  }

  /** The same without counting. */
  peek(caller: string, nowMs: number): Wait {
    return this.#wait(this.#callers.get(caller), nowMs);
  }

  #wait(caller: Caller | undefined, nowMs: number): Wait {
    const early = (caller?.dueAt ?? 0) - this.#toleranceMs - nowMs;
    return early > 0 ? Math.max(1, Math.ceil(early / 1000)) : null;
  }

  #move(caller: string, dueAt: number, nowMs: number): void {
    this.#callers.delete(caller);
    this.#callers.set(caller, { dueAt, movedAt: nowMs });
    if (this.#callers.size > this.#maxCallers) this.#forget(nowMs);
  }

  #forget(nowMs: number): void {
    for (const [caller, { dueAt }] of this.#callers) {
      if (dueAt > nowMs && this.#callers.size <= this.#maxCallers) return;
      this.#callers.delete(caller);
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
