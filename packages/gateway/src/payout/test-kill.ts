import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type pg from 'pg';
import type { ChainSender } from '../chain/sender.ts';
import type { Context } from '../context.ts';
import { openPool, poolDialect } from '../database/pool.ts';
import type { Tables } from '../database/tables.ts';
import type { TestContext } from '../test-context.ts';

/** A process that dies: from some step on nothing that it begins is done any more. */
export interface Mortal {
  context: Context;
  /** Lives for so many steps: statements of the database, signatures, calls of a node. */
  live(steps: number): void;
  isDead(): boolean;
  /**
   * Until nothing of a dead process goes on: several chains are worked at side by side, and what is not at a step yet when another dies
   * would live again with the next life.
   */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** Turns of the loop without a connection in use. */
const QUIET_TURNS = 10;

class KilledError extends Error {
  override name = 'KilledError';
}

export function mortal(context: TestContext): Mortal {
  let left = Number.POSITIVE_INFINITY;
  let dead = false;
  const step = (): void => {
    if (!dead && left > 0) {
      left -= 1;
      return;
    }
    dead = true;
    throw new KilledError('killed');
  };
  const pool = openPool({ server: { connectionString: context.database.url }, max: 10, onError: () => {} });
  const db = new Kysely<Tables>({ dialect: poolDialect(mortalPool(pool, step)) });
  const senders = new Map([...context.senders].map(([chain, sender]) => [chain, mortalSender(sender, step)]));
  const signer: Context['signer'] = {
    async sign(plan) {
      step();
      return context.signer.sign(plan);
    },
  };
  return {
    context: { ...context, db, senders, signer },
    live(steps) {
      left = steps;
      dead = false;
    },
    isDead: () => dead,
    async rest() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
        await nextTurn();
        if (pool.totalCount > pool.idleCount) quiet = 0;
      }
    },
    async close() {
      left = Number.POSITIVE_INFINITY;
      dead = false;
      await db.destroy();
    },
  };
}

/** A dead process's connections are closed, so that what it had not committed is undone. */
function mortalPool(pool: pg.Pool, step: () => void): pg.Pool {
  const connect = async (): Promise<unknown> => {
    const client = await pool.connect();
    return {
      query: async (query: pg.QueryConfig) => {
        step();
        return client.query(query);
      },
      release: (error?: Error) => client.release(error),
    };
  };
  return { connect, end: () => pool.end() } as unknown as pg.Pool;
}

function mortalSender(sender: ChainSender, step: () => void): ChainSender {
  const guarded = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      step();
      const done = await work(...args);
      // It may die before it hears of it.
      step();
      return done;
    };
  };
  const mortalOne = { ...sender, plan: guarded(sender.plan), broadcast: guarded(sender.broadcast), lookUp: guarded(sender.lookUp) };
  const { consolidation } = sender;
  if (consolidation === undefined) return mortalOne;
  return { ...mortalOne, consolidation: { ...consolidation, from: (deposit) => mortalSender(consolidation.from(deposit), step) } };
}
