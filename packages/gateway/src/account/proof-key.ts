import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { toBase64Url, utf8 } from '@crypto-checkout/protocol/bytes';
import type { Context } from '../context.ts';

/** A public key as a JWK (RFC 8037). */
export interface PublicProofKey {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
}

/** A key pair that signs address proofs and receipts; its private half is sealed. */
export interface SealedProofKey {
  kid: string;
  private_key_sealed: string;
}

/** Ed25519 in PKCS #8 (RFC 8410), without the 32 bytes of the key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A new key pair. The sealed text opens for its `kid` only. */
export function newProofKey({
  ids,
  secrets,
}: Pick<Context, 'ids' | 'secrets'>): SealedProofKey & { public_key: string } {
  const seed = Buffer.from(ids.bytes(32));
  const public_key = publicHalf(createPublicKey(privateKey(seed)).export({ format: 'jwk' }));
  const kid = thumbprint(public_key);
  return { kid, public_key, private_key_sealed: secrets.seal(seed.toString('base64url'), kid) };
}

/** The public key on the wire. */
export const publicProofKey = (row: { kid: string; public_key: string }): PublicProofKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: row.public_key,
  kid: row.kid,
});

/** Signs a text; base64url without padding. */
export function signText(secrets: Context['secrets'], key: SealedProofKey, text: string): string {
  return toBase64Url(sign(null, utf8(text), opened(secrets, key)));
}

/** Every new invoice is signed: a key is opened once. */
const open = new Map<string, KeyObject>();
const MAX_OPEN = 1_000;

function opened(secrets: Context['secrets'], key: SealedProofKey): KeyObject {
  const known = open.get(key.private_key_sealed);
  if (known) return known;
  const text = secrets.unseal(key.private_key_sealed, key.kid);
  const made = privateKey(Buffer.from(text, 'base64url'));
  if (open.size >= MAX_OPEN) open.clear();
  open.set(key.private_key_sealed, made);
  return made;
}

const privateKey = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

function publicHalf({ x }: JsonWebKey): string {
  if (x === undefined) throw new Error('An Ed25519 key has a public half');
  return x;
}

/** RFC 7638: members in alphabetic order, without spaces. */
const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
