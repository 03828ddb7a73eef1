import { expect, it } from 'vitest';
import vectors from '../../../protocol/test/vectors/address-proof.json' with { type: 'json' };
import { newProofKey, publicProofKey, signText } from './proof-key.ts';
import { createSecrets } from './secrets.ts';

/** The private key of RFC 8032, section 7.1, TEST 1. */
const PRIVATE_KEY = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';

const secrets = createSecrets(new Uint8Array(32));
const key = newProofKey({
  secrets,
  ids: { uuid: () => '', bytes: () => Buffer.from(PRIVATE_KEY, 'hex') },
});

it('has the public half and the thumbprint of RFC 8032 and RFC 8037', () => {
  expect(publicProofKey(key)).toEqual({
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  });
});

it.each(vectors.cases)('signs $why as the vector says', ({ text, signature }) => {
  expect(signText(secrets, key, text)).toBe(signature);
});

it('opens its sealed private half for its own kid only', () => {
  expect(key.private_key_sealed).toMatch(/^v1\./);
  expect(() => secrets.unseal(key.private_key_sealed, 'another')).toThrow('another key');
});
