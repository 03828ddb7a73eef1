import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/payment-string.json' with { type: 'json' };
import { AmountError } from '../amount/amount.ts';
import { KINDS } from '../kinds/kind.ts';
import { type PaymentStringOptions, PaymentStringError, paymentStrings } from './payment-string.ts';

const cases = vectors.cases as unknown as {
  options: PaymentStringOptions;
  strings: Record<string, string | null>;
}[];

describe('payment strings', () => {
  test.each(cases)(
    'of $options.kind on $options.network: $strings.link',
    ({ options, strings }) => {
      expect(paymentStrings(options)).toEqual(strings);
    },
  );

  test('have a vector for every kind on both networks', () => {
    const seen = new Set(cases.map(({ options }) => `${options.kind} ${options.network}`));
    const missing = KINDS.flatMap(({ kind }) => [`${kind} mainnet`, `${kind} testnet`]).filter(
      (name) => !seen.has(name),
    );
    expect(missing, 'packages/protocol/test/vectors/payment-string.json lacks these cases').toEqual(
      [],
    );
  });

  test.each(vectors.invalid as unknown as { why: string; options: PaymentStringOptions }[])(
    'are refused: $why',
    ({ options }) => {
      const attempt = () => paymentStrings(options);
      try {
        attempt();
        expect.unreachable();
      } catch (error) {
        expect(error instanceof PaymentStringError || error instanceof AmountError).toBe(true);
      }
    },
  );

  test('are refused for a tag with a lone surrogate', () => {
    const address = 'EQAvDfWFG0oYX19jwNDNBBL1rKNT9XfaGP9HyTb5nb2Eml6y';
    for (const tag of ['\ud800', 'order \udc00 7'])
      for (const kind of ['TON', 'USDT-TON'])
        expect(() =>
          paymentStrings({ kind, address, tag, amount: '1', network: 'mainnet' }),
        ).toThrow(PaymentStringError);
  });

  test.each([
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:', null],
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:12:5', null],
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY', '12&amount=9'],
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY', ''],
    [' :', null],
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:12', '13'],
  ])('are refused for a destination tag that is not a number: %j and %j', (address, tag) => {
    expect(() =>
      paymentStrings({ kind: 'XRP', address, tag, amount: '1', network: 'mainnet' }),
    ).toThrow('a destination tag is');
  });

  test('leave the amount open when it is zero', () => {
    const strings = paymentStrings({
      kind: 'BTC',
      address: '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA',
      amount: '0',
      network: 'mainnet',
    });
    expect(strings.link).toBe('bitcoin:1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA');
    expect(strings.amount).toBeNull();
  });

  test('write an amount without trailing zeros', () => {
    const strings = paymentStrings({
      kind: 'BTC',
      address: '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA',
      amount: '1.500',
      network: 'mainnet',
    });
    expect(strings.link).toMatch(/\?amount=1\.5$/);
    expect(strings.amount).toBe('1.5');
  });
});
