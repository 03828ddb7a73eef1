import { Hono } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import type { Limits } from '../http/rate-limit.ts';
import { apiRoutes } from './api.ts';
import { pageRoutes } from './page.ts';

/** The operator's dashboard: a public page, and data behind a session. */
export function routes(context: Context, limits: Limits): Hono<Env> {
  const app = new Hono<Env>();
  // Data paths are never mistaken for pages.
  for (const sub of [apiRoutes(context, limits), pageRoutes()]) app.route('/', sub);
  return app;
}
