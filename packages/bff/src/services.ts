import { type Base, createBase, openService, type ServiceAccess } from './base-services.ts';
import { CallbackReceiver } from './callbacks/callback-receiver.ts';
import { CheckoutOpener } from './checkouts/checkout-opener.ts';
import { CheckoutResolver } from './checkouts/checkout-resolver.ts';
import { InvoiceCreator } from './checkouts/invoices/invoice-creator.ts';
import { InvoiceReader } from './checkouts/invoices/invoice-reader.ts';
import { InvoiceRecovery } from './checkouts/invoices/invoice-recovery.ts';
import { withLateRates } from './checkouts/invoices/late-rates.ts';
import { currentProfile } from './checkouts/current-profile.ts';
import { CheckoutInvoices } from './checkouts/invoices/checkout-invoices.ts';
import { RequestEnder } from './checkouts/invoices/request-ender.ts';
import { pollInterval } from './checkouts/invoices/poll-interval.ts';
import { merchantOf } from './merchant/merchant.ts';
import { OpenStreams } from './checkouts/open-streams.ts';
import { CheckoutPoller } from './checkouts/poller/checkout-poller.ts';
import { ViewFreshness } from './checkouts/poller/view-freshness.ts';
import { CheckoutPresenter } from './checkouts/presenter/checkout-presenter.ts';
import { createDamageLog } from './checkouts/rebuild/damage-log.ts';
import { CheckoutRebuilder } from './checkouts/rebuild/checkout-rebuilder.ts';
import { CheckoutRepository } from './checkouts/repository/checkout-repository.ts';
import { createAddressOf } from './http/client-address.ts';
import { createHeaders } from './http/headers.ts';
import { createOnceFilter } from './http/log-once.ts';
import { createOrigins } from './http/origins.ts';
import { createLimits, createLookupLimit } from './http/rate-limits.ts';
import { type BffOptions, DEFAULT_EXCHANGE_EXPIRATION } from './options.ts';
import { describeRejectedSuccessUrl, reasonNotFollowed } from './orders/success-link.ts';
import { ClockWatch } from './service/clock-watch.ts';
import { withNewEvents } from './shop-webhook/with-new-events.ts';
import { ShopNotifier } from './shop-webhook/shop-notifier.ts';
import { createSolanaNode } from './solana/node.ts';

/**
 * Limit for the names of unknown order members that are remembered, so that each is logged once.
 */
const MAX_IGNORED = 100;

/** Everything that the routes need. */
export type Services = ReturnType<typeof createServices>;

/** Wires the application, in the order in which the parts depend on each other. */
export function createServices(options: BffOptions) {
  const base = createBase(options);
  const service = openService(base);
  const checkouts = openCheckouts(base, service);
  const events = openEvents(base, service, checkouts);
  const { metrics } = base;
  metrics.gauge('bff_event_streams', () => checkouts.streams.count);
  metrics.gauge('bff_followed_checkouts', () => events.poller.polledCount);
  return {
    ...base,
    ...service,
    ...checkouts,
    ...events,
    ...openHttp(base),
    solana: createSolana(base),
    opener: createOpener(base, service, checkouts),
  };
}

type CheckoutServices = ReturnType<typeof openCheckouts>;

/** The checkouts: stored, shown, and paid with invoices. */
function openCheckouts(base: Base, access: ServiceAccess) {
  const { options, now, steady, log, hmac, envelopeKey, extensions } = base;
  const { service, budget, profile, rates } = access;
  const { orderSecret } = options;
  const presenter = createPresenter(base, access);
  const acceptsLate = options.latePayments === 'accept';
  // A late payment counts at the rates of its first reading: load them before it is merged.
  const loadRates = async (): Promise<unknown> =>
    acceptsLate ? rates.get().catch(() => null) : null;
  const rebuilder = new CheckoutRebuilder({
    store: options.store,
    repository: () => repository,
    service,
    budget,
    prepare: () => Promise.all([profile.get(), loadRates()]),
    orderSecret,
    envelopeKey,
    hmac,
    now,
    steady,
    log,
  });
  const repository = createRepository(base, access, rebuilder);
  const reader = new InvoiceReader({ ...base, repository, service, loadRates, acceptsLate });
  const recovery = new InvoiceRecovery({
    repository,
    service,
    orderSecret,
    envelopeKey,
    hmac,
    now,
  });
  const exchangeSeconds = extensions
    ? (options.exchangeExpiration ?? DEFAULT_EXCHANGE_EXPIRATION)
    : null;
  const creator = new InvoiceCreator({
    repository,
    service,
    recovery,
    envelopeKey,
    hmac,
    rates: () => rates.peek(),
    exchangeSeconds,
    now,
    log,
  });
  return {
    rebuilder,
    repository,
    presenter,
    streams: new OpenStreams(presenter),
    reader,
    requests: new RequestEnder({ ...base, ...access, repository }),
    invoices: new CheckoutInvoices({
      repository,
      service,
      reader,
      recovery,
      creator,
      profile: () => currentProfile(profile),
      exchangeSeconds,
      now,
    }),
    resolver: createResolver(base, access, { repository, rebuilder, loadRates }),
  };
}

function createResolver(
  { options: { orderSecret }, now, steady, hmac, envelopeKey, rateLimit }: Base,
  { service }: ServiceAccess,
  parts: {
    repository: CheckoutRepository;
    rebuilder: CheckoutRebuilder;
    loadRates: () => Promise<unknown>;
  },
): CheckoutResolver {
  return new CheckoutResolver({
    ...parts,
    service,
    lookups: createLookupLimit(rateLimit.perSecond, rateLimit.burst),
    orderSecret,
    envelopeKey,
    hmac,
    now,
    steady,
  });
}

function createPresenter(
  { options, now, steady, extensions }: Base,
  { service, profile, rates, networkFees }: ServiceAccess,
): CheckoutPresenter {
  return new CheckoutPresenter({
    service,
    now,
    steady,
    merchant: merchantOf(options),
    canExtend: extensions,
    onrampUrl: options.onrampUrl ?? null,
    mailer: options.mailer,
    successOrigins: options.successOrigins ?? [],
    profile: () => profile.peek(),
    rates: () => rates.peek(),
    networkFees: () => networkFees.peek(),
  });
}

/**
 * Stores with each change of a checkout the shop events that follow from it: a crash loses neither.
 */
function createRepository(
  { options, now, steady, log, metrics }: Base,
  { rates, serverTime, stateContext }: ServiceAccess,
  rebuilder: CheckoutRebuilder,
): CheckoutRepository {
  const acceptsLate = options.latePayments === 'accept';
  const hasListener = options.shopWebhook !== undefined || options.onEvent !== undefined;
  const { profileId } = options;
  return new CheckoutRepository({
    store: options.store,
    now,
    steady,
    derive: (record) => {
      const priced = acceptsLate ? withLateRates(record, rates.peek(), serverTime()) : record;
      return hasListener
        ? withNewEvents(priced, stateContext(), { profileId, now: now() })
        : priced;
    },
    isOpen: (record) =>
      record.attempts.length > 0 ||
      record.events.some(({ done_at }) => done_at === null) ||
      pollInterval(record, false, serverTime()) !== null,
    rebuild: (id) => rebuilder.rebuild(id),
    onDamaged: createDamageLog(log, metrics),
  });
}

/**
 * The parts that react to changes: the shop's notifier, the poller and the receiver of callbacks.
 */
function openEvents(
  base: Base,
  { profile, rates, networkFees, budget, serverTime }: ServiceAccess,
  checkouts: CheckoutServices,
) {
  const { options, now, steady, log, hmac, request, extensions } = base;
  const { repository, rebuilder, presenter, streams, reader, requests, invoices } = checkouts;
  const { store, serviceUrl, callbackToken } = options;
  const notifier = new ShopNotifier({
    repository,
    shopWebhook: options.shopWebhook ?? null,
    onEvent: options.onEvent ?? null,
    fetch: request,
    hmac,
    now,
    steady,
    log,
  });
  const clockWatch = new ClockWatch({ serviceUrl, fetch: request, now: steady, serverTime });
  const isTestNetwork = (): boolean =>
    profile.peek()?.currencies.some(({ network }) => network !== 'mainnet') ?? false;
  const poller = new CheckoutPoller({
    repository,
    store,
    reader,
    requests,
    invoices,
    deliverEvents: (checkout) => notifier.deliver(checkout, { onSchedule: true }),
    presenter,
    streams,
    budget,
    continueRebuild: () => rebuilder.continue(),
    clockWatch: () => (isTestNetwork() ? clockWatch : null),
    now,
    steady,
    log,
  });
  repository.onChange((checkout, elsewhere) => {
    streams.publish(checkout);
    if (elsewhere) poller.scheduleTakeover(checkout.id);
    else poller.schedule(checkout);
  });
  return {
    notifier,
    poller,
    receiver: new CallbackReceiver({
      ...checkouts,
      notifier,
      callbackToken,
      extensions,
      hmac,
      now,
      log,
    }),
    freshness: new ViewFreshness({
      repository,
      reader,
      poller,
      presenter,
      budget,
      profile,
      rates,
      networkFees,
      steady,
    }),
  };
}

const createSolana = ({ options: { solanaRpcUrl }, request, steady }: Base) =>
  solanaRpcUrl === undefined
    ? null
    : createSolanaNode(solanaRpcUrl, { fetch: request, now: steady });

function createOpener(
  { options, now, log, hmac }: Base,
  { stateContext }: ServiceAccess,
  { repository, rebuilder }: CheckoutServices,
): CheckoutOpener {
  const ignoredMembers = new Set<string>();
  return new CheckoutOpener({
    repository,
    rebuilder,
    catalogue: options.catalogue ?? {},
    allowClientPrices: options.allowClientPrices ?? false,
    onRejectedSuccessUrl: (link) =>
      log.warn(
        { event: 'success_url_rejected', success_url: link },
        `success_url rejected: ${reasonNotFollowed(link)}`,
      ),
    onIgnoredMembers: (about) => {
      const fresh = about.ignored.filter((name) => !ignoredMembers.has(name));
      if (fresh.length === 0 || ignoredMembers.size >= MAX_IGNORED) return;
      for (const name of fresh) ignoredMembers.add(name);
      log.warn({ event: 'order_members_ignored', ...about }, 'unknown members of an order ignored');
    },
    successOrigins: options.successOrigins ?? [],
    orderSecret: options.orderSecret,
    shopSecret: options.shopSecret,
    hmac,
    now,
    stateContext,
  });
}

/** Limits, origins and headers of the HTTP interface. */
function openHttp({ options, steady, log, rateLimit }: Base) {
  const isNewOrigin = createOnceFilter(steady);
  return {
    limits: createLimits(rateLimit.perSecond, rateLimit.burst, options.maxStreams),
    origins: createOrigins({
      publicUrl: options.publicUrl,
      embedOrigins: options.embedOrigins ?? [],
      now: steady,
      onForeign: (origin) =>
        log.warn(
          { event: 'origin_rejected', origin },
          'origin rejected: EMBED_ORIGINS does not list it, so its pages cannot use the checkout',
        ),
    }),
    headers: createHeaders({ secure: options.publicUrl.startsWith('https:') }),
    addressOf: createAddressOf(options),
    onRejectedSuccessUrl: (link: string): void => {
      const { fields, origin, message } = describeRejectedSuccessUrl(link);
      if (isNewOrigin(origin))
        log.warn({ event: 'requested_success_url_rejected', ...fields }, message);
    },
  };
}
