import { binaryOfBase64, bytesOfBinary, toBase64, toHex, utf8 } from './bytes.ts';
import { JsonError, type JsonValue, parseJson, parseJsonWith, writeJson } from './json.ts';

/**
 * HMAC-SHA256, handed in: `node:crypto` on Node, `hmacWebCrypto` of `signature-web` elsewhere. Texts are taken as UTF-8.
 * @example const hmac: Hmac = (key, message) => createHmac('sha256', key).update(message).digest();
 */
export type Hmac = (key: string | Uint8Array, message: string | Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Names of the three headers that every request carries (§5). */
export const KEY_HEADER = 'X-CC-KEY';
export const PAYLOAD_HEADER = 'X-CC-PAYLOAD';
export const SIGNATURE_HEADER = 'X-CC-SIGNATURE';

/** Digits that a nonce may have: nanoseconds since the epoch need 19. */
export const MAX_NONCE_DIGITS = 38;

/** The payload is not what is accepted; `about` says which part of it. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly about: 'payload' | 'nonce' | 'request';

  constructor(about: 'payload' | 'nonce' | 'request', message: string, options?: ErrorOptions) {
    super(message, options);
    this.about = about;
  }
}

/**
 * A payload member. A number that a double holds exactly as it was written (an integer up to 2^53) is a `number`; any other number is
 * the text that was sent, so `0.10` arrives as `'0.10'` and no amount ever passes through a double.
 */
export type PayloadValue = null | boolean | string | number | PayloadValue[] | Payload;
export interface Payload {
  [member: string]: PayloadValue;
}

export interface DecodedPayload {
  /** All members, `request` and `nonce` included. A `passthrough` that is no string is its JSON text, digit by digit. */
  payload: Payload;
  nonce: bigint;
  request: string;
}

/**
 * The text of the `X-CC-PAYLOAD` header: base64 of the JSON object with its nonce, the nonce written as an integer with all digits.
 * @param members endpoint parameters and `request`.
 * @throws PayloadError when the nonce is not 1 to 38 digits.
 * @example encodePayload({request: '/v1/invoices/'}, 1700000000000000001n)
 */
export function encodePayload(members: Readonly<Record<string, unknown>>, nonce: bigint | string): string {
  const digits = String(nonce);
  if (!isNonce(digits)) throw new PayloadError('nonce', `a nonce is 1 to ${MAX_NONCE_DIGITS} digits`);
  const { nonce: _, ...rest } = members;
  const json = JSON.stringify(rest);
  return toBase64(utf8(`${json.slice(0, -1)}${json === '{}' ? '' : ','}"nonce":${digits}}`));
}

/**
 * Reads the header's text: canonical base64, UTF-8, a JSON object without duplicate members, `__proto__` or more than 32 levels,
 * with a `request` and a nonce (an integer or a string of digits, up to 38).
 * @throws PayloadError and nothing else, in a time that grows with the text's length only.
 */
export function decodePayload(base64: string): DecodedPayload {
  const binary = binaryOfBase64(base64);
  if (binary === null) throw new PayloadError('payload', 'the payload is not canonical base64 with padding');
  return decodePayloadBinary(binary);
}

/**
 * The same for what the base64 stands for, where that was read already.
 * @param binary a character for each byte
 * @throws PayloadError and nothing else
 */
export function decodePayloadBinary(binary: string): DecodedPayload {
  const text = textOf(binary);
  const payload = parseObject(text);
  const { request, passthrough } = payload;
  const nonce = nonceOf(payload['nonce']);
  if (typeof request !== 'string') throw new PayloadError('request', 'the payload needs a member `request`, the path that is requested');
  if (passthrough !== undefined && passthrough !== null && typeof passthrough !== 'string') payload['passthrough'] = passthroughOf(text);
  return { payload, nonce, request };
}

/**
 * The form in which paths are compared: query dropped, repeated slashes collapsed, trailing slash added.
 * @example normalizePath('//v1/invoices?p=2') // '/v1/invoices/'
 */
export function normalizePath(path: string): string {
  // Nearly always it is in that form already.
  if (NORMAL_PATH.test(path)) return path;
  return `/${path.split('?', 1)[0]}/`.replace(/\/{2,}/g, '/');
}

const NORMAL_PATH = /^\/(?:[^/?]+\/)*$/;

/** The text of the `X-CC-SIGNATURE` header: lower-case hex of HMAC-SHA256 over the base64 text, keyed with the secret (§5). */
export async function signPayload(base64: string, secret: string, hmac: Hmac): Promise<string> {
  return toHex(await hmac(secret, base64));
}

function isNonce(digits: string): boolean {
  return digits.length <= MAX_NONCE_DIGITS && /^\d+$/.test(digits);
}

function nonceOf(value: PayloadValue | undefined): bigint {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits === 'string' && isNonce(digits)) return BigInt(digits);
  throw new PayloadError('nonce', `the payload needs a member \`nonce\`, an integer or a string of 1 to ${MAX_NONCE_DIGITS} digits`);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(binary: string): string {
  // Nearly always it is ASCII, which needs no decoding.
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

/** Read once more, with every digit: shops sign what they pass through. */
function passthroughOf(text: string): string {
  const { passthrough = null } = parseJson(text) as { passthrough?: JsonValue };
  return writeJson(passthrough);
}

/** A number only where a double is what was written: anything else would be read back as another amount. */
function exactNumber(source: string): number | string {
  const number = Number(source);
  return Number.isSafeInteger(number) && String(number) === source ? number : source;
}
