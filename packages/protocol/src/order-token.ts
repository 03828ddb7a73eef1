import { AmountError, parseAmount } from './amount.ts';
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from './bytes.ts';
import { JsonError, JsonNumber, type JsonValue, parseJson } from './json.ts';
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

/** Why a token is not an order; `about` says which part of it, or which claim. */
export class OrderTokenError extends Error {
  override readonly name = 'OrderTokenError';
  readonly about: 'token' | 'signature' | keyof OrderClaims;

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
 * Checks an order token: HS256 and nothing else, an expiry, and every claim's form.
 * @param options.now milliseconds since the epoch, real time.
 * @returns the claims, and whether the token has expired: an expired one still opens a checkout that exists, never a new one.
 * @throws OrderTokenError
 */
export async function verifyOrderToken(
  token: string,
  secret: string,
  options: { now: number; hmac: Hmac },
): Promise<{ claims: OrderClaims; expired: boolean }> {
  if (secret === '') throw new OrderTokenError('token', 'there is no secret to verify with');
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature)
    throw new OrderTokenError('token', 'the order token is not a JWT of three parts');
  const expected = toBase64Url(await options.hmac(secret, `${header}.${payload}`));
  if (!equalInConstantTime(signature, expected)) throw new OrderTokenError('signature', 'the signature of the order token does not match');
  checkHeader(objectOf(header, 'header'));
  const claims = claimsOf(objectOf(payload, 'payload'));
  return { claims, expired: options.now >= claims.exp * 1000 };
}

function checkHeader(header: JsonObject): void {
  if (header['alg'] !== 'HS256') throw new OrderTokenError('token', 'the algorithm of an order token is HS256');
  // RFC 7515 §4.1.11: extensions that we do not understand must be refused.
  if (header['crit'] !== undefined) throw new OrderTokenError('token', 'an order token has no critical extensions');
}

function claimsOf(payload: JsonObject): OrderClaims {
  const order_id = text(payload, 'order_id', 200);
  const currency = text(payload, 'currency', 12);
  const description = optionalText(payload, 'description', 1000);
  const success_url = optionalText(payload, 'success_url', 2000);
  const shop_url = optionalText(payload, 'shop_url', 2000);
  const kinds = kindsOf(payload['kinds']);
  return {
    order_id,
    amount: amountOf(payload['amount']),
    currency,
    exp: expiryOf(payload['exp']),
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

function text(payload: JsonObject, name: keyof OrderClaims, longest: number): string {
  const value = optionalText(payload, name, longest);
  if (value === undefined || value === '') throw new OrderTokenError(name, `an order token needs the claim ${name}`);
  return value;
}

function optionalText(payload: JsonObject, name: keyof OrderClaims, longest: number): string | undefined {
  const value = payload[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.length > longest || value.includes('\0'))
    throw new OrderTokenError(name, `the claim ${name} is a text of up to ${longest} characters, without U+0000`);
  return value;
}

function amountOf(value: JsonValue | undefined): string {
  const amount = value instanceof JsonNumber ? value.source : value;
  try {
    if (typeof amount === 'string' && parseAmount(amount) > 0n) return amount;
  } catch (cause) {
    if (!(cause instanceof AmountError)) throw cause;
  }
  throw new OrderTokenError('amount', 'the claim amount is a decimal string above zero');
}

function expiryOf(value: JsonValue | undefined): number {
  const seconds = value instanceof JsonNumber ? Number(value.source) : Number.NaN;
  if (!(seconds > 0 && seconds < 1e11)) throw new OrderTokenError('exp', 'an order token needs the claim exp, seconds since the epoch');
  return seconds;
}

function kindsOf(value: JsonValue | undefined): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0 || value.length > 100 || !value.every((kind) => typeof kind === 'string'))
    throw new OrderTokenError('kinds', 'the claim kinds is a list of kinds');
  return value;
}
