import core from 'qrcode/lib/core/qrcode.js';
import { expect, test } from 'vitest';
import vectors from '../test/vectors/payment-string.json' with { type: 'json' };
import { qrModules } from './qr.ts';

// The package splits a text by looking for the shortest way through all modes, which takes most of its time and code. Ours looks for
// the runs that payment strings have.
test.each([...new Set(vectors.cases.flatMap(({ strings }) => [strings.qr, strings.qrFull, strings.full, strings.address]))])(
  'has no more modules than the encoder of the package makes of %s',
  (text) => {
    const theirs = core.create(text, { errorCorrectionLevel: 'M' });
    expect(qrModules(text).size).toBeLessThanOrEqual(theirs.modules.size);
  },
);
