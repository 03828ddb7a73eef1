import { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';
import { ServiceError } from './error.ts';

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
    this.#checkout = new RateLimiter({
      perSecond: rps * CHECKOUT_SHARE,
      burst: burst * CHECKOUT_SHARE,
    });
    this.#key = new RateLimiter({ perSecond: rps, burst });
    this.#address = new RateLimiter({ perSecond: rps * 10, burst: burst * 10 });
    this.#failures = new RateLimiter({ perSecond: rps / 10, burst });
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

function refuse(waitMs: number, whose: string): void {
  if (waitMs === 0) return;
  const wait = Math.ceil(waitMs / 1000);
  const headers = { 'Retry-After': String(wait) };
  throw new ServiceError(
    'RateLimited',
    `There were too many requests of ${whose}; the next one is accepted in ${wait} s.`,
    { headers },
  );
}
