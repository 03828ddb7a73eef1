import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { AmountError, formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import {
  PaymentStringError,
  paymentStrings,
  type PaymentStringOptions,
} from '@crypto-checkout/protocol/payment-string';
import { decodePayload, PayloadError } from '@crypto-checkout/protocol/signature';
import { describe, expect, it } from 'vitest';
import { AddressError } from '@crypto-checkout/chains/parsed-address';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import { Bolt11Error, decodeBolt11, encodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { decodeLnurl, encodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { fuzzParameters, checkCpuTime, timeout } from './budget.ts';
import { anyValue, mutated } from './mutate.ts';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const lightning = read('../../../chains/test/vectors/lightning.json') as {
  nodeKey: string;
  coffee: { request: string };
  ldk: string;
};
const strings = read('../../../protocol/test/vectors/payment-string.json') as {
  cases: { options: PaymentStringOptions }[];
};
const { values } = read('../../../chains/test/vectors/addresses.json') as {
  values: Record<string, string>;
};

/** Addresses of every kind from the test vectors. */
const ADDRESSES = [
  ...Object.entries(values),
  ...strings.cases.map(({ options }) => ['', options.address ?? ''] as const),
]
  .map(([, text]) => text)
  .filter((text) => text.length >= 20 && text.length <= 200);
const REQUESTS = [lightning.coffee.request, lightning.ldk, `lightning:${lightning.coffee.request}`];
const LNURLS = [
  encodeLnurl('https://service.example/lnurl/1?tag=payRequest'),
  encodeLnurl('https://a.b'),
];
const AMOUNTS = [
  '0',
  '1',
  '0.1',
  '123456789012345678.123456789012345678',
  '18.50',
  '000.100',
  '0.000000000000000001',
];

/** Returns null for one of the expected errors. Other errors are rethrown. */
function orRejected<T>(
  errors: readonly (abstract new (...args: never[]) => Error)[],
  work: () => T,
): T | null {
  try {
    return work();
  } catch (error) {
    if (errors.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

describe('a fuzzed text', () => {
  it('is parsed exactly as an amount or rejected', { timeout }, async () => {
    const property = fc.asyncProperty(mutated(AMOUNTS), (text) =>
      checkCpuTime(text, () => {
        const amount = orRejected([AmountError], () => parseAmount(text));
        if (amount === null) return;
        expect(text).toMatch(/^\d{1,18}(\.\d{1,18})?$/);
        expect(parseAmount(formatAmount(amount))).toBe(amount);
      }),
    );
    await fc.assert(property, fuzzParameters(1_000));
  });

  it.each(Object.keys(CHAINS) as ChainId[])(
    'is parsed as an address of %s or rejected',
    { timeout },
    async (chain) => {
      const property = fc.asyncProperty(
        mutated(ADDRESSES),
        fc.constantFrom('mainnet' as const, 'testnet' as const),
        (text, network) =>
          checkCpuTime(text, () => {
            const parsed = orRejected([AddressError, AmountError], () =>
              parseAddress(chain, network, text),
            );
            // The stored form is a valid address too, and parses to itself.
            if (parsed !== null)
              expect(parseAddress(chain, network, parsed.address).address).toBe(parsed.address);
          }),
      );
      await fc.assert(property, fuzzParameters(150));
    },
  );

  it('is decoded as a lightning request or rejected', { timeout }, async () => {
    const property = fc.asyncProperty(mutated(REQUESTS), (text) =>
      checkCpuTime(text, () => {
        const request = orRejected([Bolt11Error], () => decodeBolt11(text));
        if (request !== null) expect(request.paymentHash).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
    await fc.assert(property, fuzzParameters(500));
  });

  it('round-trips as a lightning request', { timeout }, async () => {
    const nodeKey = Uint8Array.from(Buffer.from(lightning.nodeKey, 'hex'));
    const bytes = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((list) => Buffer.from(list).toString('hex'));
    const request = fc.record({
      prefix: fc.constantFrom('bc' as const, 'tb' as const, 'bcrt' as const, 'tbs' as const),
      amountMsat: fc.option(fc.bigInt(1n, 10n ** 17n)),
      timestamp: fc.nat(2 ** 31),
      paymentHash: bytes,
      paymentSecret: bytes,
      description: fc
        .string({ unit: 'grapheme', maxLength: 100 })
        .filter((text) => text.isWellFormed()),
      expirySeconds: fc.nat(2 ** 31 - 1).map((seconds) => seconds + 1),
    });
    const property = fc.asyncProperty(request, async (made) => {
      const whole = { ...made, descriptionHash: null, features: [8, 14] };
      expect(decodeBolt11(encodeBolt11(whole, nodeKey))).toMatchObject(whole);
    });
    await fc.assert(property, fuzzParameters(50));
  });

  it('is decoded as an LNURL or rejected', { timeout }, async () => {
    const property = fc.asyncProperty(mutated(LNURLS), (text) =>
      checkCpuTime(text, () => {
        const url = orRejected([Bolt11Error], () => decodeLnurl(text));
        if (url !== null) expect(URL.canParse(url)).toBe(true);
      }),
    );
    await fc.assert(property, fuzzParameters(1_000));
  });

  it('creates payment strings with its address or is rejected', { timeout }, async () => {
    const odd = <T>(usual: T): fc.Arbitrary<T> =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(usual) },
        { weight: 1, arbitrary: anyText as fc.Arbitrary<T> },
      );
    const options = fc
      .constantFrom(...strings.cases)
      .chain(({ options: { kind, address, amount, tag = null, ...rest } }) =>
        fc.record({
          kind: fc.oneof(fc.constant(kind), fc.constantFrom(...KINDS.map((known) => known.kind))),
          address: odd(address),
          amount: fc.oneof(odd(amount), mutated(AMOUNTS)),
          tag: odd(tag),
          rest: fc.constant(rest),
        }),
      )
      .map(({ rest, ...chosen }) => ({ ...rest, ...chosen }));
    const property = fc.asyncProperty(options, (chosen) =>
      checkCpuTime(JSON.stringify(chosen), () => {
        const made = orRejected([PaymentStringError, AmountError], () => paymentStrings(chosen));
        const isOnChain = kindOf(chosen.kind)?.chain !== 'lightning';
        if (made !== null && isOnChain && chosen.address !== null)
          expect(made.addressOnly.toLowerCase()).toContain(bare(chosen.address));
      }),
    );
    await fc.assert(property, fuzzParameters(1_000));
  });

  it('is decoded as a payload or rejected', { timeout }, async () => {
    const sample =
      '{"request":"/v1/invoices/","nonce":1700000000000000001,"amount":0.10,"passthrough":{"a":[1,2]},"list":["x",null,true]}';
    const encoded = mutated([sample]).map((text) => Buffer.from(text, 'utf8').toString('base64'));
    const property = fc.asyncProperty(
      fc.oneof(encoded, mutated([Buffer.from(sample).toString('base64')])),
      (text) =>
        checkCpuTime(text, () => {
          const decoded = orRejected([PayloadError], () => decodePayload(text));
          if (decoded !== null) expect(typeof decoded.request).toBe('string');
        }),
    );
    await fc.assert(property, fuzzParameters(1_000));
  });
});

/** An r-address can include a tag. */
const bare = (address: string): string => address.toLowerCase().replace(/:\d+$/, '');

const anyText: fc.Arbitrary<string> = anyValue.filter((value) => typeof value === 'string');
