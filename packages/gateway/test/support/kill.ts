import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type pg from 'pg';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../../src/context.ts';
import { endLeases } from '../../src/database/lease.ts';
import { openPool, poolDialect } from '../../src/database/pool.ts';
import type { Tables } from '../../src/database/tables.ts';
import type { TestContext } from './context.ts';

/** A process that can crash: after the crash none of its operations has an effect. */
export interface KillableProcess {
  context: Context;
  /** Crashes after this many operations: database statements, signatures and node calls. */
  surviveFor(steps: number): void;
  isKilled(): boolean;
  /**
   * Waits until no operation of the crashed process is in progress. Chains are processed in
   * parallel, and an operation that has not started yet would otherwise run after the next
   * `surviveFor`.
   */
  waitUntilIdle(): Promise<void>;
  close(): Promise<void>;
}

/** Event loop turns without a connection in use. */
const QUIET_TURNS = 10;

class KilledError extends Error {
  override name = 'KilledError';
}

export function killableProcess(context: TestContext): KillableProcess {
  let remaining = Number.POSITIVE_INFINITY;
  let crashed = false;
  const step = (): void => {
    if (!crashed && remaining > 0) {
      remaining -= 1;
      return;
    }
    crashed = true;
    throw new KilledError('killed');
  };
  const pool = openPool({
    server: { connectionString: context.database.url },
    max: 10,
    onError: () => {},
  });
  const db = new Kysely<Tables>({ dialect: poolDialect(killablePool(pool, step)) });
  const senders = new Map(
    [...context.senders].map(([chain, sender]) => [chain, killableSender(sender, step)]),
  );
  const signer: Context['signer'] = {
    async sign(request) {
      step();
      return context.signer.sign(request);
    },
  };
  return {
    context: { ...context, db, senders, signer },
    surviveFor(steps) {
      remaining = steps;
      crashed = false;
    },
    isKilled: () => crashed,
    async waitUntilIdle() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
        await nextTurn();
        if (pool.totalCount > pool.idleCount) quiet = 0;
      }
    },
    async close() {
      remaining = Number.POSITIVE_INFINITY;
      crashed = false;
      await db.destroy();
    },
  };
}

/**
 * Runs the work in a process that crashes, one step later each time, until it survives.
 * @param afterEach run after each process, by one that does not crash
 */
export async function killAtEachStep(
  context: TestContext,
  work: (context: Context) => Promise<unknown>,
  afterEach: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const killable = killableProcess(context);
  try {
    for (let steps = 0, survived = false; !survived; steps += 1) {
      killable.surviveFor(steps);
      await work(killable.context).catch(() => {});
      survived = !killable.isKilled();
      killable.surviveFor(Number.POSITIVE_INFINITY);
      await killable.waitUntilIdle();
      await endLeases(context.db);
      await afterEach();
    }
  } finally {
    await killable.close();
  }
}

/** Closes the connections of the crashed process, which rolls back its open transactions. */
function killablePool(pool: pg.Pool, step: () => void): pg.Pool {
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

function killableSender(sender: ChainSender, step: () => void): ChainSender {
  const guarded = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      step();
      const result = await work(...args);
      // The crash can happen before the result arrives.
      step();
      return result;
    };
  };
  const killable = {
    ...sender,
    plan: guarded(sender.plan),
    ...(sender.test && { test: guarded(sender.test) }),
    broadcast: guarded(sender.broadcast),
    lookUp: guarded(sender.lookUp),
    ...(sender.consolidate && { consolidate: guarded(sender.consolidate) }),
  };
  const { sweeping } = sender;
  if (sweeping === undefined) return killable;
  return {
    ...killable,
    sweeping: { ...sweeping, from: (deposit) => killableSender(sweeping.from(deposit), step) },
  };
}
