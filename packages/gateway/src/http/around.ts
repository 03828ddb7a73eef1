import type { Context as HonoContext, Handler, MiddlewareHandler } from 'hono';
import type { Env } from './env.ts';

/** Work around every request: before the handler, and on its answer. */
export type Around = (
  c: HonoContext<Env>,
  answer: () => Response | Promise<Response>,
) => Response | Promise<Response>;

const arounds = new WeakMap<object, Around>();

/** The same as a Hono middleware. */
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
 * Fuses the middleware and a single handler into one handler. Hono's dispatch costs two promises
 * and a closure for each handler.
 * @returns null when the first handler is not this middleware
 */
export function oneOf(first: object, handler: Handler<Env>): Handler<Env> | null {
  const around = arounds.get(first);
  return around
    ? (c, next) => around(c, () => handler(c, next) as Response | Promise<Response>)
    : null;
}
