import { failure } from '../server/checkout-server.ts';

const KEY_BYTES = 32;

/** Bytes of base64url without padding; null for any other text. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (letter) => letter.codePointAt(0)!);
  } catch {
    return null;
  }
}

/**
 * The public keys of the attribute, separated by spaces.
 * @throws Failure `setup` for a key that is none
 */
export function keysOf(attribute: string): Uint8Array<ArrayBuffer>[] {
  return attribute
    .trim()
    .split(/\s+/)
    .map((text) => {
      const bytes = bytesOf(text);
      if (bytes?.length === KEY_BYTES) return bytes;
      throw failure('setup', `proof-key: "${text.slice(0, 60)}" is no public key of Ed25519`);
    });
}

/**
 * Whether one of the keys signed the text.
 * @throws Failure `setup` in a page without WebCrypto, which only secure pages have
 */
export async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signature: unknown,
  text: string,
): Promise<boolean> {
  const bytes = typeof signature === 'string' ? bytesOf(signature) : null;
  if (!globalThis.crypto?.subtle)
    throw failure('setup', 'proof-key: a page without https can verify nothing');
  const message = new TextEncoder().encode(text);
  for (const key of keys) if (bytes && (await verify(key, bytes, message))) return true;
  return false;
}

async function verify(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { subtle } = crypto;
  const imported = await subtle
    .importKey('raw', key, 'Ed25519', false, ['verify'])
    .catch(() => null);
  if (imported) return subtle.verify('Ed25519', imported, signature, message);
  const { verifyEd25519 } = await import('./ed25519.ts');
  return verifyEd25519(
    key,
    signature,
    message,
    async (bytes) => new Uint8Array(await subtle.digest('SHA-512', bytes)),
  );
}
