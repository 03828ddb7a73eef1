import { secp256k1 } from '@noble/curves/secp256k1.js';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addMultiples } from './point-multiples.ts';

const { BASE, Fn, fromAffine } = secp256k1.Point;
const start = BASE.multiply(7n).toAffine();

/** The expected result, computed by the library one scalar at a time. */
function expected(scalars: readonly Uint8Array[]): { x: bigint; y: bigint }[] {
  return scalars.map((scalar) => {
    const number = Fn.create(BigInt(`0x${Buffer.from(scalar).toString('hex')}`));
    return fromAffine(start).add(BASE.multiplyUnsafe(number)).toAffine();
  });
}

describe('addMultiples', () => {
  it.each([1, 2, 3, 16, 33])('returns the same points as the library for %i scalars', (count) => {
    const scalars = Array.from({ length: count }, () => randomBytes(32));
    expect(addMultiples(start, scalars)).toEqual(expected(scalars));
  });

  it.each([
    ['0', '00'.repeat(32)],
    ['1', `${'00'.repeat(31)}01`],
    ['the point that is added', `${'00'.repeat(31)}07`],
    ['a byte that carries into the next', `${'00'.repeat(30)}ff01`],
    ['equal neighbours', `${'00'.repeat(30)}0100`],
    ['all bits', 'ff'.repeat(32)],
    ['the order less one', (Fn.ORDER - 1n).toString(16)],
  ])('gives it for %s', (_, hex) => {
    const scalars = [Buffer.from(hex, 'hex')];
    expect(addMultiples(start, scalars)).toEqual(expected(scalars));
  });

  it('returns an empty list for an empty list', () => {
    expect(addMultiples(start, [])).toEqual([]);
  });
});
