import { HDKey } from '@scure/bip32';
import { describe, expect, it } from 'vitest';
import { receivingKey, uncompressedReceivingKey } from './hd.ts';

const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/84'/0'/0'");

function byLibrary(index: number): string {
  return Buffer.from(account.deriveChild(0).deriveChild(index).publicKey!).toString('hex');
}

function ours(index: number): string {
  return Buffer.from(receivingKey(account.publicExtendedKey, index)).toString('hex');
}

describe('receivingKey', () => {
  it('gives what the library derives, whatever the order of the numbers', () => {
    // Far apart, at the edges of batches, and back to a batch that was forgotten.
    const numbers = [0, 1, 15, 16, 17, 255, 5_000, 1_000_000, 2 ** 31 - 1, 3, 16];
    expect(numbers.map(ours)).toEqual(numbers.map(byLibrary));
  });

  it('gives the same point uncompressed', () => {
    const key = Buffer.from(uncompressedReceivingKey(account.publicExtendedKey, 5)).toString('hex');
    expect(key).toMatch(/^04[0-9a-f]{128}$/);
    expect(key.slice(2, 66)).toBe(byLibrary(5).slice(2));
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN])('refuses the number %s', (index) => {
    expect(() => receivingKey(account.publicExtendedKey, index)).toThrow(RangeError);
  });
});
