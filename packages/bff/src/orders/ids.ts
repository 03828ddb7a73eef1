import type { Hmac } from '@crypto-checkout/protocol/signature';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_BYTES = 16;
const ENVELOPE_LABEL = 'crypto-checkout envelope 1';

/**
 * The id of a checkout: 128 bits of HMAC(order_secret, order_id) in lower-case base32. One order
 * has one id, and it cannot be guessed. It never has the form of an invoice id, which is a UUID.
 */
export async function checkoutIdOf(
  orderId: string,
  orderSecret: string,
  hmac: Hmac,
): Promise<string> {
  return base32((await hmac(orderSecret, orderId)).subarray(0, ID_BYTES));
}

/**
 * The key for the MAC of envelopes. It differs from the key of order tokens, so that neither can
 * stand in for the other.
 */
export async function envelopeKeyOf(orderSecret: string, hmac: Hmac): Promise<Uint8Array> {
  return hmac(orderSecret, ENVELOPE_LABEL);
}

export function isCheckoutId(text: string): boolean {
  return /^[a-z2-7]{26}$/.test(text);
}

/**
 * The id of an invoice in the API's form, from either public form: with dashes, or upper-case
 * without.
 * @example
 * invoiceIdOf('0B8E1C2A4F6D4E8B9A7C5D3F1E2B4A6C') // '0b8e1c2a-4f6d-4e8b-9a7c-5d3f1e2b4a6c'
 */
export function invoiceIdOf(text: string): string | null {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  const parts = /^([0-9A-F]{8})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{12})$/i.exec(text);
  return parts ? parts.slice(1).join('-').toLowerCase() : null;
}

export function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(buffer >> (bits - 5)) & 31];
    buffer &= 31;
  }
  return bits > 0 ? text + ALPHABET[(buffer << (5 - bits)) & 31] : text;
}

/** 128 random bits. */
export function randomId(): string {
  return base32(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}
