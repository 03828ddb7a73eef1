import core from 'qrcode/lib/core/qrcode.js';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/payment-string.json' with { type: 'json' };
import { type QrModules, qrModules } from './qr.ts';

const texts = [
  ...new Set(
    vectors.cases.flatMap(({ strings }) => [
      strings.qr,
      strings.qrFull,
      strings.full,
      strings.address,
    ]),
  ),
];

// The package splits a text by looking for the shortest way through all modes, which takes most of
// its time and code. Ours looks for the runs that payment strings have.
test.each(texts)('needs no more modules than the default encoding of %s', (text) => {
  expect(qrModules(text).size).toBeLessThanOrEqual(sizeAt('M', text)!);
});

describe('error correction', () => {
  const formOf = (kind: string, form: 'qr' | 'qrFull' | 'full'): string =>
    vectors.cases.find(({ options }) => options.kind === kind)!.strings[form];
  const request = formOf('BTC_LIGHTNING', 'qr').slice('lightning:'.length);
  test.each([
    ['an address with an amount', formOf('BTC', 'qrFull'), 'M', 33],
    ['an account in upper and lower case', formOf('ETH', 'qr'), 'M', 29],
    [
      "an address whose code has room for more, exchanges' for a token on TRON",
      formOf('USDT-TRX', 'qr'),
      'M',
      29,
    ],
    ['an address of dogecoin, whose code has room for more', formOf('DOGE', 'qr'), 'Q', 33],
    ['a few digits', '12345', 'H', 21],
    ['a request of Ethereum with an amount', formOf('ETH', 'full'), 'M', 37],
    ['a payment on TON', formOf('TON', 'qrFull'), 'M', 41],
    ['a token on Solana', formOf('USDC-SOL', 'qrFull'), 'L', 41],
    ['a token on TON', formOf('USDT-TON', 'qrFull'), 'L', 45],
    ['a payment on Liquid', formOf('L-BTC', 'qrFull'), 'L', 53],
    ['LNURL', formOf('BTC_LIGHTNING_LNURL', 'qr'), 'L', 41],
    ['a lightning request', formOf('BTC_LIGHTNING', 'qr'), 'L', 53],
    ['bitcoin and lightning in one', `${formOf('BTC', 'qrFull')}&lightning=${request}`, 'L', 57],
  ] as const)('of %s goes by how much is in it', (_, text, level, size) => {
    const modules = qrModules(text);
    expect([levelOf(modules), modules.size]).toEqual([level, size]);
  });

  // Of every length, as few modules as the package makes at M up to version 6 and at L beyond, and
  // no stronger level fits into them.
  test.each([
    ['bytes', 'b', 112],
    ['upper case', 'A', 162],
    ['digits', '7', 268],
  ])('is the strongest without a larger version: %s', (_, character, everyOneTo) => {
    for (let length = 1; length < 5 * everyOneTo; length += length > everyOneTo ? 19 : 1) {
      const text = character.repeat(length);
      const modules = qrModules(text, { mask: 'fixed' });
      const atM = sizeAt('M', text)!;
      const smallest = atM > 41 ? sizeAt('L', text)! : atM;
      expect(modules.size, text).toBe(smallest);
      expect(levelOf(modules), text).toBe(
        (['H', 'Q', 'M', 'L'] as const).find((level) => sizeAt(level, text) === smallest),
      );
    }
  });
});

function sizeAt(errorCorrectionLevel: Level, text: string): number | null {
  try {
    return core.create(text, { errorCorrectionLevel, maskPattern: 0 }).modules.size;
  } catch {
    return null;
  }
}

type Level = 'L' | 'M' | 'Q' | 'H';

/**
 * Reads the level from the code itself: the first two bits of its format information, which is
 * masked (ISO 18004, section 7.9).
 */
function levelOf({ isDark }: QrModules): Level {
  const bits = (isDark(0, 8) ? 2 : 0) + (isDark(1, 8) ? 1 : 0);
  return (['M', 'L', 'H', 'Q'] as const)[bits ^ 0b10]!;
}
