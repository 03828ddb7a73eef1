import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  equalInConstantTime,
  fromBase64,
  fromBase64Url,
  toBase64,
  toBase64Url,
  toHex,
} from './bytes.ts';
import { JsonError, parseJson, plainNumber, withoutExponent, writeJson } from './json.ts';

describe('JSON', () => {
  test('written by the platform is parsed and written unchanged', () => {
    fc.assert(
      fc.property(
        fc
          .jsonValue({ maxDepth: 5 })
          .filter((value) => !JSON.stringify(value).includes('__proto__')),
        (value) => {
          const text = JSON.stringify(value);
          expect(JSON.parse(writeJson(parseJson(text)))).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test('refused by the platform is refused', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e1',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('');
        if (accepts(JSON.parse, text)) return;
        expect(() => parseJson(text)).toThrow(JsonError);
      }),
      { numRuns: 3000 },
    );
  });

  test('accepted by the platform is accepted, except duplicate members', () => {
    const token = fc.constantFrom(
      '{"a":',
      '{"b":1',
      '}',
      '[',
      ']',
      ',"c":',
      ',',
      '1',
      '-0',
      '1.5e+3',
      '""',
      'null',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('');
        if (accepts(JSON.parse, text) && !accepts(parseJson, text))
          expect(text).toMatch(/"c":.*"c":/s);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('bytes', () => {
  test('are encoded in base64 and base64url as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(fromBase64(toBase64(bytes))).toEqual(new Uint8Array(bytes));
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  test('have a single base64 text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string()), (text) => {
        const bytes = fromBase64(text);
        if (bytes) expect(toBase64(bytes)).toBe(text);
        const fromUrl = fromBase64Url(text);
        if (fromUrl) expect(toBase64Url(fromUrl)).toBe(text);
      }),
    );
  });

  test('are equal only if identical', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true);
    expect(equalInConstantTime('', '')).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', '', 'ABC', 'abc\0'])
      expect(equalInConstantTime('abc', other)).toBe(false);
    expect(equalInConstantTime('ab', 'abc')).toBe(false);
  });
});

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('an exponent', () => {
  test.each([
    ['2.0e-5', '0.00002'],
    ['5e-05', '0.00005'],
    ['5e-7', '0.0000005'],
    ['1E3', '1000'],
    ['1e+16', '10000000000000000'],
    ['1.50e1', '15'],
    ['1.25e1', '12.5'],
    ['12.5e0', '12.5'],
    ['123e-2', '1.23'],
    ['-1e-2', '-0.01'],
    ['0e5', '0'],
    ['0.0e-3', '0'],
    ['1e-18', '0.000000000000000001'],
    ['10', '10'],
    ['0.10', '0.10'],
  ])('of %s is expanded to %s', (source, plain) => {
    expect(withoutExponent(source)).toBe(plain);
  });

  test.each(['1e999999', '1e-999999', '1e99999999999999999999', '0e999999'])(
    'of %s is left, because its digits would be many',
    (source) => {
      expect(withoutExponent(source)).toBe(source);
    },
  );

  test('never changes the value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const source = value.toExponential();
        expect(Number(withoutExponent(source))).toBe(Number(source));
      }),
    );
  });

  test('is expanded where a number is read as a double or as its text', () => {
    expect(plainNumber('5e-7')).toBe('0.0000005');
    expect(plainNumber('0.5')).toBe(0.5);
  });
});
