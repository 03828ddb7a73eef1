const ENCODER = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/**
 * Decodes canonical base64 with padding (RFC 4648, sections 4 and 3.5); null for every other text,
 * including those that lenient decoders accept.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const binary = binaryOfBase64(text);
  return binary === null ? null : bytesOfBinary(binary);
}

/**
 * Decodes canonical base64 to a text with one character per byte; for ASCII that is the text
 * itself.
 */
export function binaryOfBase64(text: string): string | null {
  try {
    const binary = atob(text);
    // `atob` accepts spaces and missing padding; encoding again reveals them.
    return btoa(binary) === text ? binary : null;
  } catch {
    return null;
  }
}

export function bytesOfBinary(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  // A loop is twenty times as fast as an iterator (measured).
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Base64url without padding (RFC 4648, section 5), as in JWT. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return fromBase64(
    text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .padEnd(Math.ceil(text.length / 4) * 4, '='),
  );
}

/** Compares two texts in a time that depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [utf8(a), utf8(b)];
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at++) difference |= left[at]! ^ (right[at] ?? 0);
  return difference === 0;
}
