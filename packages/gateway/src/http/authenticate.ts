import { timingSafeEqual } from 'node:crypto';
import { decodePayloadBytes, normalizePath, PayloadError } from '@crypto-checkout/protocol/signature';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { UNKNOWN_KEY_SECRET } from '../account/dummy.ts';
import type { Context } from '../context.ts';
import { statement } from '../database/statement.ts';
import { milliseconds } from '../database/timestamp.ts';
import { addressGroup, isAllowed } from './address.ts';
import type { Account, Env, Key } from './env.ts';
import { ServiceError } from './error.ts';
import { hmacHex } from './hmac.ts';
import { consumeNonce, consumeNonceInWindow } from './nonce.ts';
import type { Limits } from './rate-limit.ts';

/** Longest payload header that is accepted. */
export const MAX_PAYLOAD = 32 * 1024;
const MAX_KEY = 256;

interface Headers3 {
  key: string;
  payload: string;
  /** What the payload's base64 stands for. */
  bytes: Buffer;
  signature: string;
}

/**
 * Finds out whose request it is. The order is fixed (decisions, "Order of checks"): what is cheap and says nothing comes first,
 * and nothing is consumed before the signature was right. The limit by address comes before this, in `app.ts`.
 */
export function authenticate(context: Context, limits: Limits): MiddlewareHandler<Env> {
  return async (c, next) => {
    const headers = readHeaders(c);
    const found = await findKey(context, headers.key);
    if (!isSigned(headers, found?.secret ?? UNKNOWN_KEY_SECRET, found?.oldSecret ?? null) || !found) {
      limits.countFailure(addressGroup(c.get('address')), context.clock.real());
      throw new ServiceError('InvalidApiKey', 'The API key is not known, or the signature does not fit the payload and its secret.');
    }
    if (found.whitelist.length > 0 && !isAllowed(c.get('address'), found.whitelist))
      throw new ServiceError('IpNotAllowed', `The API key may not be used from ${c.get('address')}.`);
    const { payload, nonce, request } = decode(headers.bytes);
    requireMatch(c, request, payload['method']);
    limits.requireKey(found.key.id, context.clock.real());
    const consume = found.nonceWindow ? consumeNonceInWindow : consumeNonce;
    if (!(await consume(context.db, found.account.id, found.key.id, nonce)))
      throw new ServiceError('InvalidNonce', `The nonce ${nonce} must be greater than the last one of this API key, and is used once.`);
    c.set('account', found.account);
    c.set('key', found.key);
    c.set('payload', payload);
    return next();
  };
}

const NAMES = ['X-CC-KEY', 'X-CC-PAYLOAD', 'X-CC-SIGNATURE'] as const;

function readHeaders(c: HonoContext<Env>): Headers3 {
  const { headers } = c.req.raw;
  const values = NAMES.map((name) => headers.get(name) ?? '');
  const [key = '', payload = '', signature = ''] = values;
  if (payload.length > MAX_PAYLOAD || key.length > MAX_KEY)
    throw new ServiceError('PayloadTooLarge', `The payload header may have ${MAX_PAYLOAD} characters, the key ${MAX_KEY}.`);
  // A header that comes twice is joined with a comma, which none of the three can hold.
  const repeated = values.findIndex((value) => value.includes(','));
  if (repeated >= 0) throw new ServiceError('MissingHeaders', `The header ${NAMES[repeated]} must be sent once.`);
  const missing = NAMES.filter((_, at) => values[at] === '');
  if (missing.length > 0) throw new ServiceError('MissingHeaders', `The request needs the headers ${missing.join(', ')}.`);
  return { key, payload, bytes: requireBase64(payload), signature };
}

/** Standard base64 with padding, in the one form that encoding gives again. */
function requireBase64(payload: string): Buffer {
  const bytes = Buffer.from(payload, 'base64');
  // Whatever is not in the alphabet is skipped in reading, so it is not there when it is written again.
  if (bytes.toString('base64') === payload) return bytes;
  throw new ServiceError('InvalidPayload', 'The header X-CC-PAYLOAD must be canonical base64 with padding.');
}

interface FoundKey {
  key: Key;
  account: Account;
  secret: string;
  /** The one before, while it still works. */
  oldSecret: string | null;
  whitelist: readonly string[];
  nonceWindow: boolean;
}

interface KeyRow {
  id: string;
  account_id: string;
  secret_sealed: string;
  is_integrator_key: boolean;
  max_payout: string | null;
  whitelist_ip: string[];
  permissions: string[];
  nonce_window: boolean;
  previous_secret_sealed: string | null;
  previous_until_real: string | null;
  account_name: string;
  is_testnet: boolean;
}

const selectKey = statement<{ apiKey: string }, KeyRow>`
  select k.id, k.account_id, k.secret_sealed, k.is_integrator_key, k.max_payout, k.whitelist_ip, k.permissions, k.nonce_window,
    k.previous_secret_sealed, k.previous_until_real, a.name as account_name, a.is_testnet
  from api_key k join account a on a.id = k.account_id
  where k.api_key = ${'apiKey'}`;

async function findKey({ db, secrets, clock }: Context, apiKey: string): Promise<FoundKey | null> {
  const { rows } = await selectKey(db, { apiKey });
  const row = rows[0];
  if (!row) return null;
  return {
    key: {
      id: row.id,
      accountId: row.account_id,
      permissions: { has: (permission) => row.permissions.includes(permission) },
      maxPayout: row.max_payout,
      isIntegratorKey: row.is_integrator_key,
    },
    account: { id: row.account_id, name: row.account_name, isTestnet: row.is_testnet },
    secret: secrets.unseal(row.secret_sealed, row.id),
    oldSecret: isStillValid(row, clock.real()) ? secrets.unseal(row.previous_secret_sealed ?? '', row.id) : null,
    whitelist: row.whitelist_ip,
    nonceWindow: row.nonce_window,
  };
}

/** A key whose secret was changed may let both sign for a while (account/rotate-key.ts). */
function isStillValid({ previous_secret_sealed, previous_until_real }: KeyRow, now: number): boolean {
  return previous_secret_sealed !== null && previous_until_real !== null && now < milliseconds(previous_until_real);
}

function isSigned(headers: Headers3, secret: string, oldSecret: string | null): boolean {
  return isSignedWith(headers, secret) || (oldSecret !== null && isSignedWith(headers, oldSecret));
}

/** In constant time: a signature of another length, which is no secret, is replaced by zeros, which are none. */
function isSignedWith({ payload, signature }: Headers3, secret: string): boolean {
  const expected = Buffer.from(hmacHex(secret, payload));
  const given = Buffer.from(signature);
  return timingSafeEqual(given.length === expected.length ? given : Buffer.alloc(expected.length), expected);
}

function decode(bytes: Buffer): ReturnType<typeof decodePayloadBytes> {
  try {
    return decodePayloadBytes(bytes);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const reason = error.about === 'nonce' ? 'InvalidNonce' : error.about === 'request' ? 'EndpointMismatch' : 'InvalidPayload';
    throw new ServiceError(reason, sentence(error.message), { cause: error });
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** A payload is for one path, and for one method when it says so: nothing else in a signed request names them. */
function requireMatch(c: HonoContext<Env>, request: string, method: unknown): void {
  // The router's path is in normal form already.
  if (normalizePath(request) !== c.req.path)
    throw new ServiceError('EndpointMismatch', `The member \`request\` must be the path that is requested, ${c.req.path}.`);
  if (method === undefined || method === null) return;
  if (typeof method !== 'string' || method.toUpperCase() !== c.req.method)
    throw new ServiceError('EndpointMismatch', `The member \`method\` must be the method that is used, ${c.req.method}, or be left out.`);
}
