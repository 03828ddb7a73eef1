import { randomUUID } from 'node:crypto';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { guardLease, releaseLease } from '../database/lease.ts';
import { ServiceError } from '../http/error.ts';
import { startCursor } from './follow.ts';
import { findProgress } from './progress.ts';
import { keepLease, look, scanLease, waitForLease } from './scan.ts';

export interface Rescan {
  chain: ChainId;
  /** The first block that is read again. */
  from: number;
  signal?: AbortSignal;
  onProgress?: (height: number, tip: number) => void;
}

/**
 * Reads a chain again from a height on: for payments that a node did not tell of when it should have. What is known already stays as
 * it is, because every fact has its key. Ended half-way, the service goes on from where it was.
 * @returns how far it was read
 * @throws ServiceError `ValidationError` for a height that the chain does not have, `InvalidState` while others read it
 */
export async function rescanChain(context: Context, { chain, from, signal, onProgress }: Rescan): Promise<{ height: number; tip: number }> {
  const adapter = context.chains.get(chain);
  if (!adapter)
    throw new ServiceError('ValidationError', `There is no chain ${chain}; there are ${[...context.chains.keys()].join(', ')}.`);
  const block = await adapter.blockAt(Math.max(0, from - 1));
  if (!block || from < 0) throw new ServiceError('ValidationError', `${chain} has no block ${from}.`);
  const { cursor } = await findProgress(context.db, chain);
  if (cursor === null) throw new ServiceError('InvalidState', `${chain} was never read; the service begins by itself.`);
  const given = signal ?? new AbortController().signal;
  const lease = await waitForLease(context, scanLease(chain), randomUUID(), given);
  if (lease === null) throw new ServiceError('InvalidState', `${chain} is being read by another process; try again in a moment.`);
  const keeper = keepLease(context, lease);
  try {
    const back = { ...startCursor(block, ''), extra: { ...cursor.extra } };
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      await sql`update chain_cursor set cursor = ${JSON.stringify(back)} where chain = ${chain}`.execute(trx);
    });
    for (;;) {
      given.throwIfAborted();
      const done = await look(context, adapter, lease, given);
      const { cursor: now, tip } = await findProgress(context.db, chain);
      const reached = { height: now?.height ?? 0, tip: tip ?? 0 };
      onProgress?.(reached.height, reached.tip);
      if (done) return reached;
    }
  } finally {
    await keeper.stop();
    await transact(context.db, (trx) => releaseLease(trx, lease));
  }
}
