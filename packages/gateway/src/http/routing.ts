import { normalizePath } from '@crypto-checkout/protocol/signature';
import type { Handler, Hono } from 'hono';
import { joined } from './authorized.ts';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import { type Fit, Patterns } from './patterns.ts';

/**
 * The path that the router matches: slashes collapsed, trailing slash added, so `//v1/invoices`
 * matches `/v1/invoices/`, and letters that are coded without need decoded.
 */
export function routedPath({ url }: Request): string {
  const start = url.indexOf('/', HOST_AT);
  const end = url.indexOf('?', start);
  const path = end < 0 ? url.slice(start) : url.slice(start, end);
  // Unusual URLs are parsed by the platform first.
  return USUAL_PATH.test(path) ? path : normalizePath(withPlainLetters(new URL(url).pathname));
}

/** RFC 3986, section 6.2.2.2: `%69` and `i` are the same; a coded slash stays coded. */
const withPlainLetters = (path: string): string =>
  path.replace(/%[\da-f]{2}/gi, (coded) => {
    const letter = String.fromCodePoint(Number.parseInt(coded.slice(1), 16));
    return /[\w.~-]/.test(letter) ? letter : coded;
  });

/** The earliest index of the host: after `http://`. */
const HOST_AT = 7;
const USUAL_PATH = /^\/(?:[\w.-]+\/)*$/;

/** One declared route, for tables and tests. */
export interface DeclaredRoute {
  method: string;
  path: string;
  handlers: Handler<Env>[];
}

/** Mounts the routes of a resource; a trailing slash makes no difference. */
export function mount(app: Hono<Env>, sub: Hono<Env>, prefix = ''): void {
  const { routes } = sub;
  for (let at = 0; at < routes.length; at += 1) {
    const { method, path, handler } = routes[at]!;
    const pattern = path.endsWith('*') ? prefix + path : normalizePath(prefix + path);
    if (pattern === '/*')
      throw new Error('A middleware of one noun must not catch the paths of the others');
    const after = routes[at + 1];
    const both =
      after?.method === method && after.path === path
        ? joined(handler as Handler<Env>, after.handler as Handler<Env>)
        : null;
    if (both) at += 1;
    if (method === 'ALL') app.use(pattern, handler as Handler<Env>);
    else app.on(method, [pattern], both ?? (handler as Handler<Env>));
  }
}

/** Every path with its methods and, in order, its handlers; wildcard middleware is left out. */
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

/**
 * Separates unknown paths (404) from known ones with another method (405), before authentication.
 */
export class RouteTable {
  readonly #methods = new Map<string, Set<string>>();
  readonly #patterns: Patterns;
  readonly #allowed = new Map<Fit, ReadonlySet<string>>();

  constructor(routes: readonly DeclaredRoute[]) {
    for (const { method, path } of routes)
      this.#methods.set(path, (this.#methods.get(path) ?? new Set()).add(method));
    this.#patterns = new Patterns(this.#methods.keys());
  }

  /**
   * @returns the methods of the path
   * @throws ServiceError `NotFound` or `MethodNotAllowed`
   */
  require(method: string, path: string): ReadonlySet<string> {
    const fit = this.#patterns.find(path);
    if (fit === null) throw new ServiceError('NotFound', 'There is nothing at this path.');
    const allowed = this.#allowed.get(fit) ?? this.#allow(fit);
    if (allowed.has(method)) return allowed;
    // OPTIONS is always among them, and never alone.
    const message = `The method ${method} is not allowed here; ${new Intl.ListFormat('en').format(allowed)} are.`;
    throw new ServiceError('MethodNotAllowed', message, {
      headers: { Allow: [...allowed].join(', ') },
    });
  }

  #allow(fit: Fit): ReadonlySet<string> {
    const allowed = new Set(
      fit.patterns.flatMap((pattern) => [...withImplied(this.#methods.get(pattern) ?? new Set())]),
    );
    this.#allowed.set(fit, allowed);
    return allowed;
  }
}

/** HEAD is allowed where GET is; OPTIONS everywhere. */
function withImplied(methods: ReadonlySet<string>): Set<string> {
  return new Set([...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']);
}
