import { readFileSync } from 'node:fs';
import { hex } from '@scure/base';
import { decode as decodeElsewhere } from 'light-bolt11-decoder';
import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { publicKeysOf } from '../keys.ts';
import { Bolt11Error, decodeBolt11, encodeBolt11, type Bolt11 } from './bolt11.ts';
import { amountMsatOf, prefixOf } from './bolt11-prefix.ts';
import { decodeLnurl, encodeLnurl } from './lnurl.ts';
import { lightningTarget } from './payment-request.ts';

interface Vectors {
  nodeKey: string;
  coffee: { request: string; decoded: Record<string, unknown> & { amountMsat: string } };
  ldk: string;
  lnurl: { url: string; code: string };
}
const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/lightning.json', import.meta.url), 'utf8'),
) as Vectors;
const coffee = {
  ...vectors.coffee.decoded,
  amountMsat: BigInt(vectors.coffee.decoded.amountMsat),
} as unknown as Bolt11;
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const options = {
  kind: 'BTC_LIGHTNING',
  index: 7,
  expirySeconds: 900,
  description: 'Order 42 – Käse',
  now: Date.UTC(2026, 10, 21),
};

describe('BOLT11', () => {
  it('decodes the example of BOLT11 and verifies its signature', () => {
    expect(decodeBolt11(vectors.coffee.request)).toEqual(coffee);
    expect(decodeBolt11(`lightning:${vectors.coffee.request.toUpperCase()}`)).toEqual(coffee);
  });

  it('encodes the example of BOLT11 byte for byte', () => {
    expect(encodeBolt11(coffee, hex.decode(vectors.nodeKey))).toBe(vectors.coffee.request);
  });

  it('decodes a request created by LDK', () => {
    const request = decodeBolt11(vectors.ldk);
    expect(request).toMatchObject({
      prefix: 'bcrt',
      amountMsat: 25_000_000n,
      paymentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('rejects an altered character, a truncated text and mixed case', () => {
    const { request } = vectors.coffee;
    expect(() => decodeBolt11(request.replace('2500u', '2600u'))).toThrow(Bolt11Error);
    expect(() => decodeBolt11(request.slice(0, -1))).toThrow(Bolt11Error);
    expect(() => decodeBolt11(request.replace('lnbc', 'LNBC'))).toThrow(Bolt11Error);
    expect(() => decodeBolt11('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')).toThrow(Bolt11Error);
    expect(() => decodeBolt11('')).toThrow(Bolt11Error);
  });

  it.each<[bigint | null, string]>([
    [null, 'lntb'],
    [250_000_000n, 'lntb2500u'],
    [100_000_000_000n, 'lntb1'],
    [1_000n, 'lntb10n'],
    [1n, 'lntb10p'],
    [123_456_789n, 'lntb1234567890p'],
  ])('writes %s msat in the shortest form', (amount, prefix) => {
    expect(prefixOf('tb', amount)).toBe(prefix);
    expect(amountMsatOf(prefix)).toEqual({ prefix: 'tb', amountMsat: amount });
  });

  it.each(['lntb1p', 'lntb0', 'lntb01u', 'lntb1x', 'lnxy', 'tb1'])(
    'rejects the prefix %s',
    (prefix) => {
      expect(amountMsatOf(prefix)).toBeNull();
    },
  );
});

describe('lightningTarget', () => {
  it('creates a request that another library decodes to the same fields', () => {
    const target = lightningTarget(keys, { ...options, amount: parseAmount('0.00012345') });
    const request = target.lightning?.paymentRequest ?? '';
    const { sections } = decodeElsewhere(request) as {
      sections: { name: string; value?: unknown }[];
    };
    const section = (name: string): unknown =>
      sections.find((candidate) => candidate.name === name)?.value;
    expect(request).toMatch(/^lntb123450n1/);
    expect(section('amount')).toBe('12345000');
    expect(section('payment_hash')).toBe(target.lightning?.paymentHash);
    expect(section('description')).toBe(options.description);
    expect(section('expiry')).toBe(900);
    expect(section('timestamp')).toBe(options.now / 1000);
    expect(target).toMatchObject({
      address: null,
      watchKeys: [`ln:${target.lightning?.paymentHash}`],
    });
  });

  it('signs the metadata hash instead of a description for the child of an LNURL', () => {
    const descriptionHash = 'ab'.repeat(32);
    const target = lightningTarget(keys, {
      ...options,
      amount: parseAmount('0.00000001'),
      descriptionHash,
    });
    expect(decodeBolt11(target.lightning?.paymentRequest ?? '')).toMatchObject({
      descriptionHash,
      description: null,
      amountMsat: 1000n,
    });
  });

  it('never repeats a payment hash', () => {
    const hashes = Array.from(
      { length: 200 },
      (_, index) =>
        lightningTarget(keys, { ...options, index, amount: null }).lightning?.paymentHash,
    );
    expect(new Set(hashes).size).toBe(200);
  });

  it('truncates a description at a whole character', () => {
    const target = lightningTarget(keys, {
      ...options,
      amount: null,
      description: 'ä'.repeat(400),
    });
    expect(decodeBolt11(target.lightning?.paymentRequest ?? '').description).toBe('ä'.repeat(300));
  });

  it('encodes a URL as an LNURL', () => {
    const target = lightningTarget(keys, {
      ...options,
      kind: 'BTC_LIGHTNING_LNURL',
      amount: null,
      lnurl: vectors.lnurl.url,
    });
    expect(target).toMatchObject({
      watchKeys: [],
      lightning: {
        lnurl: vectors.lnurl.code.toLowerCase(),
        paymentRequest: null,
        paymentHash: null,
      },
    });
  });
});

describe('LNURL', () => {
  it('decodes and encodes the example of LUD-01', () => {
    expect(encodeLnurl(vectors.lnurl.url)).toBe(vectors.lnurl.code.toLowerCase());
    expect(decodeLnurl(vectors.lnurl.code)).toBe(vectors.lnurl.url);
  });

  it('rejects other texts than LNURLs', () => {
    expect(() => decodeLnurl(vectors.coffee.request)).toThrow(Bolt11Error);
    expect(() => decodeLnurl('lnurl1qqqq')).toThrow(Bolt11Error);
  });
});
