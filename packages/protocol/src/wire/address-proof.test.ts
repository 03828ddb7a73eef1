import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/address-proof.json' with { type: 'json' };
import { addressProofText } from './address-proof.ts';
import { fromBase64Url, utf8 } from './bytes.ts';

describe('the text of an address proof', () => {
  test.each(vectors.cases)('of $why is what the vector says', ({ payment, text }) => {
    expect(addressProofText(payment)).toBe(text);
  });

  test.each(vectors.cases)('of $why has the signature of the vector', async (vector) => {
    const { x } = vectors.key;
    const key = await crypto.subtle.importKey('raw', fromBase64Url(x)!, 'Ed25519', false, [
      'verify',
    ]);
    const verify = (text: string): Promise<boolean> =>
      crypto.subtle.verify('Ed25519', key, fromBase64Url(vector.signature)!, utf8(text));
    expect(await verify(vector.text)).toBe(true);
    expect(await verify(`${vector.text}\n`)).toBe(false);
  });

  test.each(vectors.invalid)('does not exist with $why', ({ payment }) => {
    expect(addressProofText(payment)).toBeNull();
  });

  test('has eleven lines in a fixed order', () => {
    const lines = addressProofText({
      invoiceId: 'b',
      orderId: 'c',
      requested: { amount: 'd', currency: 'e' },
      kind: 'f',
      network: 'g',
      target: 'h',
      tag: 'i',
      invoiced: 'j',
      expiresAt: 'k',
    })?.split('\n');
    expect(lines).toEqual(['crypto-checkout-address-v1', ...'bcdefghijk'.split('')]);
  });
});
