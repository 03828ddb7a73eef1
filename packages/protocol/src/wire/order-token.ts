import { AmountError, parseAmount } from '../amount/amount.ts';
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from './bytes.ts';
import {
  JsonError,
  JsonNumber,
  type JsonValue,
  parseJson,
  plainNumber,
  withoutExponent,
} from './json.ts';
import { closestName } from './spelling.ts';
import type { Hmac } from './signature.ts';

/** The claims of an order token: a JWT (RFC 7519) that a shop can create in any language. */
export interface OrderClaims {
  order_id: string;
  /** Decimal string; a JSON number is read without losing a digit. */
  amount: string;
  currency: string;
  /** Seconds since the epoch. */
  exp: number;
  description?: string;
  success_url?: string;
  shop_url?: string;
  /** Allowed coins. Default: all of the profile. */
  kinds?: string[];
}

/**
 * The rules of the claims, as the end of an error message. For tokens and for orders without one.
 */
export const CLAIM_RULES = {
  text: (longest: number, least = 0) =>
    `must be a text of ${least === 0 ? 'up' : least} to ${longest} characters, without U+0000`,
  amount: 'must be a decimal string above zero, such as "12.50"',
  shortAmount: 'must have at most 18 digits before and 18 after the decimal point',
  plainAmount: 'must be a decimal string without needless zeros in front, such as "12.50"',
  exp: 'must be the seconds since the epoch, not milliseconds, as a number',
  kinds: 'must be a list of kinds, such as ["BTC"]',
} as const;

/** Maximum lengths of the text claims. */
export const MAX_LENGTHS = {
  order_id: 200,
  currency: 12,
  description: 1000,
  success_url: 2000,
  shop_url: 2000,
} as const;

const CLAIMS: readonly string[] = [...Object.keys(MAX_LENGTHS), 'amount', 'exp', 'kinds'];
/** Registered claims (RFC 7519, section 4.1), which libraries add by themselves. */
const REGISTERED: readonly string[] = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];
/**
 * Libraries set `nbf` to the current second of a clock that can be ahead of ours; RFC 7519, section
 * 4.1.5, allows this leeway.
 */
const LEEWAY_MS = 60_000;

/** The token is invalid; `about` names the part or the claim. */
export class OrderTokenError extends Error {
  override readonly name = 'OrderTokenError';
  readonly about: 'token' | 'signature' | 'signature_form' | 'nbf' | keyof OrderClaims;

  constructor(about: OrderTokenError['about'], message: string) {
    super(message);
    this.about = about;
  }
}

/** The algorithm is fixed: a token never chooses how it is verified. */
const HEADER = { alg: 'HS256', typ: 'JWT' };
const MAX_TOKEN_LENGTH = 8192;

/**
 * Signs an order token (JWS compact form, HS256).
 * @example
 * const claims = {order_id: '1001', amount: '19.90', currency: 'EUR', exp: 1800000000};
 * await signOrderToken(claims, orderSecret, hmac)
 */
export async function signOrderToken(
  claims: OrderClaims,
  secret: string,
  hmac: Hmac,
): Promise<string> {
  const signed = `${toBase64Url(utf8(JSON.stringify(HEADER)))}.${toBase64Url(utf8(JSON.stringify(claims)))}`;
  return `${signed}.${toBase64Url(await hmac(secret, signed))}`;
}

/**
 * Verifies an order token: HS256 only, an expiry, `nbf` if present, and the format of every claim.
 * @param options.now milliseconds since the epoch, real time.
 * @returns the claims, and whether the token has expired: an expired token opens an existing
 * checkout, but no new one. `ignored` lists unknown claims, without those of RFC 7519.
 * @throws OrderTokenError
 */
export async function verifyOrderToken(
  token: string,
  secret: string,
  options: { now: number; hmac: Hmac },
): Promise<{ claims: OrderClaims; expired: boolean; ignored: string[] }> {
  if (secret === '') throw new OrderTokenError('token', 'there is no secret to verify with');
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature)
    throw new OrderTokenError(
      'token',
      `the order token is not a JWT of three parts, but ${token === '' ? 'empty' : quoted(token)}`,
    );
  await requireSignature({ signed: `${header}.${payload}`, signature }, secret, options.hmac);
  checkHeader(objectOf(header, 'header'));
  const stated = objectOf(payload, 'payload');
  const claims = claimsOf(stated);
  requireNotBefore(stated, options.now);
  const ignored = Object.keys(stated).filter(
    (name) => !CLAIMS.includes(name) && !REGISTERED.includes(name),
  );
  return { claims, expired: options.now >= claims.exp * 1000, ignored };
}

/** Names the two usual mistakes, which only a holder of the secret can make. */
async function requireSignature(
  { signed, signature }: { signed: string; signature: string },
  secret: string,
  hmac: Hmac,
): Promise<void> {
  const expected = toBase64Url(await hmac(secret, signed));
  if (equalInConstantTime(signature, expected)) return;
  const message = 'the signature of the order token does not match';
  const plain = signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (equalInConstantTime(plain, expected))
    throw new OrderTokenError(
      'signature_form',
      `${message}: it is in base64, and has to be in base64url`,
    );
  const bytes = /^(?:[\da-f]{2})+$/i.test(secret) ? bytesOfHex(secret) : null;
  if (bytes !== null && equalInConstantTime(plain, toBase64Url(await hmac(bytes, signed))))
    throw new OrderTokenError(
      'signature_form',
      `${message}: the secret was decoded from hex, and has to be used as text`,
    );
  throw new OrderTokenError('signature', message);
}

const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function checkHeader(header: JsonObject): void {
  if (header['alg'] !== 'HS256')
    throw new OrderTokenError('token', 'the algorithm of an order token is HS256');
  // RFC 7515, section 4.1.11: unknown critical extensions must be refused.
  if (header['crit'] !== undefined)
    throw new OrderTokenError('token', 'an order token has no critical extensions');
}

function claimsOf(payload: JsonObject): OrderClaims {
  const order_id = text(payload, 'order_id');
  const amount = amountOf(payload);
  const currency = text(payload, 'currency');
  const exp = expiryOf(payload);
  const description = optionalText(payload, 'description');
  const success_url = optionalText(payload, 'success_url');
  const shop_url = optionalText(payload, 'shop_url');
  const kinds = kindsOf(payload);
  return {
    order_id,
    amount,
    currency,
    exp,
    ...(description !== undefined && { description }),
    ...(success_url !== undefined && { success_url }),
    ...(shop_url !== undefined && { shop_url }),
    ...(kinds !== undefined && { kinds }),
  };
}

type JsonObject = { [member: string]: JsonValue };

function objectOf(part: string, name: string): JsonObject {
  try {
    const value = parseJson(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        fromBase64Url(part) ?? undefined,
      ),
    );
    if (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof JsonNumber)
    )
      return value;
  } catch (cause) {
    if (!(cause instanceof JsonError) && !(cause instanceof TypeError)) throw cause;
  }
  throw new OrderTokenError(
    'token',
    `the ${name} of the order token is not a JSON object in base64url`,
  );
}

function text(payload: JsonObject, name: keyof typeof MAX_LENGTHS): string {
  const value = optionalText(payload, name);
  if (value === undefined || value === '')
    throw claimError(payload, name, CLAIM_RULES.text(MAX_LENGTHS[name], 1));
  return value;
}

function optionalText(payload: JsonObject, name: keyof typeof MAX_LENGTHS): string | undefined {
  const value = payload[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.length > MAX_LENGTHS[name] || value.includes('\0'))
    throw claimError(payload, name, CLAIM_RULES.text(MAX_LENGTHS[name]));
  return value;
}

function amountOf(payload: JsonObject): string {
  const value = payload['amount'];
  const amount = value instanceof JsonNumber ? withoutExponent(value.source) : value;
  if (isOrderAmount(amount)) return amount;
  throw claimError(payload, 'amount', amountRule(amount));
}

/**
 * Whether a text is a valid order amount. Leading zeros are refused, because the text is displayed
 * unchanged.
 */
export function isOrderAmount(amount: unknown): amount is string {
  try {
    return typeof amount === 'string' && parseAmount(amount) > 0n && !LEADING_ZERO.test(amount);
  } catch (cause) {
    if (cause instanceof AmountError) return false;
    throw cause;
  }
}

/** The rule that this amount breaks. */
export function amountRule(amount: unknown): string {
  if (typeof amount !== 'string') return CLAIM_RULES.amount;
  if (LEADING_ZERO.test(amount)) return CLAIM_RULES.plainAmount;
  return TOO_LONG.test(amount) ? CLAIM_RULES.shortAmount : CLAIM_RULES.amount;
}

const TOO_LONG = /^(?:\d{19,}(?:\.\d+)?|\d+\.\d{19,})$/;

const LEADING_ZERO = /^0\d/;

function expiryOf(payload: JsonObject): number {
  const seconds = secondsOf(payload['exp']);
  if (!(seconds > 0 && seconds < 1e11)) throw claimError(payload, 'exp', CLAIM_RULES.exp);
  return seconds;
}

/** RFC 7519, section 4.1.5: a token must not be accepted before its `nbf`. */
function requireNotBefore(payload: JsonObject, now: number): void {
  const value = payload['nbf'];
  if (value === undefined || value === null) return;
  const seconds = secondsOf(value);
  if (!(seconds >= 0 && seconds < 1e11)) throw claimError(payload, 'nbf', CLAIM_RULES.exp);
  if (now + LEEWAY_MS >= seconds * 1000) return;
  const times = `holds from ${iso(seconds * 1000)} (nbf), and it is ${iso(now)}`;
  throw new OrderTokenError(
    'nbf',
    `the order token${orderPhrase(payload)} ${times}: the clocks of both servers must agree`,
  );
}

const secondsOf = (value: JsonValue | undefined): number =>
  value instanceof JsonNumber ? Number(value.source) : Number.NaN;
const iso = (time: number): string => new Date(time).toISOString().replace('.000', '');

function kindsOf(payload: JsonObject): string[] | undefined {
  const value = payload['kinds'];
  if (value === undefined || value === null) return undefined;
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    value.length > 100 ||
    !value.every((kind) => typeof kind === 'string')
  )
    throw claimError(payload, 'kinds', CLAIM_RULES.kinds);
  return value;
}

/** The message names the order, the claim, its value and the rule, for the shop's developer. */
function claimError(
  payload: JsonObject,
  name: 'nbf' | keyof OrderClaims,
  must: string,
): OrderTokenError {
  const misspelled = Object.keys(payload).find(
    (one) => !CLAIMS.includes(one) && closestName(one, [name]),
  );
  return new OrderTokenError(
    name,
    `the order token${orderPhrase(payload)}: ${describeMistake(name, payload[name], must, misspelled)}`,
  );
}

function orderPhrase({ order_id: id }: JsonObject): string {
  return typeof id === 'string' && id !== '' ? ` of ${quoted(id)}` : '';
}

/**
 * Describes one mistake, as the end of a sentence.
 * @param misspelled an unknown name that resembles the missing one
 */
export function describeMistake(
  name: string,
  value: unknown,
  must: string,
  misspelled?: string,
): string {
  if (value !== undefined && value !== null) return `${name} ${must}, not ${quoted(value)}`;
  return `${name} is missing${misspelled ? ` (${misspelled} is unknown)` : ''}, and ${must}`;
}

const MAX_QUOTED = 60;

function quoted(value: unknown): string {
  const written = JSON.stringify(value, (_, one: unknown) =>
    one instanceof JsonNumber ? plainNumber(one.source) : one,
  );
  return written.length > MAX_QUOTED ? `${written.slice(0, MAX_QUOTED)}…` : written;
}
