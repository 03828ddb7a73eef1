import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeAbilities } from '../host/abilities.ts';
import { accepts, codedText } from './content-coding.ts';

describe('Accept-Encoding', () => {
  it.each([
    ['gzip, deflate, br, zstd', true, true],
    ['gzip', false, true],
    ['BR;q=0.5 , GZIP ; q=1.0', true, true],
    ['br;q=0, gzip', false, true],
    ['gzip;q=0.000, br', true, false],
    ['*', true, true],
    ['*;q=0', false, false],
    ['identity, *;q=0, gzip', false, true],
    ['gzip;q=0, *', true, false],
    ['brotli, x-gzip', false, false],
    ['', false, false],
    [undefined, false, false],
  ])('%s', (header, br, gzip) => {
    expect([accepts(header, 'br'), accepts(header, 'gzip')]).toEqual([br, gzip]);
  });
});

describe('a text', () => {
  const text = 'Schön '.repeat(500);

  it('is sent as brotli, else as gzip, else as it is', () => {
    const [brotli, gzip, plain] = ['gzip, br', 'gzip', 'identity'].map((accepted) =>
      codedText(text, nodeAbilities, accepted),
    );
    expect([brotli, gzip, plain].map((answer) => answer!.headers)).toEqual([
      { 'content-encoding': 'br' },
      { 'content-encoding': 'gzip' },
      {},
    ]);
    expect(brotliDecompressSync(brotli!.body as Uint8Array).toString()).toBe(text);
    expect(gunzipSync(gzip!.body as Uint8Array).toString()).toBe(text);
    expect(plain!.body).toBe(text);
  });

  it('is sent as it is by a host without compression', () => {
    expect(codedText(text, undefined, 'br, gzip')).toEqual({ body: text, headers: {} });
  });
});
