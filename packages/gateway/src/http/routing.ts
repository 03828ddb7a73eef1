import { normalizePath } from '@crypto-checkout/protocol/signature';
import type { Handler, Hono } from 'hono';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';

/** The path that the router matches: slashes collapsed, trailing slash added, so `//v1/invoices` finds `/v1/invoices/`. */
export function routedPath(request: Request): string {
  return normalizePath(new URL(request.url).pathname);
}

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
  readonly #patterns: { prefix: string; pattern: RegExp; methods: Set<string> }[];

  constructor(routes: readonly DeclaredRoute[]) {
    const methods = new Map<string, Set<string>>();
    for (const { method, path } of routes) methods.set(path, (methods.get(path) ?? new Set()).add(method));
    this.#patterns = [...methods].map(([path, allowed]) => ({
      prefix: path.split(':', 1)[0]!,
      pattern: patternOf(path),
      methods: withImplied(allowed),
    }));
  }

  /**
   * @returns the methods that the path knows
   * @throws ServiceError `NotFound` or `MethodNotAllowed`
   */
  require(method: string, path: string): ReadonlySet<string> {
    const found = this.#patterns.filter(({ prefix, pattern }) => path.startsWith(prefix) && pattern.test(path));
    if (found.length === 0) throw new ServiceError('NotFound', 'There is nothing at this path.');
    const [only, ...more] = found;
    const allowed = only !== undefined && more.length === 0 ? only.methods : new Set(found.flatMap(({ methods }) => [...methods]));
    if (allowed.has(method)) return allowed;
    const names = [...allowed].join(', ');
    throw new ServiceError('MethodNotAllowed', `The method ${method} is not allowed here; ${names} is.`, { headers: { Allow: names } });
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}

/** Where GET is answered, HEAD is too; OPTIONS everywhere. */
function withImplied(methods: ReadonlySet<string>): Set<string> {
  return new Set([...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']);
}
