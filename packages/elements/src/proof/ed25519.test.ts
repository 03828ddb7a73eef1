import { expect } from '@open-wc/testing';
import vectors from '../../../protocol/test/vectors/address-proof.json' with { type: 'json' };
import { verifyEd25519 } from './ed25519.ts';

const hex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const base64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
    one.codePointAt(0)!,
  );
const sha512 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-512', bytes));
const verify = (key: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> =>
  verifyEd25519(key, signature, message, sha512);

/** RFC 8032, section 7.1. */
const RFC = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe('Ed25519 without WebCrypto', () => {
  for (const [key, message, signature] of RFC)
    it(`verifies the test of RFC 8032 with the message "${message}"`, async () => {
      const given = [hex(key), hex(signature), hex(message)] as const;
      expect(await verify(...given)).to.equal(true);
      for (let at = 0; at < 64; at += 9) {
        const changed = given[1].slice();
        changed[at]! ^= 1;
        expect(await verify(given[0], changed, given[2]), String(at)).to.equal(false);
      }
      expect(await verify(given[0], given[1], hex(`${message}00`))).to.equal(false);
      expect(await verify(hex(RFC[0][0]).toReversed(), given[1], given[2])).to.equal(false);
    });

  it('verifies the signatures of the address proofs', async () => {
    for (const { text, signature } of vectors.cases)
      expect(
        await verify(
          base64Url(vectors.key.x),
          base64Url(signature),
          new TextEncoder().encode(text),
        ),
      ).to.equal(true);
  });

  it('refuses a second form of a signature, and keys and signatures of a wrong length', async () => {
    const [key, message, signature] = RFC[1];
    // S + L is the same number modulo L; RFC 8032, section 5.1.7, refuses it.
    const malleable = hex(signature);
    let carry = 0n;
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    for (let at = 0; at < 32; at += 1) {
      const sum = BigInt(malleable[32 + at]!) + ((order >> BigInt(8 * at)) & 255n) + carry;
      malleable[32 + at] = Number(sum & 255n);
      carry = sum >> 8n;
    }
    expect(await verify(hex(key), malleable, hex(message))).to.equal(false);
    expect(await verify(hex(key).slice(1), hex(signature), hex(message))).to.equal(false);
    expect(await verify(hex(key), hex(signature).slice(1), hex(message))).to.equal(false);
    expect(await verify(new Uint8Array(32).fill(255), hex(signature), hex(message))).to.equal(
      false,
    );
  });
});
