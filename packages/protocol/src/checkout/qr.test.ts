import fc from 'fast-check';
import jsQR from 'jsqr';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/payment-string.json' with { type: 'json' };
import { encodeQr, QrError, type QrModules, qrModules } from './qr.ts';

const QUIET = 4;
const SCALE = 4;

describe('QR code', () => {
  test.each([
    ...new Set(vectors.cases.flatMap(({ strings }) => [strings.qr, strings.qrFull, strings.full])),
  ])('of %s is read back', (text) => {
    expect(read(qrModules(text))).toBe(text);
  });

  test('with the fixed mask is decoded too', () => {
    const { qrFull } = vectors.cases[0]!.strings;
    expect(read(qrModules(qrFull, { mask: 'fixed' }))).toBe(qrFull);
  });

  test('encodes any Unicode text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        (text) => read(qrModules(text)) === text,
      ),
      { numRuns: 30, examples: [['Grüße ₿ 🚀']] },
    );
  });

  test('is smaller for an upper-case request', () => {
    const request = vectors.cases.find(({ options }) => options.kind === 'BTC_LIGHTNING')!.strings;
    expect(qrModules(request.qr).size).toBeLessThan(qrModules(request.link).size);
  });

  test('as a path covers exactly the dark modules', () => {
    const text = vectors.cases[0]!.strings.qr;
    const modules = qrModules(text);
    const { size, path } = encodeQr(text);
    expect(size).toBe(modules.size);
    const painted = paint(path, size);
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) expect(painted[y]![x]).toBe(modules.isDark(x, y) ? 1 : 0);
  });

  test('path contains moves and lines only', () => {
    expect(encodeQr('x').path).toMatch(/^[Mhv\d\s-]+$/);
  });

  test.each(['', 'x'.repeat(3000)])('is refused for an empty or too long text', (text) => {
    expect(() => encodeQr(text)).toThrow(QrError);
  });
});

function read({ size, isDark }: QrModules): string | undefined {
  const side = (size + 2 * QUIET) * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [column, row] = [Math.floor(x / SCALE) - QUIET, Math.floor(y / SCALE) - QUIET];
      if (row < 0 || column < 0 || row >= size || column >= size || !isDark(column, row)) continue;
      pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
    }
  const found = jsQR(pixels, side, side);
  return found ? Buffer.from(found.binaryData).toString('utf8') : undefined;
}

/** Fills what the path goes around, counting how often each module is painted. */
function paint(path: string, size: number): number[][] {
  const painted = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  for (const [, column = '', row = '', line = ''] of path.matchAll(/M(\d+) (\d+)([^M]+)/g)) {
    let x = Number(column);
    for (const [, gap = '0', width] of line.matchAll(/(?:h(\d+))?v1h(\d+)v-1/g)) {
      x += Number(gap);
      for (const end = x + Number(width); x < end; x++) painted[Number(row)]![x]!++;
    }
  }
  return painted;
}
