import { AmountError, parseAmount } from './amount.ts';
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from './bytes.ts';
import { JsonError, JsonNumber, type JsonValue, parseJson, plainNumber } from './json.ts';
import { nearest } from './nearest.ts';
import type { Hmac } from './signature.ts';

/** What a shop says about an order in a JWT (RFC 7519) that any language can make. */
export interface OrderClaims {
  order_id: string;
  /** Decimal string; a JSON number is read digit by digit. */
  amount: string;
  currency: string;
  /** Seconds since the epoch. */
  exp: number;
  description?: string;
  success_url?: string;
  shop_url?: string;
  /** Coins that the order can be paid with; default all of the profile. */
  kinds?: string[];
}

/** What the shop says must be; for tokens, and for orders that come without one. */
export const MUST = {
  text: (longest: number, least = 0) => `must be a text of ${least === 0 ? 'up' : least} to ${longest} characters, without U+0000`,
  amount: 'must be a decimal string above zero, such as "12.50"',
  plainAmount: 'must be a decimal string without needless zeros in front, such as "12.50"',
  exp: 'must be the seconds since the epoch, not milliseconds, as a number',
  kinds: 'must be a list of kinds, such as ["BTC"]',
} as const;

/** How long each text may be. */
export const LONGEST = { order_id: 200, currency: 12, description: 1000, success_url: 2000, shop_url: 2000 } as const;

const CLAIMS: readonly string[] = [...Object.keys(LONGEST), 'amount', 'exp', 'kinds'];
/** RFC 7519 §4.1: libraries write them by themselves. */
const REGISTERED: readonly string[] = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];
/** Libraries write the very second into `nbf`, by a clock that may be ahead of ours; §4.1.5 lets that pass. */
const LEEWAY_MS = 60_000;

/** Why a token is not an order; `about` says which part of it, or which claim. */
export class OrderTokenError extends Error {
  override readonly name = 'OrderTokenError';
  readonly about: 'token' | 'signature' | 'nbf' | keyof OrderClaims;

  constructor(about: OrderTokenError['about'], message: string) {
    super(message);
    this.about = about;
  }
}

/** The only header that we write. The algorithm is fixed: nothing in a token chooses how it is checked. */
const HEADER = { alg: 'HS256', typ: 'JWT' };
const MAX_TOKEN_LENGTH = 8192;

/**
 * Signs an order token (JWS compact form, HS256).
 * @example await signOrderToken({order_id: '1001', amount: '19.90', currency: 'EUR', exp: 1800000000}, orderSecret, hmac)
 */
export async function signOrderToken(claims: OrderClaims, secret: string, hmac: Hmac): Promise<string> {
  const signed = `${toBase64Url(utf8(JSON.stringify(HEADER)))}.${toBase64Url(utf8(JSON.stringify(claims)))}`;
  return `${signed}.${toBase64Url(await hmac(secret, signed))}`;
}

/**
 * Checks an order token: HS256 and nothing else, an expiry, `nbf` where there is one, and every claim's form.
 * @param options.now milliseconds since the epoch, real time.
 * @returns the claims, and whether the token has expired: an expired one still opens a checkout that exists, never a new one. `ignored`
 * are the claims that nobody here knows, less those of RFC 7519.
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
    throw new OrderTokenError('token', 'the order token is not a JWT of three parts');
  const expected = toBase64Url(await options.hmac(secret, `${header}.${payload}`));
  if (!equalInConstantTime(signature, expected)) throw new OrderTokenError('signature', 'the signature of the order token does not match');
  checkHeader(objectOf(header, 'header'));
  const stated = objectOf(payload, 'payload');
  const claims = claimsOf(stated);
  requireBegun(stated, options.now);
  const ignored = Object.keys(stated).filter((name) => !CLAIMS.includes(name) && !REGISTERED.includes(name));
  return { claims, expired: options.now >= claims.exp * 1000, ignored };
}

function checkHeader(header: JsonObject): void {
  if (header['alg'] !== 'HS256') throw new OrderTokenError('token', 'the algorithm of an order token is HS256');
  // RFC 7515 §4.1.11: extensions that we do not understand must be refused.
  if (header['crit'] !== undefined) throw new OrderTokenError('token', 'an order token has no critical extensions');
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
    const value = parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64Url(part) ?? undefined));
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)) return value;
  } catch (cause) {
    if (!(cause instanceof JsonError) && !(cause instanceof TypeError)) throw cause;
  }
  throw new OrderTokenError('token', `the ${name} of the order token is not a JSON object in base64url`);
}

function text(payload: JsonObject, name: keyof typeof LONGEST): string {
  const value = optionalText(payload, name);
  if (value === undefined || value === '') throw wrong(payload, name, MUST.text(LONGEST[name], 1));
  return value;
}

function optionalText(payload: JsonObject, name: keyof typeof LONGEST): string | undefined {
  const value = payload[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.length > LONGEST[name] || value.includes('\0'))
    throw wrong(payload, name, MUST.text(LONGEST[name]));
  return value;
}

function amountOf(payload: JsonObject): string {
  const value = payload['amount'];
  const amount = value instanceof JsonNumber ? value.source : value;
  if (isOrderAmount(amount)) return amount;
  throw wrong(payload, 'amount', amountRule(amount));
}

/** Whether this is an amount that an order can have, as text: it is shown and told as it is written. */
export function isOrderAmount(amount: unknown): amount is string {
  try {
    return typeof amount === 'string' && parseAmount(amount) > 0n && !NEEDLESS_ZERO.test(amount);
  } catch (cause) {
    if (cause instanceof AmountError) return false;
    throw cause;
  }
}

/** What an order's amount must be, for whoever wrote this one. */
export const amountRule = (amount: unknown): string =>
  typeof amount === 'string' && NEEDLESS_ZERO.test(amount) ? MUST.plainAmount : MUST.amount;

const NEEDLESS_ZERO = /^0\d/;

function expiryOf(payload: JsonObject): number {
  const seconds = secondsOf(payload['exp']);
  if (!(seconds > 0 && seconds < 1e11)) throw wrong(payload, 'exp', MUST.exp);
  return seconds;
}

/** RFC 7519 §4.1.5: before the time that it names, a token must not be taken. */
function requireBegun(payload: JsonObject, now: number): void {
  const value = payload['nbf'];
  if (value === undefined || value === null) return;
  const seconds = secondsOf(value);
  if (!(seconds >= 0 && seconds < 1e11)) throw wrong(payload, 'nbf', MUST.exp);
  if (now + LEEWAY_MS >= seconds * 1000) return;
  const times = `holds from ${iso(seconds * 1000)} (nbf), and it is ${iso(now)}`;
  throw new OrderTokenError('nbf', `the order token${whose(payload)} ${times}: the clocks of both servers must agree`);
}

const secondsOf = (value: JsonValue | undefined): number => (value instanceof JsonNumber ? Number(value.source) : Number.NaN);
const iso = (time: number): string => new Date(time).toISOString().replace('.000', '');

function kindsOf(payload: JsonObject): string[] | undefined {
  const value = payload['kinds'];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0 || value.length > 100 || !value.every((kind) => typeof kind === 'string'))
    throw wrong(payload, 'kinds', MUST.kinds);
  return value;
}

/** The shop's developer reads it: which order, which claim, what it is and what it has to be. */
function wrong(payload: JsonObject, name: 'nbf' | keyof OrderClaims, must: string): OrderTokenError {
  const misspelt = Object.keys(payload).find((one) => !CLAIMS.includes(one) && nearest(one, [name]));
  return new OrderTokenError(name, `the order token${whose(payload)}: ${mistake(name, payload[name], must, misspelt)}`);
}

function whose({ order_id: id }: JsonObject): string {
  return typeof id === 'string' && id !== '' ? ` of ${shown(id)}` : '';
}

/**
 * One mistake as the end of a sentence.
 * @param misspelt a name that stands there and is nearly the one that is missing
 */
export function mistake(name: string, value: unknown, must: string, misspelt?: string): string {
  if (value !== undefined && value !== null) return `${name} ${must}, not ${shown(value)}`;
  return `${name} is missing${misspelt ? ` (${misspelt} is unknown)` : ''}, and ${must}`;
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
  const written = JSON.stringify(value, (_, one: unknown) => (one instanceof JsonNumber ? plainNumber(one.source) : one));
  return written.length > LONGEST_SHOWN ? `${written.slice(0, LONGEST_SHOWN)}…` : written;
}
