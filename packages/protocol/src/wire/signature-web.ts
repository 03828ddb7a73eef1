import { utf8 } from './bytes.ts';
import type { Hmac } from './signature.ts';

/** Imported keys are cached, so that signing costs one call; a process signs with few keys. */
const MAX_CACHED_KEYS = 32;
const cache = new Map<string, Promise<CryptoKey>>();

/**
 * HMAC-SHA256 by WebCrypto: Node, Bun, Deno, Workers, browsers on https. Only servers hold secrets
 * to sign with.
 */
export const hmacWebCrypto: Hmac = async (key, message) => {
  const imported = await (typeof key === 'string' ? cachedKey(key) : importKey(key));
  const data = typeof message === 'string' ? utf8(message) : new Uint8Array(message);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, data));
};

function cachedKey(text: string): Promise<CryptoKey> {
  const found = cache.get(text);
  if (found) return found;
  if (cache.size >= MAX_CACHED_KEYS) cache.clear();
  const imported = importKey(utf8(text));
  cache.set(text, imported);
  return imported;
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey(
    'raw',
    new Uint8Array(bytes),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
}
