import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import { Notifier } from './callback/notifier.ts';
import { newEvents } from './callback/events.ts';
import { Receiver } from './callback/receive.ts';
import { Book } from './checkout/book.ts';
import { Desk } from './checkout/desk.ts';
import { Follower } from './checkout/follower.ts';
import { Opener } from './checkout/open.ts';
import { withLateRates } from './checkout/late.ts';
import { LostInvoices } from './checkout/lost.ts';
import { Maker } from './checkout/maker.ts';
import { pace } from './checkout/pace.ts';
import { Payments } from './checkout/payments.ts';
import { Reader } from './checkout/reader.ts';
import type { CheckoutRecord } from './checkout/record.ts';
import { Resolver } from './checkout/resolver.ts';
import { Screen } from './checkout/screen.ts';
import { networkOf, standingOf } from './checkout/standing.ts';
import { Streams } from './checkout/streams.ts';
import { createAddressOf } from './http/client-address.ts';
import { createHeaders } from './http/headers.ts';
import { createLimits } from './http/limits.ts';
import { createOnce } from './http/once.ts';
import { createOrigins } from './http/origin.ts';
import { Metrics } from './metrics.ts';
import { type BffOptions, silent } from './options.ts';
import { envelopeKeyOf } from './order/identity.ts';
import { lostWish } from './order/success-link.ts';
import { Budget } from './service/budget.ts';
import { Cache } from './service/cache.ts';
import { ClockWatch } from './service/clock-watch.ts';
import { createService } from './service/client.ts';
import { createSolanaNode } from './solana/node.ts';

const MINUTE = 60_000;
/** A callback's answer waits for a reading and for the shop, and the service waits ten seconds for that. */
const SERVICE_TIMEOUT_MS = 3500;
/** Exchanges look at a withdrawal first, and some wait for a mail to be answered. */
const EXCHANGE_SECONDS = 3600;
/** Half of the key's limit is for reading by ourselves; buyers' requests have the other half. */
const READING_SHARE = 0.5;
/** Names that are told of, once each. */
const MAX_IGNORED = 100;

/** Everything that the routes need, put together once. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(options: BffOptions) {
  const { store, orderSecret, profileId, log = silent } = options;
  const now = options.now ?? Date.now;
  const hmac = options.host?.hmac ?? hmacWebCrypto;
  const request: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const extensions = options.extensions ?? true;
  const rateLimit = options.rateLimit ?? { perSecond: 20, burst: 60 };
  const metrics = new Metrics();

  const nonceWindow = options.nonceWindow ?? false;
  const keys = [{ key: options.apiKey, secret: options.apiSecret }, ...(options.apiKeys ?? [])].map((key) => ({ ...key, nonceWindow }));
  const budget = new Budget(rateLimit.perSecond * READING_SHARE * keys.length);
  const service = createService({
    serviceUrl: options.serviceUrl,
    keys,
    profileId,
    extensions,
    fetch: request,
    timeoutMs: options.serviceTimeoutMs ?? SERVICE_TIMEOUT_MS,
    now,
    budget,
    onRequest: (what, outcome) => metrics.count(`bff_service_requests_total{what="${what}",outcome="${outcome}"}`),
  });
  const profile = new Cache({ load: () => service.profile(), freshMs: MINUTE, maxMs: Infinity, now });
  const rates = new Cache({ load: () => service.rates(), freshMs: 5 * MINUTE, maxMs: 30 * MINUTE, now });
  const envelopeKey = envelopeKeyOf(orderSecret, hmac);

  const circumstances = () => ({ serverTime: now() + service.offset(), profile: profile.peek() });
  const acceptsLate = options.latePayments === 'accept';
  const tells = options.shopWebhook !== undefined || options.onEvent !== undefined;

  const book: Book = new Book({
    store,
    now,
    log,
    settle: (record) => {
      const counted = acceptsLate ? withLateRates(record, rates.peek(), circumstances().serverTime) : record;
      return tells ? withEvents(counted, circumstances(), { profileId, now: now() }) : counted;
    },
    isOpen: (record) =>
      record.attempts.length > 0 ||
      record.events.some(({ done_at }) => done_at === null) ||
      pace(record, false, circumstances().serverTime) !== null,
    onChange: (live, elsewhere) => {
      streams.publish(live);
      if (elsewhere) follower.adopt(live.id);
      else follower.touch(live);
    },
  });
  const screen = new Screen({
    book,
    service,
    now,
    merchantName: options.merchantName ?? new URL(options.publicUrl).hostname,
    contact: options.supportUrl ?? null,
    extends: extensions,
    onrampUrl: options.onrampUrl ?? null,
    successOrigins: options.successOrigins ?? [],
    profile: () => profile.peek(),
    rates: () => rates.peek(),
  });
  const streams = new Streams(screen);
  // A late payment counts at the rates of the moment at which it is first read: they have to be there.
  const prepare = async (): Promise<unknown> => (acceptsLate ? rates.get().catch(() => null) : null);
  const reader = new Reader({ book, service, prepare, now, log });
  const notifier = new Notifier({
    book,
    shopWebhook: options.shopWebhook ?? null,
    onEvent: options.onEvent ?? null,
    fetch: request,
    hmac,
    now,
    log,
  });
  const lost = new LostInvoices({ book, service, orderSecret, envelopeKey, hmac, now });
  const exchangeSeconds = extensions ? (options.exchangeExpiration ?? EXCHANGE_SECONDS) : null;
  const maker = new Maker({ book, service, lost, envelopeKey, hmac, rates: () => rates.peek(), exchangeSeconds, now, log });
  const payments = new Payments({ book, service, reader, lost, maker, profile: () => profile.get(), exchangeSeconds, now });
  const watch = new ClockWatch({ serviceUrl: options.serviceUrl, fetch: request, now, serverTime: () => screen.serverTime() });
  const clockWatch = () => (profile.peek()?.currencies.some(({ network }) => network !== 'mainnet') ? watch : null);
  const follower: Follower = new Follower({ book, store, reader, payments, notifier, screen, streams, budget, clockWatch, now, log });
  const resolver = new Resolver({ book, service, prepare, orderSecret, envelopeKey, hmac, now });
  const ignored = new Set<string>();
  const opener = new Opener({
    book,
    catalogue: options.catalogue ?? {},
    allowClientPrices: options.allowClientPrices ?? false,
    onLostLink: (link) =>
      log.warn({ success_url: link }, 'This success_url is not followed: it is not https, and SUCCESS_ORIGINS does not list its origin.'),
    onIgnored: (about) => {
      const news = about.ignored.filter((name) => !ignored.has(name));
      if (news.length === 0 || ignored.size >= MAX_IGNORED) return;
      for (const name of news) ignored.add(name);
      log.warn(about, 'What an order states beside its own members is ignored.');
    },
    successOrigins: options.successOrigins ?? [],
    orderSecret,
    shopSecret: options.shopSecret,
    hmac,
    now,
    circumstances,
  });
  const isNewWish = createOnce(now);
  const onLostWish = (link: string): void => {
    const { about, origin, sentence } = lostWish(link);
    if (isNewWish(origin)) log.warn(about, sentence);
  };
  const receiver = new Receiver({ book, resolver, reader, notifier, callbackToken: options.callbackToken, extensions, hmac, now, log });
  const desk = new Desk({ book, reader, follower, screen, budget, profile, rates, now });

  metrics.gauge('bff_event_streams', () => streams.count);
  metrics.gauge('bff_followed_checkouts', () => follower.following);
  return {
    options,
    log,
    now,
    request,
    metrics,
    service,
    profile,
    book,
    screen,
    streams,
    follower,
    resolver,
    opener,
    onLostWish,
    payments,
    receiver,
    desk,
    solana: options.solanaRpcUrl === undefined ? null : createSolanaNode(options.solanaRpcUrl, { fetch: request, now }),
    limits: createLimits(rateLimit.perSecond, rateLimit.burst),
    origins: createOrigins({
      publicUrl: options.publicUrl,
      embedOrigins: options.embedOrigins ?? [],
      now,
      onForeign: (origin) => log.warn({ origin }, 'Pages of this origin may not use the checkout: EMBED_ORIGINS does not list it.'),
    }),
    headers: createHeaders({ secure: options.publicUrl.startsWith('https:') }),
    addressOf: createAddressOf(options),
  };
}

/** What the shop must hear follows from the record, and is stored with it: a crash loses neither. */
function withEvents(
  record: CheckoutRecord,
  circumstances: Parameters<typeof standingOf>[1],
  { profileId, now }: { profileId: string; now: number },
): CheckoutRecord {
  if (record.invoices.length === 0) return record;
  const network = networkOf(record, circumstances.profile);
  const serverTime = circumstances.serverTime;
  const added = newEvents(record, standingOf(record, circumstances), { network, profileId, now, serverTime });
  return added.length > 0 ? { ...record, events: [...record.events, ...added] } : record;
}
