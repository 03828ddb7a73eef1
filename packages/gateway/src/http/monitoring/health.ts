import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { readChainStates, type ChainState } from './chain-state.ts';
import type { Env } from '../env.ts';

/**
 * `/livez`: the process answers. `/readyz`: the database and every chain answer, and every chain is
 * scanned, so requests can be served.
 */
export function healthRoutes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  const startedAt = context.clock.real();
  app.get('/livez/', (c) => c.json({ status: 'alive' }));
  app.get('/readyz/', async (c) => {
    const state = await readiness(context, startedAt);
    return c.json(state, state.status === 'ready' ? 200 : 503);
  });
  return app;
}

interface Readiness {
  status: 'ready' | 'not ready';
  database: boolean;
  chains: Record<string, ChainState>;
}

async function readiness(context: Context, startedAt: number): Promise<Readiness> {
  const database = await context.databaseAnswers();
  // Progress is stored in the database: while it is down the chains are not asked.
  const chains = database
    ? await readChainStates(context, startedAt)
    : new Map<string, ChainState>();
  const ready = database && [...chains.values()].every(({ ok }) => ok);
  return {
    status: ready ? 'ready' : 'not ready',
    database,
    chains: Object.fromEntries(chains),
  };
}
