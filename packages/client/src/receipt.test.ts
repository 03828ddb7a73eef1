import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ReceiptError, verifyReceipt } from './receipt.ts';

const pair = generateKeyPairSync('ed25519');
const x = pair.publicKey.export({ format: 'jwk' }).x!;
const stranger = generateKeyPairSync('ed25519');

const CLAIMS = {
  iat: 1_795_219_200,
  account_id: '6a0f2c55-1f3b-4d0e-9a41-7f0c2b9d8e33',
  invoice_id: '8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11',
  order_id: '1001',
  network: 'mainnet',
  kind: 'BTC',
  status: 'complete',
  final: true,
  amount: { amount: '18.50', currency: 'USD' },
  invoiced: { amount: '0.00037', currency: 'BTC' },
  created_at: '2026-11-21T06:00:00.000000+00:00',
  payments: [],
  refunds: [],
};
const HEADER = { alg: 'EdDSA', typ: 'crypto-checkout-receipt', kid: 'any' };

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

function receipt(
  claims: object = CLAIMS,
  header: object = HEADER,
  key: KeyObject = pair.privateKey,
): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

describe('verifyReceipt', () => {
  test('returns the claims for a key of the caller, as text or as JWK, among others', async () => {
    const other = stranger.publicKey.export({ format: 'jwk' }).x!;
    for (const keys of [[x], [{ x }], [other, x]])
      expect(await verifyReceipt(receipt(), { keys })).toEqual(CLAIMS);
  });

  test('accepts the line break behind a receipt in a file', async () => {
    expect(await verifyReceipt(`${receipt()}\n`, { keys: [x] })).toEqual(CLAIMS);
  });

  test('refuses each changed character', async () => {
    const genuine = receipt();
    for (let at = 0; at < genuine.length - 1; at += 7) {
      const changed = `${genuine.slice(0, at)}${genuine[at] === 'A' ? 'B' : 'A'}${genuine.slice(at + 1)}`;
      await expect(verifyReceipt(changed, { keys: [x] }), String(at)).rejects.toThrow(ReceiptError);
    }
  });

  test.each(['none', 'HS256', 'Ed25519', 'ES256', undefined])(
    'refuses the algorithm %s, also with a valid signature',
    async (alg) => {
      await expect(
        verifyReceipt(receipt(CLAIMS, { ...HEADER, alg }), { keys: [x] }),
      ).rejects.toThrow('EdDSA');
    },
  );

  test('refuses an HMAC with the public key as its secret', async () => {
    const text = `${encoded({ ...HEADER, alg: 'HS256' })}.${encoded(CLAIMS)}`;
    const mac = createHmac('sha256', Buffer.from(x, 'base64url')).update(text).digest('base64url');
    await expect(verifyReceipt(`${text}.${mac}`, { keys: [x] })).rejects.toThrow(ReceiptError);
  });

  test('takes no key from the receipt', async () => {
    const jwk = stranger.publicKey.export({ format: 'jwk' });
    const header = { ...HEADER, jwk, jku: 'https://keys.example/', x5c: ['x'] };
    const forged = receipt(CLAIMS, header, stranger.privateKey);
    await expect(verifyReceipt(forged, { keys: [x] })).rejects.toThrow('one of the keys');
    expect(await verifyReceipt(receipt(CLAIMS, header), { keys: [x] })).toEqual(CLAIMS);
  });

  test.each([
    ['another type', { ...HEADER, typ: 'JWT' }],
    ['no type', { alg: 'EdDSA' }],
    ['a critical extension', { ...HEADER, crit: ['b64'], b64: false }],
  ])('refuses %s', async (_, header) => {
    await expect(verifyReceipt(receipt(CLAIMS, header), { keys: [x] })).rejects.toThrow(
      ReceiptError,
    );
  });

  test('refuses a test network unless asked', async () => {
    const test = receipt({ ...CLAIMS, network: 'testnet' });
    await expect(verifyReceipt(test, { keys: [x] })).rejects.toThrow('allowTestnet');
    expect(await verifyReceipt(test, { keys: [x], allowTestnet: true })).toMatchObject({
      network: 'testnet',
    });
  });

  test.each([
    ['no claims', {}],
    ['a missing claim', { ...CLAIMS, final: undefined }],
    ['a number as amount', { ...CLAIMS, amount: { amount: 18.5, currency: 'USD' } }],
    ['a list', [] as object],
  ])('refuses %s, although it is signed', async (_, claims) => {
    await expect(verifyReceipt(receipt(claims), { keys: [x] })).rejects.toThrow(ReceiptError);
  });

  test.each(['', 'a.b', 'a.b.c.d', '..', `${'a'.repeat(2_000_000)}.b.c`])(
    'refuses a text that is no receipt: %#',
    async (text) => {
      await expect(verifyReceipt(text, { keys: [x] })).rejects.toThrow(ReceiptError);
    },
  );

  test.each([
    ['a.b', 'is not a compact JWS of three parts'],
    [' <!doctype html><p>example.com, a.b.c', 'is a page: its address with ?format=jws'],
    ['{"receipt": "…"}', 'is not a compact JWS of three parts'],
    [`${receipt()}+`, 'is not base64url'],
    [receipt().replace(/[^.]*$/, ''), 'is not signed with one of the keys'],
  ])('names the mistake of a text that is no receipt: %#', async (text, mistake) => {
    await expect(verifyReceipt(text, { keys: [x] })).rejects.toThrow(mistake);
  });

  test('names the keys when there are none', async () => {
    const options = {} as unknown as { keys: string[] };
    await expect(verifyReceipt(receipt(), options)).rejects.toThrow('keys: a list of public keys');
  });

  test.each([[[]], [['']], [['AAAA']], [[{} as { x: string }]], [[null as unknown as string]]])(
    'refuses keys that are none: %j',
    async (keys) => {
      await expect(verifyReceipt(receipt(), { keys })).rejects.toThrow(TypeError);
    },
  );
});
