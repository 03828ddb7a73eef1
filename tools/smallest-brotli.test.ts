import { randomBytes } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { expect, it } from 'vitest';
import { smallestBrotli } from './smallest-brotli.mjs';

it('keeps the content, and is never larger than the usual encoding', () => {
  for (const body of [
    Buffer.alloc(0),
    Buffer.from('pay'.repeat(5_000)),
    randomBytes(20_000),
    Buffer.from(Array.from({ length: 5_000 }, (_, at) => `row ${at * 7}`).join('\n')),
  ]) {
    const smallest = smallestBrotli(body);
    expect(brotliDecompressSync(smallest).equals(body)).toBe(true);
    const usual = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
    expect(smallest.length).toBeLessThanOrEqual(usual.length);
  }
});
