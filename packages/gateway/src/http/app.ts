import { normalizePath } from '@crypto-checkout/protocol/signature';
import { Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { routes as keyRoutes } from '../account/key-routes.ts';
import { routes as accountRoutes } from '../account/routes.ts';
import { routes as automaticConversionRoutes } from '../automatic-conversion/routes.ts';
import { routes as automaticFundingRoutes } from '../automatic-funding/routes.ts';
import { routes as automaticPayoutRoutes } from '../automatic-payout/routes.ts';
import { sandboxRoutes } from '../chain/sandbox/routes.ts';
import { settle } from '../chain/scan.ts';
import type { Context } from '../context.ts';
import { routes as dashboardRoutes } from '../dashboard/routes.ts';
import { routes as conversionRoutes } from '../conversion/routes.ts';
import { routes as invoiceRoutes } from '../invoice/routes.ts';
import { routes as lnurlRoutes } from '../lnurl/routes.ts';
import { routes as referenceRoutes } from '../openapi/routes.ts';
import { routes as payoutRoutes } from '../payout/routes.ts';
import { routes as profileRoutes } from '../profile/routes.ts';
import { routes as rateRoutes } from '../rate/routes.ts';
import { routes as riskRoutes } from '../risk/routes.ts';
import { routes as transactionRoutes } from '../transaction/routes.ts';
import { routes as walletRoutes } from '../wallet/routes.ts';
import { addressGroup, clientAddress } from './address.ts';
import { authenticate } from './authenticate.ts';
import { permissionOf } from './authorized.ts';
import type { Env } from './env.ts';
import { answerError, UnavailableError } from './error.ts';
import { healthRoutes } from './health.ts';
import { Limits } from './rate-limit.ts';
import { declaredRoutes, mount, RouteTable, routedPath } from './routing.ts';

/**
 * The service as a fetch handler.
 * @throws Error when a route under `/v1/` declares no permission
 * @example const answer = await createApp(context).request('/livez');
 */
export function createApp(context: Context): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath });
  const limits = new Limits(context.config);
  const table: { routes: RouteTable | null } = { routes: null };
  app.use(prepare(context), knownPath(table), limitAddress(context, limits));
  app.use('/v1/*', authenticate(context, limits));
  mount(app, healthRoutes(context));
  mount(app, invoiceRoutes(context));
  mount(app, transactionRoutes(context));
  mount(app, riskRoutes(context));
  mount(app, payoutRoutes(context));
  mount(app, conversionRoutes(context));
  mount(app, automaticConversionRoutes(context));
  mount(app, automaticFundingRoutes(context));
  mount(app, automaticPayoutRoutes(context));
  mount(app, lnurlRoutes(context));
  mount(app, profileRoutes(context));
  mount(app, accountRoutes(context));
  mount(app, keyRoutes(context));
  mount(app, walletRoutes(context));
  mount(app, rateRoutes(context));
  mount(app, sandboxRoutes(context, settle), '/sandbox');
  mount(
    app,
    referenceRoutes(context, () => declaredRoutes(app)),
  );
  mount(app, dashboardRoutes(context, limits));
  app.onError((error, c) => {
    const { status, body, headers, unexpected } = answerError(error, c.var.requestId);
    if (unexpected) context.log.error({ err: error, request_id: c.var.requestId, path: c.req.path }, 'a request failed');
    return c.json(body, status as ContentfulStatusCode, headers);
  });
  const routes = declaredRoutes(app);
  requirePermissions(routes);
  table.routes = new RouteTable(routes);
  return app;
}

/** Denied by default: a forgotten permission is found at start, not by a stranger. */
function requirePermissions(routes: ReturnType<typeof declaredRoutes>): void {
  const open = routes.filter(
    ({ path, handlers }) => path.startsWith('/v1/') && !handlers.some((handler) => permissionOf(handler) !== null),
  );
  if (open.length > 0) throw new Error(`No permission is declared for ${open.map(({ method, path }) => `${method} ${path}`).join(', ')}`);
}

const OF_DATA = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'", 'Cache-Control': 'no-store' };

function prepare(context: Context): MiddlewareHandler<Env> {
  const { clock, config, ids } = context;
  const watch = new DatabaseWatch(context);
  const secure = config.gatewayUrl?.startsWith('https:') ?? false;
  return async (c, next) => {
    c.set('context', context);
    c.set('requestId', ids.uuid());
    const socket = c.env?.incoming?.socket.remoteAddress ?? null;
    c.set('address', clientAddress(socket, c.req.header('x-forwarded-for') ?? null, config.trustedProxies));
    try {
      await watch.unlessGone(next());
    } finally {
      const { headers } = c.res;
      headers.set('X-Request-Id', c.get('requestId'));
      // Business time, as the checkout's countdown follows it.
      headers.set('Date', new Date(clock.now()).toUTCString());
      headers.set('X-Content-Type-Options', 'nosniff');
      headers.set('Referrer-Policy', 'no-referrer');
      // What is no data, as a page of ours, brings its own.
      for (const [name, value] of Object.entries(OF_DATA)) if (!headers.has(name)) headers.set(name, value);
      if (secure) headers.set('Strict-Transport-Security', 'max-age=63072000; includeSubDomains');
    }
  };
}

/** After this long without an answer the database is asked whether it lives; with its 700 ms that stays below 2 s. */
const PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 250;

interface Waiting {
  since: number;
  giveUp(error: Error): void;
}

/**
 * Waits for the work of requests as long as the database is alive, however slow; a database that hangs is given up on.
 * The work may still take effect then, which is what 503 says. One timer for all, because each request would need one of its own.
 */
class DatabaseWatch {
  readonly #answers: () => Promise<boolean>;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;
  #asking = false;

  constructor({ databaseAnswers }: Context) {
    this.#answers = databaseAnswers;
  }

  unlessGone(work: Promise<void>): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { since: performance.now(), giveUp: reject };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
      const end = (): void => void this.#waiting.delete(waiting);
      work.then(
        () => (end(), resolve()),
        (error: Error) => (end(), reject(error)),
      );
    });
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) this.#rest();
    const now = performance.now();
    const long = [...this.#waiting].filter(({ since }) => now - since >= PATIENCE_MS);
    if (long.length === 0 || this.#asking) return;
    this.#asking = true;
    const lives = await this.#answers().finally(() => (this.#asking = false));
    for (const waiting of long) {
      // From here on it is waited for anew.
      if (lives) waiting.since = performance.now();
      else if (this.#waiting.delete(waiting)) waiting.giveUp(new UnavailableError('The database does not answer'));
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

function knownPath(table: { routes: RouteTable | null }): MiddlewareHandler<Env> {
  return async (c, next) => {
    const allowed = table.routes?.require(c.req.method, normalizePath(c.req.path));
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: [...(allowed ?? [])].join(', ') });
    return next();
  };
}

/** Probes and the operator's own sandbox are not counted. */
const UNLIMITED = /^\/(?:livez|readyz|sandbox)\//;

function limitAddress({ clock }: Context, limits: Limits): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!UNLIMITED.test(c.req.path)) limits.requireAddress(addressGroup(c.get('address')), clock.real());
    await next();
  };
}
