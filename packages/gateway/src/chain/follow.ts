import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Cursor, ScanEvent } from './adapter.ts';

/** How many block hashes a cursor keeps: a reorganisation up to this depth is found exactly. */
export const RING_SIZE = 256;

export interface BlockReference {
  height: number;
  hash: string;
}

/**
 * No block that the cursor knows is on the best chain any more: which payments are still there can't be told.
 * Watching stops for this chain until an operator looks.
 */
export class ReorganisationTooDeep extends Error {
  override readonly name = 'ReorganisationTooDeep';
  readonly chain: ChainId;

  constructor(chain: ChainId, height: number) {
    super(`A reorganisation of ${chain} at height ${height} goes deeper than the ${RING_SIZE} blocks that are kept`);
    this.chain = chain;
  }
}

export interface Resumed {
  cursor: Cursor;
  events: ScanEvent[];
  /** Height up to which earlier blocks still stand; null when none left the chain. */
  rollbackTo: number | null;
}

/**
 * Where a scan goes on: behind the cursor, behind the fork when its newest blocks left the best chain, or at `beginning`
 * when there is no cursor, or one of another source (the sandbox before a node was set up, another test network): then
 * nothing that was seen there is on this chain.
 * @param onBestChain answers which of the given blocks are on the best chain; asked for the newest alone first, which nearly always is
 * @throws ReorganisationTooDeep
 */
export async function resumeOrBegin(
  chain: ChainId,
  cursor: Cursor | null,
  source: string,
  beginning: BlockReference,
  onBestChain: (blocks: readonly BlockReference[]) => Promise<ReadonlySet<string>>,
): Promise<Resumed> {
  if (cursor === null) return { cursor: startCursor(beginning, source), events: [], rollbackTo: null };
  if (!isFrom(cursor, source)) return { cursor: startCursor(beginning, source), ...rollback(-1) };
  const newest = { height: cursor.height, hash: cursor.hash };
  if ((await onBestChain([newest])).has(newest.hash)) return { cursor, events: [], rollbackTo: null };
  const best = await onBestChain(cursor.ring);
  const ring = cursor.ring.filter(({ hash }) => best.has(hash));
  const fork = ring.at(-1);
  if (fork === undefined) throw new ReorganisationTooDeep(chain, cursor.height);
  return { cursor: { ...cursor, ...fork, ring }, ...rollback(fork.height) };
}

function rollback(toHeight: number): Pick<Resumed, 'events' | 'rollbackTo'> {
  return { events: [{ type: 'rollback', toHeight }], rollbackTo: toHeight };
}

/** The cursor after more blocks, its ring cut to size. */
export function advanceCursor(cursor: Cursor, blocks: readonly BlockReference[]): Cursor {
  const last = blocks.at(-1);
  if (last === undefined) return cursor;
  const ring = [...cursor.ring, ...blocks.map(({ height, hash }) => ({ height, hash }))].slice(-RING_SIZE);
  return { ...cursor, height: last.height, hash: last.hash, ring };
}

/** A cursor that stands on a block, seen by `source`. */
export function startCursor({ height, hash }: BlockReference, source: string): Cursor {
  return { height, hash, ring: [{ height, hash }], extra: { source } };
}

/** Whether the cursor was written while looking at the same source; false after switching from the sandbox to a node, or to another chain. */
export function isFrom(cursor: Cursor | null, source: string): cursor is Cursor {
  return cursor !== null && cursor.extra?.['source'] === source;
}
