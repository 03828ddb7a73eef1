import { randomUUID } from 'node:crypto';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { guardLease, keepLease, releaseLease, waitForLease } from '../database/lease.ts';
import { ServiceError } from '../http/error.ts';
import { startCursor } from '@crypto-checkout/chains/cursor';
import { findProgress } from './scan-progress.ts';
import { scanOnce, scanLease } from './scan.ts';

export interface Rescan {
  chain: ChainId;
  /** First block to read again. */
  from: number;
  signal?: AbortSignal;
  onProgress?: (height: number, tip: number) => void;
}

/**
 * Reads a chain again from a height, to find payments that a node failed to report. Known payments
 * stay unchanged, because every observation has a key. If interrupted, the service continues from
 * the last stored cursor.
 * @returns the height reached, and the tip
 * @throws ServiceError `ValidationError` for an unknown height, `InvalidState` while another
 * process reads the chain
 */
export async function rescanChain(
  context: Context,
  { chain, from, signal, onProgress }: Rescan,
): Promise<{ height: number; tip: number }> {
  const adapter = context.chains.get(chain);
  if (!adapter)
    throw new ServiceError(
      'ValidationError',
      `Unknown chain ${chain}; available: ${[...context.chains.keys()].join(', ')}.`,
    );
  const block = await adapter.blockAt(Math.max(0, from - 1));
  if (!block || from < 0)
    throw new ServiceError('ValidationError', `${chain} has no block ${from}.`);
  const { cursor } = await findProgress(context.db, chain);
  if (cursor === null)
    throw new ServiceError(
      'InvalidState',
      `${chain} was not read yet; the service starts by itself.`,
    );
  const abort = signal ?? new AbortController().signal;
  const lease = await waitForLease(context.db, scanLease(chain), randomUUID(), abort);
  if (lease === null)
    throw new ServiceError(
      'InvalidState',
      `Another process is reading ${chain}; try again in a moment.`,
    );
  const keeper = keepLease(context.db, lease);
  try {
    const rewound = { ...startCursor(block, ''), extra: { ...cursor.extra } };
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      // The earlier scans may have missed these payments, so their time proves nothing: the time of
      // the block decides whether a payment is late. This also holds after an interruption.
      await sql`update chain_cursor set cursor = ${JSON.stringify(rewound)}, looked_at = null where chain = ${chain}`.execute(
        trx,
      );
    });
    for (;;) {
      abort.throwIfAborted();
      const done = await scanOnce(context, adapter, lease, abort);
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
