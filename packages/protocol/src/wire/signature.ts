import { binaryOfBase64, bytesOfBinary, toBase64, toHex, utf8 } from './bytes.ts';
import {
  JsonError,
  JsonNumber,
  type JsonValue,
  parseJson,
  parseJsonWith,
  withoutExponent,
  writeJson,
} from './json.ts';

/**
 * HMAC-SHA256, injected: `node:crypto` on Node, `hmacWebCrypto` of `signature-web` elsewhere. Texts
 * are UTF-8.
 * @example const hmac: Hmac = (key, message) => createHmac('sha256', key).update(message).digest();
 */
export type Hmac = (
  key: string | Uint8Array,
  message: string | Uint8Array,
) => Uint8Array | Promise<Uint8Array>;

/** The three headers of every request. */
export const KEY_HEADER = 'X-CC-KEY';
export const PAYLOAD_HEADER = 'X-CC-PAYLOAD';
export const SIGNATURE_HEADER = 'X-CC-SIGNATURE';

/** Digits in a nonce; nanoseconds since the epoch need 19. */
export const MAX_NONCE_DIGITS = 38;

/** The payload is invalid; `about` names the part. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly about: 'payload' | 'nonce' | 'request';

  constructor(about: 'payload' | 'nonce' | 'request', message: string, options?: ErrorOptions) {
    super(message, options);
    this.about = about;
  }
}

/**
 * A payload member. A number that a double holds exactly (an integer up to 2^53) is a `number`. Any
 * other number is its text without an exponent, so `0.10` becomes `'0.10'`, `2e-5` becomes
 * `'0.00002'`, and no amount ever passes through a double.
 */
export type PayloadValue = null | boolean | string | number | PayloadValue[] | Payload;
export interface Payload {
  [member: string]: PayloadValue;
}

export interface DecodedPayload {
  /**
   * All members, `request` and `nonce` included. A `passthrough` that is not a string becomes its
   * JSON text, digit by digit.
   */
  payload: Payload;
  nonce: bigint;
  request: string;
}

/**
 * The value of the `X-CC-PAYLOAD` header: base64 of the JSON object, with the nonce as an integer
 * with all digits.
 * @param members endpoint parameters and `request`.
 * @throws PayloadError when the nonce is not 1 to 38 digits.
 * @example encodePayload({request: '/v1/invoices/'}, 1700000000000000001n)
 */
export function encodePayload(
  members: Readonly<Record<string, unknown>>,
  nonce: bigint | string,
): string {
  const digits = String(nonce);
  if (!isNonce(digits))
    throw new PayloadError('nonce', `a nonce is 1 to ${MAX_NONCE_DIGITS} digits`);
  const { nonce: _, ...rest } = members;
  const json = JSON.stringify(rest);
  return toBase64(utf8(`${json.slice(0, -1)}${json === '{}' ? '' : ','}"nonce":${digits}}`));
}

/**
 * Decodes the header's value: canonical base64, UTF-8, a JSON object without duplicate members,
 * `__proto__` or more than 32 levels, with a `request` and a nonce (an integer or a string of up to
 * 38 digits). Takes linear time.
 * @throws PayloadError and no other error
 */
export function decodePayload(base64: string): DecodedPayload {
  const binary = binaryOfBase64(base64);
  if (binary === null)
    throw new PayloadError('payload', 'the payload is not canonical base64 with padding');
  return decodePayloadBinary(binary);
}

/**
 * Decodes a payload whose base64 was already decoded.
 * @param binary one character per byte
 * @throws PayloadError and no other error
 */
export function decodePayloadBinary(binary: string): DecodedPayload {
  const text = textOf(binary);
  const payload = parseObject(text);
  const { request, passthrough } = payload;
  const nonce = nonceOf(hasExponent(text) ? nonceSource(text) : payload['nonce']);
  if (typeof request !== 'string')
    throw new PayloadError(
      'request',
      'the payload needs a member `request`, the path that is requested',
    );
  if (passthrough !== undefined && passthrough !== null && typeof passthrough !== 'string')
    payload['passthrough'] = passthroughOf(text);
  return { payload, nonce, request };
}

/**
 * Normalizes a path for comparison: without query, without repeated slashes, with a trailing slash.
 * @example normalizePath('//v1/invoices?p=2') // '/v1/invoices/'
 */
export function normalizePath(path: string): string {
  // Fast path: most paths are already normal.
  if (NORMAL_PATH.test(path)) return path;
  return `/${path.split('?', 1)[0]}/`.replace(/\/{2,}/g, '/');
}

const NORMAL_PATH = /^\/(?:[^/?]+\/)*$/;

/**
 * The value of the `X-CC-SIGNATURE` header: lower-case hex of HMAC-SHA256 over the base64 text,
 * keyed with the secret.
 */
export async function signPayload(base64: string, secret: string, hmac: Hmac): Promise<string> {
  return toHex(await hmac(secret, base64));
}

function isNonce(digits: string): boolean {
  return digits.length <= MAX_NONCE_DIGITS && /^\d+$/.test(digits);
}

function nonceOf(value: PayloadValue | undefined): bigint {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits === 'string' && isNonce(digits)) return BigInt(digits);
  throw new PayloadError(
    'nonce',
    `the payload needs a member \`nonce\`, an integer or a string of 1 to ${MAX_NONCE_DIGITS} digits`,
  );
}

const hasExponent = (text: string): boolean => /\d[eE][+-]?\d/.test(text);

/**
 * The nonce as it is written. A nonce with an exponent is refused: it comes from a double, which
 * has lost the digits that make nonces differ.
 */
function nonceSource(text: string): PayloadValue | undefined {
  const { nonce } = parseJson(text) as { nonce?: JsonValue };
  if (nonce instanceof JsonNumber) return nonce.source;
  return typeof nonce === 'string' ? nonce : undefined;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(binary: string): string {
  // Fast path: most payloads are ASCII, which needs no decoding.
  if (!/[^\0-\x7f]/.test(binary)) return binary;
  try {
    return strictUtf8.decode(bytesOfBinary(binary));
  } catch (cause) {
    throw new PayloadError('payload', 'the payload is not UTF-8', { cause });
  }
}

function parseObject(text: string): Payload {
  let value: PayloadValue;
  try {
    value = parseJsonWith(text, exactNumber);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new PayloadError('payload', `the payload is ${cause.message}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new PayloadError('payload', 'the payload is not a JSON object');
}

/** Parses again without losing digits: shops sign their passthrough. */
function passthroughOf(text: string): string {
  const { passthrough = null } = parseJson(text) as { passthrough?: JsonValue };
  return writeJson(passthrough);
}

/** A number only if a double represents it exactly; otherwise its text, without an exponent. */
function exactNumber(source: string): number | string {
  const number = Number(source);
  const plain = withoutExponent(source);
  return Number.isSafeInteger(number) && String(number) === plain ? number : plain;
}
