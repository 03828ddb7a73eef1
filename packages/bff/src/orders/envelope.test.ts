import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Envelope, envelopeMatches, openEnvelope, sealEnvelope } from './envelope.ts';
import { base32, checkoutIdOf, envelopeKeyOf, invoiceIdOf, isCheckoutId } from './ids.ts';

const SECRET = 'order-secret-for-tests-0123456789';
const hmac = (key: string | Uint8Array, message: string | Uint8Array) =>
  createHmac('sha256', key).update(message).digest();

const envelope = async (changed: Partial<Envelope['terms']> = {}): Promise<Envelope> => ({
  checkout: await checkoutIdOf('A-1', SECRET, hmac),
  attempt: 'attempt',
  profile: 'p',
  network: 'mainnet',
  kind: 'BTC',
  requested: '10.00',
  terms: {
    order_id: 'A-1',
    amount: '10',
    currency: 'EUR',
    description: null,
    success_url: null,
    shop_url: null,
    kinds: null,
    source: 'token',
    passthrough: null,
    ...changed,
  },
});
const bearer = {
  kind: 'BTC',
  network: 'mainnet',
  profile_id: 'p',
  amount: { requested: { amount: '10', currency: 'EUR' } },
};

describe('an envelope', () => {
  it('opens unchanged, for any order of its members', async () => {
    const key = await envelopeKeyOf(SECRET, hmac);
    const sealed = await envelope({ description: 'Mug "blue" – 12 €', kinds: ['BTC', 'LTC'] });
    const text = await sealEnvelope(sealed, key, hmac);
    expect(await openEnvelope(text, key, hmac)).toEqual(sealed);
    const { crypto_checkout, mac } = JSON.parse(text) as {
      crypto_checkout: Record<string, unknown>;
      mac: string;
    };
    const turned = JSON.stringify({
      mac,
      crypto_checkout: Object.fromEntries(Object.entries(crypto_checkout).toReversed()),
    });
    expect(await openEnvelope(turned, key, hmac)).toEqual(sealed);
    expect(await envelopeMatches(sealed, bearer, SECRET, hmac)).toBe(true);
  });

  it('fits into a passthrough with the longest texts', async () => {
    const key = await envelopeKeyOf(SECRET, hmac);
    const long = await envelope({
      description: '"'.repeat(1000),
      success_url: `https://a.example/${'b'.repeat(1900)}`,
      shop_url: `https://a.example/${'c'.repeat(1900)}`,
    });
    const text = await sealEnvelope(long, key, hmac);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect((await openEnvelope(text, key, hmac))?.terms).toMatchObject({
      order_id: 'A-1',
      amount: '10',
      success_url: long.terms.success_url,
    });
  });

  it('does not open after a change of any member', async () => {
    const key = await envelopeKeyOf(SECRET, hmac);
    const sealed = JSON.parse(await sealEnvelope(await envelope(), key, hmac)) as {
      crypto_checkout: Record<string, unknown>;
      mac: string;
    };
    for (const name of Object.keys(sealed.crypto_checkout)) {
      const value =
        name === 'terms'
          ? { ...(sealed.crypto_checkout['terms'] as object), amount: '1' }
          : 'other';
      const changed = { ...sealed, crypto_checkout: { ...sealed.crypto_checkout, [name]: value } };
      expect([name, await openEnvelope(JSON.stringify(changed), key, hmac)]).toEqual([name, null]);
    }
    expect(
      await openEnvelope(JSON.stringify(sealed), await envelopeKeyOf('another secret', hmac), hmac),
    ).toBeNull();
    for (const text of [
      null,
      '',
      'crypto_checkout',
      '{"crypto_checkout":1}',
      '[{"crypto_checkout":{}}]',
      'null',
    ])
      expect(await openEnvelope(text, key, hmac)).toBeNull();
  });

  it('does not match another invoice', async () => {
    const sealed = await envelope();
    for (const other of [
      { kind: 'LTC' },
      { network: 'testnet' },
      { profile_id: 'q' },
      { amount: { requested: { amount: '9.99', currency: 'EUR' } } },
      { amount: { requested: { amount: '10', currency: 'USD' } } },
      { amount: { requested: null } },
    ])
      expect(await envelopeMatches(sealed, { ...bearer, ...other }, SECRET, hmac)).toBe(false);
    expect(
      await envelopeMatches({ ...sealed, checkout: 'a'.repeat(26) }, bearer, SECRET, hmac),
    ).toBe(false);
  });
});

describe('an id', () => {
  it('of a checkout is base32 (RFC 4648 vectors, lower-case, no padding) and never a UUID', async () => {
    const encode = (text: string): string => base32(new TextEncoder().encode(text));
    expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(encode)).toEqual([
      '',
      'my',
      'mzxq',
      'mzxw6',
      'mzxw6yq',
      'mzxw6ytb',
      'mzxw6ytboi',
    ]);
    const id = await checkoutIdOf('A-1', SECRET, hmac);
    expect(isCheckoutId(id)).toBe(true);
    expect(invoiceIdOf(id)).toBeNull();
  });

  it('of an invoice is parsed in both public forms', () => {
    const id = '0b8e1c2a-4f6d-4e8b-9a7c-5d3f1e2b4a6c';
    for (const form of [id, id.toUpperCase(), id.replaceAll('-', '').toUpperCase()])
      expect(invoiceIdOf(form)).toBe(id);
    for (const form of ['', `${id}0`, id.slice(1), id.replace('a', 'g'), `{${id}}`, ` ${id}`])
      expect(invoiceIdOf(form)).toBeNull();
  });
});
