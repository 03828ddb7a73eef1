import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalInConstantTime, fromBase64, fromBase64Url, toBase64, toBase64Url, toHex } from './bytes.ts';
import { JsonError, parseJson, writeJson } from './json.ts';

describe('JSON', () => {
  test('that the platform writes is read and written unchanged', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
        (value) => {
          const text = JSON.stringify(value);
          expect(JSON.parse(writeJson(parseJson(text)))).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test('that the platform refuses is refused', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', '0', '.5', 'e1', 'true', 'nul', ' ', '\n', '"', '\\');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('');
        if (accepts(JSON.parse, text)) return;
        expect(() => parseJson(text)).toThrow(JsonError);
      }),
      { numRuns: 3000 },
    );
  });

  test('that the platform reads is read, but for duplicates', () => {
    const token = fc.constantFrom('{"a":', '{"b":1', '}', '[', ']', ',"c":', ',', '1', '-0', '1.5e+3', '""', 'null', ' ');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('');
        if (accepts(JSON.parse, text) && !accepts(parseJson, text)) expect(text).toMatch(/"c":.*"c":/s);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('bytes', () => {
  test('go through base64 and base64url as Node has them', () => {
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

  test('have one base64 text only', () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string()), (text) => {
        const bytes = fromBase64(text);
        if (bytes) expect(toBase64(bytes)).toBe(text);
        const fromUrl = fromBase64Url(text);
        if (fromUrl) expect(toBase64Url(fromUrl)).toBe(text);
      }),
    );
  });

  test('are equal only when they are the same', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true);
    expect(equalInConstantTime('', '')).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', '', 'ABC', 'abc\0']) expect(equalInConstantTime('abc', other)).toBe(false);
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
