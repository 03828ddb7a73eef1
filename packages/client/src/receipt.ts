import { fromBase64Url, utf8 } from '@crypto-checkout/protocol/bytes';
import {
  type Receipt,
  receiptClaims,
  RECEIPT_TYPE,
} from '@crypto-checkout/protocol/schema/receipt';

export interface VerifyReceiptOptions {
  /**
   * Public keys of the account, as base64url or as JWK. The caller gets them from the operator, and
   * never from the receipt or from its sender.
   */
  keys: readonly (string | { readonly x: string })[];
  /** Accepts receipts of test networks, whose money is worth nothing. Default false. */
  allowTestnet?: boolean;
}

/** The receipt is not genuine, or not acceptable. */
export class ReceiptError extends Error {
  override name = 'ReceiptError';
}

/** Far above any receipt: an order has at most some hundred payments. */
const MAX_LENGTH = 1_000_000;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Verifies a receipt offline: a compact JWS (RFC 7515) with EdDSA (RFC 8037), and no other
 * algorithm. Keys inside the receipt (`jwk`, `jku`, `x5c`) are ignored. Whether the money has to
 * stay is the claim `final`.
 * @returns the claims
 * @throws ReceiptError for every receipt that is not signed with one of the keys
 * @throws TypeError for keys that are none, or without Ed25519 in WebCrypto
 * @example const { order_id, final } = await verifyReceipt(jws, { keys: [PUBLIC_KEY] });
 */
export async function verifyReceipt(
  jws: string,
  { keys, allowTestnet = false }: VerifyReceiptOptions,
): Promise<Receipt> {
  if (!Array.isArray(keys)) throw new TypeError('keys: a list of public keys is needed');
  const publicKeys = await Promise.all(keys.map(importKey));
  if (publicKeys.length === 0) throw new TypeError('keys: at least one public key is needed');
  const parts = typeof jws === 'string' && jws.length <= MAX_LENGTH ? jws.trim().split('.') : [];
  const [header, payload, signature] = parts.map(fromBase64Url);
  if (typeof jws === 'string' && jws.trimStart().startsWith('<'))
    throw new ReceiptError(
      'the receipt is a page: its address with ?format=jws has the signed text',
    );
  if (parts.length !== 3) throw new ReceiptError('the receipt is not a compact JWS of three parts');
  if (!header || !payload || !signature)
    throw new ReceiptError('a part of the receipt is not base64url: it was cut or changed');
  requireHeader(parse(header, 'header'));
  const signed = utf8(`${parts[0]}.${parts[1]}`);
  const valid =
    signature.length === SIGNATURE_BYTES &&
    (
      await Promise.all(
        publicKeys.map((key) => crypto.subtle.verify('Ed25519', key, signature, signed)),
      )
    ).includes(true);
  if (!valid) throw new ReceiptError('the receipt is not signed with one of the keys');
  const claims = receiptClaims.safeParse(parse(payload, 'payload'));
  if (!claims.success)
    throw new ReceiptError('the claims are not those of a receipt', { cause: claims.error });
  if (claims.data.network !== 'mainnet' && !allowTestnet)
    throw new ReceiptError(
      `the receipt is of the network "${claims.data.network}", whose money is worth nothing: pass allowTestnet to accept it`,
    );
  return claims.data;
}

async function importKey(key: string | { readonly x: string }): Promise<CryptoKey> {
  const text: unknown = typeof key === 'string' ? key : key?.x;
  const bytes = typeof text === 'string' ? fromBase64Url(text) : null;
  if (bytes?.length !== KEY_BYTES)
    throw new TypeError('keys: a public key is 32 bytes as base64url, or a JWK of Ed25519');
  try {
    return await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  } catch (cause) {
    throw new TypeError('this runtime has no Ed25519 in WebCrypto', { cause });
  }
}

function requireHeader(header: Record<string, unknown>): void {
  if (header['alg'] !== 'EdDSA')
    throw new ReceiptError('the algorithm of a receipt is EdDSA, and no other');
  if (header['typ'] !== RECEIPT_TYPE)
    throw new ReceiptError(`the type of a receipt is ${RECEIPT_TYPE}`);
  // RFC 7515, section 4.1.11: unknown critical extensions must be refused.
  if (header['crit'] !== undefined) throw new ReceiptError('a receipt has no critical extensions');
}

function parse(bytes: Uint8Array, part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new ReceiptError(`the ${part} of the receipt is not JSON`, { cause });
  }
  throw new ReceiptError(`the ${part} of the receipt is not an object`);
}
