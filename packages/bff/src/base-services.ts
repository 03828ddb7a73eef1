import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import type { StateContext } from './checkouts/checkout-state.ts';
import { requireSafeAddresses } from './http/main-network.ts';
import { Metrics } from './metrics.ts';
import { type BffOptions, DEFAULT_RATE_LIMIT, silentLog } from './options.ts';
import { envelopeKeyOf } from './orders/ids.ts';
import { Cache } from './service/cache.ts';
import { createService } from './service/client.ts';
import type { ServiceProfile } from './service/service.ts';
import { PollBudget } from './service/poll-budget.ts';
import { createSteadyClock } from './steady-clock.ts';

const MINUTE = 60_000;
/**
 * The payment service waits 10 s for the answer to a callback. One read and the shop's webhook must
 * fit into that.
 */
const SERVICE_TIMEOUT_MS = 3500;
/** Half of the key's rate limit is for polling; the other half is for buyers' requests. */
const POLL_SHARE = 0.5;

export type Base = ReturnType<typeof createBase>;
export type ServiceAccess = ReturnType<typeof openService>;

/** The options with their defaults. */
export function createBase(options: BffOptions) {
  const hmac = options.host?.hmac ?? hmacWebCrypto;
  const now = options.now ?? Date.now;
  return {
    options,
    log: options.log ?? silentLog,
    now,
    /** For intervals and limits; `now` is for times that are stored or shown. */
    steady: createSteadyClock(now),
    hmac,
    request: options.fetch ?? (((input, init) => fetch(input, init)) satisfies typeof fetch),
    extensions: options.extensions ?? true,
    rateLimit: options.rateLimit ?? DEFAULT_RATE_LIMIT,
    envelopeKey: envelopeKeyOf(options.orderSecret, hmac),
    metrics: new Metrics(),
  };
}

/** The payment service, with caches of its profile, rates and fees, and the budget for polling. */
export function openService({
  options,
  now,
  steady,
  request,
  extensions,
  rateLimit,
  metrics,
}: Base) {
  const nonceWindow = options.nonceWindow ?? false;
  const keys = [{ key: options.apiKey, secret: options.apiSecret }, ...(options.apiKeys ?? [])].map(
    (key) => ({ ...key, nonceWindow }),
  );
  const budget = new PollBudget(rateLimit.perSecond * POLL_SHARE * keys.length);
  const service = createService({
    serviceUrl: options.serviceUrl,
    keys,
    profileId: options.profileId,
    extensions,
    fetch: request,
    timeoutMs: options.serviceTimeoutMs ?? SERVICE_TIMEOUT_MS,
    now,
    steady,
    budget,
    onRequest: (what, outcome) =>
      metrics.count(`bff_service_requests_total{what="${what}",outcome="${outcome}"}`),
  });
  const loadProfile = async (): Promise<ServiceProfile> => {
    const loaded = await service.profile();
    if (loaded.currencies.some(({ network }) => network === 'mainnet'))
      requireSafeAddresses(options);
    return loaded;
  };
  const profile = new Cache({
    load: loadProfile,
    freshMs: MINUTE,
    maxMs: Infinity,
    now: steady,
  });
  const rates = new Cache({
    load: () => service.rates(),
    freshMs: 5 * MINUTE,
    maxMs: 30 * MINUTE,
    now: steady,
  });
  const networkFees = new Cache({
    load: () => service.networkFees(),
    freshMs: 5 * MINUTE,
    maxMs: 30 * MINUTE,
    retryMs: MINUTE,
    now: steady,
  });
  const serverTime = (): number => now() + service.offset();
  return {
    service,
    budget,
    loadProfile,
    profile,
    rates,
    networkFees,
    serverTime,
    stateContext: (): StateContext => ({ serverTime: serverTime(), profile: profile.peek() }),
  };
}
