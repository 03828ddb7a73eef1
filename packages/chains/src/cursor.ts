import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Cursor, ScanEvent } from './adapter.ts';

/**
 * Number of block hashes in a cursor. The fork of a reorganisation up to this depth is found
 * exactly.
 */
export const RING_SIZE = 256;

export interface BlockReference {
  height: number;
  hash: string;
}

/**
 * No block of the cursor is on the best chain, so the scan can't find out which payments remain.
 * Scanning of this chain stops until an operator intervenes.
 */
export class ReorganisationTooDeep extends Error {
  override readonly name = 'ReorganisationTooDeep';
  readonly chain: ChainId;

  constructor(chain: ChainId, height: number) {
    super(
      `The node has another chain than the one that this database read: a reorganisation of ${chain} at height ${height} goes deeper than the stored blocks. Set the node of that chain; only for a trial, begin with an empty database and DATA_DIR`,
    );
    this.chain = chain;
  }
}

export interface ResumedScan {
  cursor: Cursor;
  events: ScanEvent[];
  /** Height up to which earlier blocks remain valid; null when no block left the chain. */
  rollbackTo: number | null;
}

/**
 * Returns the position where a scan continues: the cursor, or the fork when its newest blocks left
 * the best chain. It is `beginning` without a cursor, or with a cursor of another source (the
 * sandbox before a node was configured, another test network): then nothing recorded there exists
 * on this chain.
 * @param onBestChain returns the given blocks that are on the best chain; the first call passes
 * only the newest block, the common case
 * @throws ReorganisationTooDeep
 */
export async function resumeScan(
  chain: ChainId,
  cursor: Cursor | null,
  source: string,
  beginning: BlockReference,
  onBestChain: (blocks: readonly BlockReference[]) => Promise<ReadonlySet<string>>,
): Promise<ResumedScan> {
  if (cursor === null)
    return { cursor: startCursor(beginning, source), events: [], rollbackTo: null };
  if (!isCursorOf(cursor, source))
    return { cursor: startCursor(beginning, source), ...rollback(-1) };
  const newest = { height: cursor.height, hash: cursor.hash };
  if ((await onBestChain([newest])).has(newest.hash))
    return { cursor, events: [], rollbackTo: null };
  const best = await onBestChain(cursor.ring);
  const ring = cursor.ring.filter(({ hash }) => best.has(hash));
  const fork = ring.at(-1);
  if (fork === undefined) throw new ReorganisationTooDeep(chain, cursor.height);
  return { cursor: { ...cursor, ...fork, ring }, ...rollback(fork.height) };
}

function rollback(toHeight: number): Pick<ResumedScan, 'events' | 'rollbackTo'> {
  return { events: [{ type: 'rollback', toHeight }], rollbackTo: toHeight };
}

/** Advances the cursor past these blocks and trims its ring. */
export function advanceCursor(cursor: Cursor, blocks: readonly BlockReference[]): Cursor {
  const last = blocks.at(-1);
  if (last === undefined) return cursor;
  const ring = [...cursor.ring, ...blocks.map(({ height, hash }) => ({ height, hash }))].slice(
    -RING_SIZE,
  );
  return { ...cursor, height: last.height, hash: last.hash, ring };
}

/** Creates a cursor at a block of `source`. */
export function startCursor({ height, hash }: BlockReference, source: string): Cursor {
  return { height, hash, ring: [{ height, hash }], extra: { source } };
}

/** The chain whose blocks were read; null before the first scan. */
export const sourceOf = (cursor: Cursor | null): string | null => cursor?.extra?.['source'] ?? null;

/** False after a switch from the sandbox to a node, or to another chain. */
export function isCursorOf(cursor: Cursor | null, source: string): cursor is Cursor {
  return sourceOf(cursor) === source;
}
