import type { Cursor } from '../../adapter.ts';
import { startCursor, type BlockReference } from '../../cursor.ts';
import type { SettledPosition } from './settled.ts';
import { isNode, type LndSetup } from './setup.ts';

/**
 * A position of the engine, and of the node. They differ by an offset: a node that lost its list of
 * invoices counts from one again, and heights never fall.
 */
export interface Position extends SettledPosition {
  offset: number;
  /** Highest index of an invoice that the node had. */
  newest: number;
  /** The sandbox was read before: its payments do not exist on this node. */
  isFromSandbox: boolean;
}

export const beginningOf = ({ beginning }: LndSetup): Position => ({
  ...beginning,
  offset: 0,
  newest: beginning.oldest,
  isFromSandbox: false,
});

/** Where a stored cursor is on this node. Payments of an earlier lightning node stay received. */
export function positionOf({ height, extra = {} }: Cursor, setup: LndSetup): Position {
  const { source = '' } = extra;
  if (!isNode(source)) return { ...beginningOf(setup), isFromSandbox: true };
  if (source !== setup.source) return { ...beginningOf(setup), offset: height };
  const offset = Number(extra['offset'] ?? 0);
  return {
    settleIndex: Math.max(0, height - offset),
    oldest: Number(extra['oldest'] ?? 0),
    newest: Number(extra['newest'] ?? 0),
    offset,
    isFromSandbox: false,
  };
}

/**
 * A node whose newest invoice is older than before was restored without its invoices: its list is
 * read from the start, behind the present height.
 */
export function positionAt(position: Position, newest: number): Position {
  if (newest >= position.newest) return { ...position, newest };
  const offset = heightOf(position, position.settleIndex);
  return { ...position, settleIndex: 0, oldest: 0, offset, newest };
}

export const heightOf = ({ offset }: Position, settleIndex: number): number => offset + settleIndex;

export function toCursor(
  { oldest, newest, offset }: Position,
  { source }: LndSetup,
  block: BlockReference,
): Cursor {
  const extra = {
    source,
    oldest: String(oldest),
    newest: String(newest),
    offset: String(offset),
  };
  return { ...startCursor(block, source), extra };
}
