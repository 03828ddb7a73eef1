import { HDKey } from '@scure/bip32';
import { describe, expect, it } from 'vitest';
import { receivingKey, uncompressedReceivingKey } from './hd-keys.ts';

const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/84'/0'/0'");

function byLibrary(index: number): string {
  return Buffer.from(account.deriveChild(0).deriveChild(index).publicKey!).toString('hex');
}

function ours(index: number): string {
  return Buffer.from(receivingKey(account.publicExtendedKey, index)).toString('hex');
}

describe('receivingKey', () => {
  it('derives the same keys as the library in any order', () => {
    // Distant numbers, batch edges, and a batch that was evicted from the cache.
    const numbers = [0, 1, 15, 16, 17, 255, 5_000, 1_000_000, 2 ** 31 - 1, 3, 16];
    expect(numbers.map(ours)).toEqual(numbers.map(byLibrary));
  });

  it('returns the same point uncompressed', () => {
    const key = Buffer.from(uncompressedReceivingKey(account.publicExtendedKey, 5)).toString('hex');
    expect(key).toMatch(/^04[0-9a-f]{128}$/);
    expect(key.slice(2, 66)).toBe(byLibrary(5).slice(2));
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN])('rejects the index %s', (index) => {
    expect(() => receivingKey(account.publicExtendedKey, index)).toThrow(RangeError);
  });
});
