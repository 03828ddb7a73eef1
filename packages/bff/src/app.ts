import { createPage } from '@crypto-checkout/page';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { callbackRoute } from './callbacks/routes.ts';
import { checkoutRoutes } from './checkouts/routes.ts';
import { refundRoutes } from './refunds/routes.ts';
import { HttpError, isOfService, notFound, unavailable, wrongServer } from './http/http-error.ts';
import { UnsafeAddressError } from './http/main-network.ts';
import { type BffOptions, validateOptions } from './options.ts';
import { hasPreview, merchantRoutes, PREVIEW_PATH } from './merchant/routes.ts';
import { frontPageRoute } from './pages/front-page.ts';
import { pageRoutes, sendErrorPage, wantsErrorPage } from './pages/routes.ts';
import { receiptRoutes } from './pages/receipt.ts';
import { scriptRoutes } from './pages/script-files.ts';
import { publicRoutes } from './public/routes.ts';
import { StatusCache } from './public/status-cache.ts';
import {
  createStatusFastPath,
  type QuickAnswer,
  type QuickRequest,
} from './public/status-fast-path.ts';
import { Cache } from './service/cache.ts';
import { settingToCorrect } from './service/refusal.ts';
import { ServiceOutcomeUnknown, ServiceRejection } from './service/service.ts';
import { createServices, type Services } from './services.ts';
import { solanaRoutes } from './solana/routes.ts';
import { StoreError } from './store/store.ts';

const READY_MS = 2000;

export interface Bff extends Hono {
  /** Starts polling open checkouts; resolves when the stored ones are scheduled. */
  start(): Promise<void>;
  /** Runs one poll cycle, for hosts with a scheduler of their own. */
  tick(): Promise<void>;
  /** Ends all event streams, also later ones: the host stops, and browsers reconnect. */
  endStreams(): void;
  /** Ends event streams and timers, and closes the store. */
  close(): Promise<void>;
  /** Answers the public status from memory, in front of the app. Null: the app must answer. */
  quickly(request: QuickRequest): QuickAnswer | null;
  /** Counters in the text format of Prometheus. */
  metrics(): string;
}

/**
 * Creates the backend for the checkout: a Hono app that runs alone on any host of fetch handlers,
 * or mounted in a shop's server.
 * @throws OptionsError when a secret is missing
 * @example
 * const bff = createBff({
 *   serviceUrl, apiKey, apiSecret, callbackToken, profileId,
 *   orderSecret, shopSecret, publicUrl, store,
 * });
 */
export function createBff(options: BffOptions): Bff {
  validateOptions(options);
  const services = createServices(options);
  const { poller, rebuilder, streams } = services;
  const app = new Hono({ getPath: foldedPath });

  checkoutRoutes(app, services);
  solanaRoutes(app, services);
  const statuses = new StatusCache();
  publicRoutes(app, services, statuses);
  callbackRoute(app, services);
  scriptRoutes(app, services);
  merchantRoutes(app, services);
  const page = createPage({
    files: options.elements?.manifest ?? null,
    color: options.merchantColor ?? null,
    image: hasPreview(options) ? `${options.publicUrl}/${PREVIEW_PATH}` : null,
  });
  pageRoutes(app, services, page);
  receiptRoutes(app, services, page);
  refundRoutes(app, services, page);
  frontPageRoute(app, services, page);
  healthRoutes(app, services);
  rejectOtherMethods(app);

  const sendError = (c: Context, error: HttpError): Response =>
    wantsErrorPage(c) ? sendErrorPage(c, services, page, error) : sendJsonError(c, services, error);
  app.notFound((c) => sendError(c, isOfService(c.req.path) ? wrongServer() : notFound()));
  app.onError((error, c) => sendError(c, toResponseError(error, services, c.req.path)));

  return Object.assign(app, {
    start: async () => {
      await options.store.check();
      await rebuilder.start();
      await poller.start();
    },
    tick: () => poller.tick(),
    endStreams: () => streams.close(),
    close: async () => {
      poller.stop();
      rebuilder.stop();
      streams.close();
      await options.store.close();
    },
    quickly: createStatusFastPath(services, statuses),
    metrics: () => services.metrics.text(),
  });
}

/** Repeated and final slashes make no difference, as in the payment service. */
const foldedPath = (request: Request): string =>
  getPath(request)
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '');

function sendJsonError(
  c: Context,
  { log, metrics, origins, headers }: Services,
  httpError: HttpError,
): Response {
  const requestId = crypto.randomUUID();
  if (httpError.status >= 500) {
    const { cause: error } = httpError;
    const fields = {
      event: 'request_failed',
      ...(error !== undefined && { error }),
      request_id: requestId,
      path: c.req.path,
    };
    log.warn(fields, httpError.message);
  }
  metrics.count(`bff_refusals_total{status="${httpError.status}"}`);
  // With `same-origin` a browser reports a missing script or image as a policy violation, not as
  // 404.
  const cors = c.req.path.includes('/checkouts')
    ? origins.headers(c)
    : { 'cross-origin-resource-policy': 'cross-origin' };
  return new Response(JSON.stringify(httpError.body(requestId)), {
    status: httpError.status,
    headers: { ...headers.json, ...cors, ...httpError.headers },
  });
}

function healthRoutes(app: Hono, { options, loadProfile, headers, steady }: Services): void {
  // At most one read of the service in two seconds, however often probes ask.
  const ready = new Cache({
    load: async () => {
      await Promise.all([loadProfile(), options.store.check()]);
      return true;
    },
    freshMs: READY_MS,
    maxMs: READY_MS,
    retryMs: 500,
    now: steady,
  });
  app.get('/livez', (c) => c.body('ok\n', 200, headers.plain));
  app.get('/readyz', async (c) => {
    try {
      await ready.get();
      return c.body('ready\n', 200, headers.plain);
    } catch (error) {
      if (error instanceof UnsafeAddressError)
        throw new HttpError(503, null, error.message, { retryAfter: 60, cause: error });
      if (!(error instanceof ServiceRejection) || error.status === 429) throw unavailable(error);
      throw new HttpError(503, null, settingToCorrect(error), { retryAfter: 2, cause: error });
    }
  });
}

/** The allowed methods of each path; all others get 405. */
const METHODS: readonly [path: string, allowed: string][] = [
  ['/checkouts', 'POST, OPTIONS'],
  ['/checkouts/:id', 'GET, HEAD, OPTIONS'],
  ['/checkouts/:id/events', 'GET, HEAD, OPTIONS'],
  ['/checkouts/:id/payment', 'POST, OPTIONS'],
  ['/checkouts/:id/renew', 'POST, OPTIONS'],
  ['/checkouts/:id/refund', 'POST, OPTIONS'],
  ['/pay/:id', 'GET, HEAD'],
  ['/pay/:id/receipt', 'GET, HEAD, POST'],
  ['/pay/:id/refund', 'GET, HEAD'],
  ['/frame/:id', 'GET, HEAD'],
  ['/invoice/:id', 'GET, HEAD'],
  ['/invoice/:id/renew', 'GET, HEAD'],
  ['/invoice/:id/receipt', 'GET, HEAD'],
  ['/sdk/v1/invoices/qr/:id', 'GET, HEAD'],
  ['/sdk/v1/invoices/status', 'GET, HEAD, POST'],
  ['/lnurl/*', 'GET, HEAD'],
  ['/.well-known/crypto-checkout-keys/:file', 'GET, HEAD'],
  ['/callbacks', 'POST'],
  ['/elements/:version/:file', 'GET, HEAD'],
  ['/crypto-checkout.js', 'GET, HEAD'],
  ['/static/js/sdk2.js', 'GET, HEAD'],
  ['/merchant/:file', 'GET, HEAD'],
  ['/', 'GET, HEAD'],
  ['/livez', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
];

function rejectOtherMethods(app: Hono): void {
  for (const [path, allow] of METHODS) {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (method) => !allow.split(', ').includes(method),
    );
    app.on(others, path, () => {
      throw new HttpError(405, 'MethodNotAllowed', `Allowed here: ${allow}.`, { allow });
    });
  }
}

/**
 * The one place that maps errors to HTTP. Unexpected errors are logged; their details stay private.
 */
function toResponseError(error: unknown, { log }: Services, path: string): HttpError {
  if (error instanceof HttpError) return error;
  if (
    error instanceof StoreError ||
    error instanceof UnsafeAddressError ||
    error instanceof ServiceOutcomeUnknown ||
    error instanceof ServiceRejection
  )
    return unavailable(error);
  log.error({ event: 'unexpected_error_thrown', error, path }, 'unexpected error');
  return new HttpError(500, null, 'Something went wrong on our side.', { cause: error });
}
