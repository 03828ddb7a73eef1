import { describe, expect, it } from 'vitest';
import { encodeQr } from './qr.ts';
import { packQr, unpackQr } from './qr-path.ts';

describe('a code as its modules', () => {
  it.each([1, 20, 100, 400, 2000])('leads back to the same path: %i characters', (length) => {
    const qr = encodeQr('Q9'.repeat(length).slice(0, length));
    const packed = packQr(qr);
    expect(packed).toEqual({ size: qr.size, bits: expect.any(String) });
    expect(unpackQr(JSON.parse(JSON.stringify(packed)) as typeof packed)).toEqual(qr);
  });

  it('leaves another path as it is', () => {
    for (const path of ['', 'M0 0h7v1h-7z', 'M0 0v1h9v-1h1v1h1v-1']) {
      const qr = { size: 21, path };
      expect(unpackQr(packQr(qr))).toEqual(qr);
    }
  });

  it('is refused with bits of another size', () => {
    const qr = packQr(encodeQr('one'));
    for (const size of [0, qr.size + 4, 1e9, Number.NaN])
      expect(() => unpackQr({ ...qr, size })).toThrow(RangeError);
  });
});
