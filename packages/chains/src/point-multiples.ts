import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A point in affine coordinates, never the point at infinity. */
export interface Affine {
  x: bigint;
  y: bigint;
}

type Pair = readonly [Affine, Affine];

/**
 * One row per byte of a scalar, least significant first, with 256 points: the row's start + byte ×
 * 256^row × G.
 */
interface Table {
  rows: readonly (readonly Affine[])[];
  /** The negated sum of all starts. */
  correction: Affine;
}

const { BASE, Fp, ZERO } = secp256k1.Point;
const BYTES = 32;
const BITS = 8;
let table: Table | undefined;

/**
 * Computes `start + scalar × G` for several scalars, about four times as fast as one at a time:
 * points stay affine, and all additions of a step share one inversion. Not constant-time, so use it
 * for public material only.
 * @param scalars big-endian, 32 bytes each
 */
export function addMultiples(start: Affine, scalars: readonly Uint8Array[]): Affine[] {
  const { rows, correction } = (table ??= makeTable());
  return addUp(
    scalars.map((scalar) => [
      start,
      correction,
      ...rows.map((row, at) => row[scalar[BYTES - 1 - at]!]!),
    ]),
  );
}

/** Each row starts at a random point, so no addition meets a point and itself or its negative. */
function makeTable(): Table {
  const starts = Array.from({ length: BYTES }, () =>
    BASE.multiply(BigInt(`0x01${randomBytes(BYTES - 1).toString('hex')}`)),
  );
  let rows = starts.map((point) => [point.toAffine()]);
  let units = starts.map((_, row) => (row === 0 ? BASE : BASE.multiply(256n ** BigInt(row))));
  for (let bit = 0; bit < BITS; bit += 1) {
    const unit = units.map((point) => point.toAffine());
    const added = addPairs(rows.flatMap((row, at) => row.map((point): Pair => [point, unit[at]!])));
    rows = rows.map((row, at) => [...row, ...added.slice(at * row.length, (at + 1) * row.length)]);
    units = units.map((point) => point.double());
  }
  const sum = starts.reduce((all, point) => all.add(point), ZERO);
  return { rows, correction: sum.negate().toAffine() };
}

/**
 * Sums each list; all lists have the same length. Each step adds neighbouring points in all lists
 * at once.
 */
function addUp(lists: readonly (readonly Affine[])[]): Affine[] {
  const length = lists[0]?.length ?? 0;
  if (length <= 1) return lists.flat();
  const half = length >> 1;
  const sums = addPairs(
    lists.flatMap((points) =>
      Array.from({ length: half }, (_, at): Pair => [points[2 * at]!, points[2 * at + 1]!]),
    ),
  );
  return addUp(
    lists.map((points, at) => [
      ...sums.slice(at * half, (at + 1) * half),
      ...points.slice(2 * half),
    ]),
  );
}

/** @throws RangeError when both points of a pair have the same x, a chance of one in 2^240 */
function addPairs(pairs: readonly Pair[]): Affine[] {
  const distances = pairs.map(([a, b]) => Fp.sub(b.x, a.x));
  if (distances.includes(0n)) throw new RangeError('Two points of a sum have the same x');
  const inverses = Fp.invertBatch(distances);
  return pairs.map(([a, b], at) => {
    const slope = Fp.mul(b.y - a.y, inverses[at]!);
    const x = Fp.create(slope * slope - a.x - b.x);
    return { x, y: Fp.create(slope * (a.x - x) - a.y) };
  });
}
