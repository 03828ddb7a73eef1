import { type Handler, Hono, type Context as HonoContext } from 'hono';
import type { RouterRoute } from 'hono/types';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { routes as keyRoutes } from './account/keys/key-routes.ts';
import { routes as proofKeyRoutes } from './account/proof-key-routes.ts';
import { routes as accountRoutes } from './account/routes.ts';
import { routes as automaticConversionRoutes } from './automation/conversion/routes.ts';
import { routes as automaticFundingRoutes } from './automation/funding/routes.ts';
import { routes as automaticPayoutRoutes } from './automation/payout/routes.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import { settle } from './worker/settle.ts';
import type { Context } from './context.ts';
import { routes as dashboardRoutes } from './dashboard/routes.ts';
import { routes as conversionRoutes } from './conversion/routes.ts';
import { routes as invoiceRoutes } from './invoice/routes.ts';
import { routes as lnurlRoutes } from './lnurl/routes.ts';
import { routes as referenceRoutes } from './openapi/routes.ts';
import { routes as networkFeeRoutes } from './network-fee/routes.ts';
import { routes as payoutRoutes } from './payout/routes.ts';
import { routes as profileRoutes } from './profile/routes.ts';
import { routes as rateRoutes } from './rate/routes.ts';
import { routes as refundRoutes } from './refund/routes.ts';
import { routes as riskRoutes } from './risk/routes.ts';
import { routes as transactionRoutes } from './transaction/routes.ts';
import { routes as walletRoutes } from './wallet/routes.ts';
import { addressGroup, clientAddress } from './http/address.ts';
import { Answers } from './http/answer.ts';
import { type Around, asMiddleware, oneOf } from './http/around.ts';
import { authenticate } from './http/authenticate.ts';
import { permissionOf } from './http/authorized.ts';
import { DatabaseWatch } from './http/monitoring/database-watch.ts';
import type { Env } from './http/env.ts';
import { answerError } from './http/error.ts';
import { healthRoutes } from './http/monitoring/health.ts';
import { PathRouter } from './http/path-router.ts';
import { Limits } from './http/rate-limit.ts';
import { declaredRoutes, mount, RouteTable, routedPath } from './http/routing.ts';

export interface AppOptions {
  /** Id of the BFF's own key, which has a higher rate limit. Default: none. */
  checkoutKey?: string | null;
}

/**
 * The service as a fetch handler.
 * @throws Error when a route under `/v1/` declares no permission
 * @example const answer = await createApp(context).request('/livez');
 */
export function createApp(context: Context, options: AppOptions = {}): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath, router: new PathRouter<Routed>(joined) });
  const limits = new Limits(context.config, options);
  const table: { routes: RouteTable | null } = { routes: null };
  app.use(asMiddleware(prepare(context, limits, table)));
  mount(app, healthRoutes(context));
  mount(app, invoiceRoutes(context));
  mount(app, transactionRoutes(context));
  mount(app, riskRoutes(context));
  mount(app, payoutRoutes(context));
  mount(app, refundRoutes(context));
  mount(app, conversionRoutes(context));
  mount(app, automaticConversionRoutes(context));
  mount(app, automaticFundingRoutes(context));
  mount(app, automaticPayoutRoutes(context));
  mount(app, lnurlRoutes(context));
  mount(app, profileRoutes(context));
  mount(app, accountRoutes(context));
  mount(app, keyRoutes(context));
  mount(app, proofKeyRoutes(context));
  mount(app, walletRoutes(context));
  mount(app, rateRoutes(context));
  mount(app, networkFeeRoutes(context));
  mount(app, sandboxRoutes(context, settle), '/sandbox');
  mount(
    app,
    referenceRoutes(context, () => declaredRoutes(app)),
  );
  mount(app, dashboardRoutes(context, limits));
  app.onError((error, c) => {
    const { status, body, headers, unexpected } = answerError(error, c.get('caller').requestId);
    if (unexpected)
      context.log.error(
        {
          event: 'request_failed',
          err: error,
          request_id: c.get('caller').requestId,
          path: c.req.path,
        },
        'a request failed',
      );
    return c.json(body, status as ContentfulStatusCode, headers);
  });
  const routes = declaredRoutes(app);
  requirePermissions(routes);
  table.routes = new RouteTable(routes);
  return app;
}

type Routed = [Handler<Env>, RouterRoute];

function joined([first]: Routed, [handler, route]: Routed): Routed | null {
  const one = oneOf(first, handler);
  return one && [one, route];
}

/** Denied by default: a missing permission fails the start. */
function requirePermissions(routes: ReturnType<typeof declaredRoutes>): void {
  const open = routes.filter(
    ({ path, handlers }) =>
      path.startsWith('/v1/') && !handlers.some((handler) => permissionOf(handler) !== null),
  );
  if (open.length > 0)
    throw new Error(
      `No permission is declared for ${open.map(({ method, path }) => `${method} ${path}`).join(', ')}`,
    );
}

/** Probes and the operator's sandbox are not limited. */
const UNLIMITED = /^\/(?:livez|readyz|sandbox)\//;

/** Runs before every handler, on every path, and on its answer. */
function prepare(context: Context, limits: Limits, table: { routes: RouteTable | null }): Around {
  const { clock, config, ids } = context;
  const watch = new DatabaseWatch(context);
  const answers = new Answers(context);
  return (c, answer) => {
    const requestId = ids.uuid();
    const address = addressOf(c, config);
    c.set('caller', { requestId, address });
    const complete = answers.prepare(c, requestId);
    const { method, path } = c.req;
    const allowed = table.routes?.require(method, path);
    if (method === 'OPTIONS')
      return complete(c.body(null, 204, { Allow: [...(allowed ?? [])].join(', ') }));
    if (!UNLIMITED.test(path)) limits.requireAddress(addressGroup(address), clock.real());
    const isSigned = path.startsWith('/v1/');
    return watch.orUnavailable(
      isSigned ? authenticate(c, { context, limits, answer }) : (async () => answer())(),
      complete,
    );
  };
}

function addressOf({ env, req }: HonoContext<Env>, { trustedProxies }: Context['config']): string {
  const socket = env?.incoming?.socket.remoteAddress ?? null;
  const forwarded = trustedProxies.length > 0 ? (req.header('x-forwarded-for') ?? null) : null;
  return clientAddress(socket, forwarded, trustedProxies);
}
