import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/order-token.json' with { type: 'json' };
import { OrderTokenError, signOrderToken, verifyOrderToken } from './order-token.ts';
import type { Hmac } from './signature.ts';
import { hmacWebCrypto } from './signature-web.ts';

const hmac: Hmac = (key, message) => createHmac('sha256', key).update(message).digest();

describe('order token', () => {
  test.each(vectors.valid)('accepts $why', async ({ token, now, claims, expired }) => {
    expect(await verifyOrderToken(token, vectors.secret, { now: now * 1000, hmac })).toMatchObject({
      claims,
      expired,
    });
  });

  test.each(vectors.invalid)('refuses: $why', async ({ token, now }) => {
    await expect(
      verifyOrderToken(token, vectors.secret, { now: now * 1000, hmac }),
    ).rejects.toBeInstanceOf(OrderTokenError);
  });

  test('lists ignored claims, without the registered ones of JWT', async () => {
    const { token, now } = vectors.valid.find(({ why }) => why === 'unknown claims are ignored')!;
    expect(
      (await verifyOrderToken(token, vectors.secret, { now: now * 1000, hmac })).ignored,
    ).toEqual(['admin']);
  });

  test('accepts its own tokens', async () => {
    const { claims, now } = vectors.valid[1]!;
    const token = await signOrderToken(claims, vectors.secret, hmacWebCrypto);
    expect(token).toBe(await signOrderToken(claims, vectors.secret, hmac));
    expect(
      (await verifyOrderToken(token, vectors.secret, { now: now * 1000, hmac })).claims,
    ).toEqual(claims);
  });

  test('names a secret that was decoded from hex', async () => {
    const secret = '00112233445566778899aabbccddeeff';
    const { claims, now } = vectors.valid[1]!;
    const decoded: Hmac = (_, message) => hmac(Buffer.from(secret, 'hex'), message);
    const token = await signOrderToken(claims, secret, decoded);
    await expect(verifyOrderToken(token, secret, { now: now * 1000, hmac })).rejects.toMatchObject({
      about: 'signature_form',
      message: expect.stringMatching(/decoded from hex, and has to be used as text$/),
    });
  });

  test('refuses to verify without a secret', async () => {
    const { token, now } = vectors.valid[0]!;
    await expect(verifyOrderToken(token, '', { now: now * 1000, hmac })).rejects.toThrow(
      /no secret/,
    );
  });

  test('refuses a too long token before decoding it', async () => {
    let asked = 0;
    const counting: Hmac = (key, message) => (asked++, hmac(key, message));
    const token = `${'a'.repeat(5000)}.${'b'.repeat(5000)}.c`;
    await expect(
      verifyOrderToken(token, vectors.secret, { now: 0, hmac: counting }),
    ).rejects.toBeInstanceOf(OrderTokenError);
    expect(asked).toBe(0);
  });

  test('refuses every token with one changed character', async () => {
    const { token, now } = vectors.valid[1]!;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'B', 'Y', 'a', 'z', '0', '9', '-', '_', '.', '='),
        async (at, character) => {
          fc.pre(token[at] !== character);
          const altered = token.slice(0, at) + character + token.slice(at + 1);
          await expect(
            verifyOrderToken(altered, vectors.secret, { now: now * 1000, hmac }),
          ).rejects.toBeInstanceOf(OrderTokenError);
        },
      ),
    );
  });
});
