import type { Context as HonoContext, Handler, MiddlewareHandler } from 'hono';
import type { Env } from './env.ts';

/** What happens around every request: before it is answered, and to the answer. */
export type Around = (c: HonoContext<Env>, answer: () => Response | Promise<Response>) => Response | Promise<Response>;

const arounds = new WeakMap<object, Around>();

/** As a middleware. */
export function asMiddleware(around: Around): MiddlewareHandler<Env> {
  const handler: MiddlewareHandler<Env> = async (c, next) =>
    around(c, async () => {
      await next();
      return c.res;
    });
  arounds.set(handler, around);
  return handler;
}

/**
 * The middleware and the one handler behind it as one handler: each of several costs two promises and a closure of the framework's own.
 * @returns null when the first is none of ours
 */
export function oneOf(first: object, handler: Handler<Env>): Handler<Env> | null {
  const around = arounds.get(first);
  return around ? (c, next) => around(c, () => handler(c, next) as Response | Promise<Response>) : null;
}
