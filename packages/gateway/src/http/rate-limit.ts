import { ServiceError } from './error.ts';

/** Seconds until the caller may continue, or null when it may now. */
export type Wait = number | null;

interface Caller {
  dueAt: number;
  /** Time of the last move to the end of the queue. */
  movedAt: number;
}

/**
 * A caller is moved to the end of the queue once in this time: a move for each request costs more
 * than counting it.
 */
const MOVE_EVERY_MS = 1_000;

/**
 * Generic cell rate algorithm: `burst` at once, then `rps` a second, one number for each caller.
 * Memory is bounded: idle callers are forgotten, and beyond `maxCallers` the least recently seen
 * one is dropped.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #maxCallers: number;
  readonly #callers = new Map<string, Caller>();

  constructor({
    rps,
    burst,
    maxCallers = 100_000,
  }: {
    rps: number;
    burst: number;
    maxCallers?: number;
  }) {
    this.#intervalMs = 1000 / rps;
    this.#toleranceMs = this.#intervalMs * (burst - 1);
    this.#maxCallers = maxCallers;
  }

  /**
   * Counts one request of `caller`.
   * @returns seconds to wait, at least 1, when the limit is exceeded (the request is then not
   * counted)
   */
  take(caller: string, nowMs: number): Wait {
    const known = this.#callers.get(caller);
    const wait = this.#wait(known, nowMs);
    if (wait !== null) return wait;
    const dueAt = Math.max(this.#dueAt(known, nowMs), nowMs) + this.#intervalMs;
    if (known && Math.abs(nowMs - known.movedAt) < MOVE_EVERY_MS) known.dueAt = dueAt;
    else this.#move(caller, dueAt, nowMs);
    return null;
  }

  /** The same without counting. */
  peek(caller: string, nowMs: number): Wait {
    return this.#wait(this.#callers.get(caller), nowMs);
  }

  #wait(caller: Caller | undefined, nowMs: number): Wait {
    const early = this.#dueAt(caller, nowMs) - this.#toleranceMs - nowMs;
    return early > 0 ? Math.max(1, Math.ceil(early / 1000)) : null;
  }

  /**
   * A time later than a full burst from now was counted before the clock stepped back. It would
   * refuse the caller for as long as the step, so it is forgotten.
   */
  #dueAt(caller: Caller | undefined, nowMs: number): number {
    const dueAt = caller?.dueAt ?? 0;
    return dueAt > nowMs + this.#toleranceMs + this.#intervalMs ? 0 : dueAt;
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

/** A payment takes about fifteen requests, so all buyers together need more than one client. */
const CHECKOUT_SHARE = 5;

/** Every limit of the gateway, each a multiple of `RATE_LIMIT_RPS` and `RATE_LIMIT_BURST`. */
export class Limits {
  readonly #key: RateLimiter;
  readonly #checkout: RateLimiter;
  readonly #checkoutKey: string | null;
  readonly #address: RateLimiter;
  readonly #failures: RateLimiter;

  /** @param options.checkoutKey id of the BFF's own key */
  constructor(
    {
      rateLimitRps: rps,
      rateLimitBurst: burst,
    }: {
      rateLimitRps: number;
      rateLimitBurst: number;
    },
    { checkoutKey = null }: { checkoutKey?: string | null } = {},
  ) {
    this.#checkoutKey = checkoutKey;
    this.#checkout = new RateLimiter({ rps: rps * CHECKOUT_SHARE, burst: burst * CHECKOUT_SHARE });
    this.#key = new RateLimiter({ rps, burst });
    this.#address = new RateLimiter({ rps: rps * 10, burst: burst * 10 });
    this.#failures = new RateLimiter({ rps: rps / 10, burst });
  }

  /**
   * Counts all requests of an address, and its failed ones.
   * @throws ServiceError `RateLimited`
   */
  requireAddress(address: string, nowMs: number): void {
    refuse(this.#failures.peek(address, nowMs), 'this address after failed authentications');
    refuse(this.#address.take(address, nowMs), 'this address');
  }

  countFailure(address: string, nowMs: number): void {
    this.#failures.take(address, nowMs);
  }

  /** @throws ServiceError `RateLimited` */
  requireKey(keyId: string, nowMs: number): void {
    const limiter = keyId === this.#checkoutKey ? this.#checkout : this.#key;
    refuse(limiter.take(keyId, nowMs), 'this API key');
  }
}

function refuse(wait: Wait, whose: string): void {
  if (wait === null) return;
  const headers = { 'Retry-After': String(wait) };
  throw new ServiceError(
    'RateLimited',
    `There were too many requests of ${whose}; the next one is accepted in ${wait} s.`,
    { headers },
  );
}
