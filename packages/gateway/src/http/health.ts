import { Hono } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from './env.ts';

/** `/livez`: the process answers. `/readyz`: the database and every chain answer, so that requests can be served. */
export function healthRoutes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/livez/', (c) => c.json({ status: 'alive' }));
  app.get('/readyz/', async (c) => {
    const state = await readiness(context);
    return c.json(state, state.status === 'ready' ? 200 : 503);
  });
  return app;
}

interface Readiness {
  status: 'ready' | 'not ready';
  database: boolean;
  chains: Record<string, { ok: boolean; tip: number | null; detail: string | null }>;
}

async function readiness({ chains, databaseAnswers }: Context): Promise<Readiness> {
  const database = await databaseAnswers();
  // The simulated chains live in the database: without it there is nothing to ask them.
  const health = database ? await Promise.all([...chains.values()].map(async (chain) => [chain.chain, await chain.health()] as const)) : [];
  const ready = database && health.every(([, { ok }]) => ok);
  return { status: ready ? 'ready' : 'not ready', database, chains: Object.fromEntries(health) };
}
