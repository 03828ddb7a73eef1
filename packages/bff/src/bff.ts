import { createPage } from '@crypto-checkout/page';
import { Hono } from 'hono';
import { checkoutRoutes } from './checkout/routes.ts';
import { solanaRoutes } from './solana/routes.ts';
import { readText } from './http/body.ts';
import { frontRoute } from './http/front.ts';
import { spend } from './http/limits.ts';
import { Refusal, notFound, unavailable } from './http/refusal.ts';
import { type BffOptions, requireSecrets } from './options.ts';
import { fileRoutes } from './page/files.ts';
import { isForPeople, pageRoutes, sendMessage } from './page/routes.ts';
import { createParts, type Parts } from './parts.ts';
import { createQuickStatus, type QuickAnswer, type QuickRequest } from './public/quick.ts';
import { publicRoutes } from './public/routes.ts';
import { StatusBytes } from './public/status.ts';
import { Cache } from './service/cache.ts';
import { ServiceRefusal, ServiceUnknown } from './service/service.ts';
import { StoreError } from './store/store.ts';

/** A callback holds an invoice with all its transactions. */
const MAX_CALLBACK = 1024 * 1024;
const READY_MS = 2000;

export interface Bff extends Hono {
  /** Follows open checkouts from now on, by a timer; resolves when those of before are known. */
  start(): Promise<void>;
  /** One look around at open checkouts, for hosts that call it by a schedule of their own. */
  tick(): Promise<void>;
  /** Ends event streams and timers, and closes the store. */
  close(): Promise<void>;
  /** The public status from memory, for hosts that can answer in front of the app; null when the app must. */
  quickly(request: QuickRequest): QuickAnswer | null;
  /** Counters in the text format of Prometheus. */
  metrics(): string;
}

/**
 * The backend for the checkout: a Hono app for any host of fetch handlers, to run alone or to mount in a shop's own server.
 * @throws OptionsError when a secret is missing
 * @example const bff = createBff({serviceUrl, apiKey, apiSecret, callbackToken, profileId, orderSecret, shopSecret, publicUrl, store});
 */
export function createBff(options: BffOptions): Bff {
  requireSecrets(options);
  const parts = createParts(options);
  const { follower, streams, headers } = parts;
  const app = new Hono({ strict: false });

  checkoutRoutes(app, parts);
  solanaRoutes(app, parts);
  const bytes = new StatusBytes();
  publicRoutes(app, parts, bytes);
  callbackRoute(app, parts);
  fileRoutes(app, parts);
  const page = createPage({ files: options.elements?.manifest ?? null });
  pageRoutes(app, parts, page);
  frontRoute(app, parts, page);
  operationRoutes(app, parts);
  refuseOtherMethods(app);

  app.notFound((c) => answerRefusal(c, notFound()));
  app.onError((error, c) => answerRefusal(c, refusalFor(error, parts, c.req.path)));

  const answerRefusal = (c: Parameters<typeof sendMessage>[0], refusal: Refusal): Response => {
    if (isForPeople(c)) return sendMessage(c, parts, page, refusal);
    const requestId = crypto.randomUUID();
    if (refusal.status >= 500) {
      const { cause: error } = refusal;
      parts.log.warn({ ...(error !== undefined && { error }), request_id: requestId, path: c.req.path }, refusal.message);
    }
    parts.metrics.count(`bff_refusals_total{status="${refusal.status}"}`);
    // Where a page looked for a script or an image, its browser would speak of the policy, and not of what is missing.
    const cors = c.req.path.includes('/checkouts') ? parts.origins.headers(c) : { 'cross-origin-resource-policy': 'cross-origin' };
    return new Response(JSON.stringify(refusal.body(requestId)), {
      status: refusal.status,
      headers: { ...headers.json, ...cors, ...refusal.headers },
    });
  };

  return Object.assign(app, {
    start: () => follower.start(),
    tick: () => follower.tick(),
    close: async () => {
      follower.stop();
      streams.close();
      await options.store.close();
    },
    quickly: createQuickStatus(parts, bytes),
    metrics: () => parts.metrics.text(),
  });
}

function callbackRoute(app: Hono, { receiver, limits, addressOf, now, headers, log }: Parts): void {
  app.post('/callbacks', async (c) => {
    try {
      await receiver.receive(c.req.raw.headers, await readText(c, MAX_CALLBACK));
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        // Any page can make its visitors send false ones: they keep nobody from opening checkouts, and no right one out.
        spend(limits.failure, `callback ${addressOf(c)}`, now());
        log.warn({ reason: (error.cause as Error).message }, 'a callback did not verify');
      }
      throw error;
    }
    return c.body('{"result":"success"}', 200, headers.json);
  });
}

function operationRoutes(app: Hono, { options, service, headers, now }: Parts): void {
  // However often it is asked, the service is read once in two seconds.
  const ready = new Cache({
    load: async () => {
      await Promise.all([service.profile(), options.store.check()]);
      return true;
    },
    freshMs: READY_MS,
    maxMs: READY_MS,
    retryMs: 500,
    now,
  });
  app.get('/livez', (c) => c.body('ok\n', 200, headers.plain));
  app.get('/readyz', async (c) => {
    try {
      await ready.get();
      return c.body('ready\n', 200, headers.plain);
    } catch (error) {
      throw unavailable(error);
    }
  });
}

/** Which methods an address takes; the others get 405. */
const METHODS: readonly [path: string, allowed: string][] = [
  ['/checkouts', 'POST, OPTIONS'],
  ['/checkouts/:id', 'GET, HEAD, OPTIONS'],
  ['/checkouts/:id/events', 'GET, HEAD, OPTIONS'],
  ['/checkouts/:id/payment', 'POST, OPTIONS'],
  ['/checkouts/:id/renew', 'POST, OPTIONS'],
  ['/pay/:id', 'GET, HEAD'],
  ['/frame/:id', 'GET, HEAD'],
  ['/invoice/:id', 'GET, HEAD'],
  ['/invoice/:id/renew', 'GET, HEAD'],
  ['/sdk/v1/invoices/qr/:id', 'GET, HEAD'],
  ['/sdk/v1/invoices/status', 'GET, HEAD, POST'],
  ['/lnurl/*', 'GET, HEAD'],
  ['/callbacks', 'POST'],
  ['/elements/:version/:file', 'GET, HEAD'],
  ['/crypto-checkout.js', 'GET, HEAD'],
  ['/static/js/sdk2.js', 'GET, HEAD'],
  ['/', 'GET, HEAD'],
  ['/livez', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
];

function refuseOtherMethods(app: Hono): void {
  for (const [path, allow] of METHODS) {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allow.split(', ').includes(method));
    app.on(others, path, () => {
      throw new Refusal(405, 'MethodNotAllowed', `Allowed here: ${allow}.`, { allow });
    });
  }
}

/** The one place where errors become answers. What is not foreseen is logged, and nothing of it is said. */
function refusalFor(error: unknown, { log }: Parts, path: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreError || error instanceof ServiceUnknown || error instanceof ServiceRefusal) return unavailable(error);
  log.error({ error, path }, 'an error that was not foreseen');
  return new Refusal(500, null, 'Something went wrong on our side.', { cause: error });
}
