import { z } from 'zod';
import type { Cursor, Observation } from '../adapter.ts';

/** An output to an address of this wallet. */
export interface Payment {
  observation: Observation;
  /** Blocks until it can be spent; zero for usual payments. */
  maturity: number;
}

/** A payment that cannot be spent yet, in the cursor. */
const waiting = z.array(
  z.object({
    key: z.string(),
    txid: z.string(),
    asset: z.string(),
    watchKey: z.string(),
    amount: z.string().transform(BigInt),
    block: z.object({ height: z.number(), hash: z.string(), time: z.number() }),
    conflicts: z.array(z.string()),
    maturity: z.number(),
  }),
);
type Waiting = z.output<typeof waiting>[number];

/**
 * Holds back what a block created until it can be spent: its block may be replaced, and the coins
 * with it. The cursor keeps such payments.
 */
export function ripen(
  cursor: Cursor,
  payments: readonly Payment[],
): { ripe: Observation[]; cursor: Cursor } {
  const young = [...waitingIn(cursor), ...payments.flatMap(asWaiting)];
  const usual = payments.filter(({ maturity }) => maturity === 0);
  const isRipe = ({ block, maturity }: Waiting): boolean =>
    cursor.height - block.height + 1 >= maturity;
  const rest = young.filter((one) => !isRipe(one));
  return {
    ripe: [
      ...usual.map(({ observation }) => observation),
      ...young.filter(isRipe).map(withoutMaturity),
    ],
    cursor: withWaiting(cursor, rest),
  };
}

/**
 * A block that left the best chain takes its payments along. One below the ring, which begins anew
 * when blocks are read again, did not leave it.
 */
function waitingIn({ ring, extra }: Cursor): Waiting[] {
  const text = extra?.['immature'];
  if (text === undefined) return [];
  const hashes = new Set(ring.map(({ hash }) => hash));
  const first = ring[0]?.height ?? 0;
  return waiting
    .parse(JSON.parse(text))
    .filter(({ block }) => block.height < first || hashes.has(block.hash));
}

const asWaiting = ({ observation, maturity }: Payment): Waiting[] => {
  const { block, conflicts, ...rest } = observation;
  if (maturity === 0 || block === null) return [];
  return [{ ...rest, block, conflicts: [...conflicts], maturity }];
};

function withoutMaturity({ maturity: _maturity, ...observation }: Waiting): Observation {
  return observation;
}

function withWaiting(cursor: Cursor, rest: readonly Waiting[]): Cursor {
  const { immature: _immature, ...extra } = cursor.extra ?? {};
  if (rest.length === 0) return { ...cursor, extra };
  const immature = JSON.stringify(rest.map((one) => ({ ...one, amount: one.amount.toString() })));
  return { ...cursor, extra: { ...extra, immature } };
}
