import { utf8 } from './bytes.ts';
import type { Hmac } from './signature.ts';

/** Imported keys are kept, so that signing costs one call; a process signs with few keys. */
const MAX_KEPT_KEYS = 32;
const kept = new Map<string, Promise<CryptoKey>>();

/** HMAC-SHA256 by WebCrypto: Node, Bun, Deno, Workers, browsers on https. Only servers hold secrets to sign with. */
export const hmacWebCrypto: Hmac = async (key, message) => {
  const imported = await (typeof key === 'string' ? keptKey(key) : importKey(key));
  const data = typeof message === 'string' ? utf8(message) : new Uint8Array(message);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, data));
};

function keptKey(text: string): Promise<CryptoKey> {
  const found = kept.get(text);
  if (found) return found;
  if (kept.size >= MAX_KEPT_KEYS) kept.clear();
  const imported = importKey(utf8(text));
  kept.set(text, imported);
  return imported;
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}
