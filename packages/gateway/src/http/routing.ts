import { normalizePath } from '@crypto-checkout/protocol/signature';
import type { Handler, Hono } from 'hono';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import { type Fit, Patterns } from './patterns.ts';

/** The path that the router matches: slashes collapsed, trailing slash added, so `//v1/invoices` finds `/v1/invoices/`. */
export function routedPath(request: Request): string {
  const [, path] = PLAIN_URL.exec(request.url) ?? [];
  return normalizePath(path ?? new URL(request.url).pathname);
}

/** A request's URL is in its normal form already; whatever looks unusual is left to the platform. */
const PLAIN_URL = /^https?:\/\/[\w.:-]+(\/[\w/.-]*)(?:\?|$)/;

/** One route as it was declared, for tables and tests. */
export interface DeclaredRoute {
  method: string;
  path: string;
  handlers: Handler<Env>[];
}

/** Mounts the routes of a noun; whether they are written with a trailing slash does not matter. */
export function mount(app: Hono<Env>, sub: Hono<Env>, prefix = ''): void {
  for (const { method, path, handler } of sub.routes) {
    const pattern = path.endsWith('*') ? prefix + path : normalizePath(prefix + path);
    if (pattern === '/*') throw new Error('A middleware of one noun must not catch the paths of the others');
    if (method === 'ALL') app.use(pattern, handler as Handler<Env>);
    else app.on(method, [pattern], handler as Handler<Env>);
  }
}

/** Every path with its methods and, in order, its handlers; middleware for many paths is left out. */
export function declaredRoutes(app: Hono<Env>): DeclaredRoute[] {
  const routes = new Map<string, DeclaredRoute>();
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL' || path.endsWith('*')) continue;
    const key = `${method} ${path}`;
    const route = routes.get(key) ?? { method, path, handlers: [] };
    route.handlers.push(handler as Handler<Env>);
    routes.set(key, route);
  }
  return [...routes.values()];
}

/** Tells unknown paths (404) from known ones with another method (405), before anything is asked of the caller. */
export class RouteTable {
  readonly #methods = new Map<string, Set<string>>();
  readonly #patterns: Patterns;
  readonly #allowed = new Map<Fit, ReadonlySet<string>>();

  constructor(routes: readonly DeclaredRoute[]) {
    for (const { method, path } of routes) this.#methods.set(path, (this.#methods.get(path) ?? new Set()).add(method));
    this.#patterns = new Patterns(this.#methods.keys());
  }

  /**
   * @returns the methods that the path knows
   * @throws ServiceError `NotFound` or `MethodNotAllowed`
   */
  require(method: string, path: string): ReadonlySet<string> {
    const fit = this.#patterns.find(path);
    if (fit === null) throw new ServiceError('NotFound', 'There is nothing at this path.');
    const allowed = this.#allowed.get(fit) ?? this.#allow(fit);
    if (allowed.has(method)) return allowed;
    const names = [...allowed].join(', ');
    throw new ServiceError('MethodNotAllowed', `The method ${method} is not allowed here; ${names} is.`, { headers: { Allow: names } });
  }

  #allow(fit: Fit): ReadonlySet<string> {
    const allowed = new Set(fit.patterns.flatMap((pattern) => [...withImplied(this.#methods.get(pattern) ?? new Set())]));
    this.#allowed.set(fit, allowed);
    return allowed;
  }
}

/** Where GET is answered, HEAD is too; OPTIONS everywhere. */
function withImplied(methods: ReadonlySet<string>): Set<string> {
  return new Set([...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']);
}
