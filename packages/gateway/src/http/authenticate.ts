import { timingSafeEqual } from 'node:crypto';
import { binaryOfBase64 } from '@crypto-checkout/protocol/bytes';
import {
  decodePayloadBinary,
  normalizePath,
  PayloadError,
} from '@crypto-checkout/protocol/signature';
import type { Context as HonoContext } from 'hono';
import { UNKNOWN_KEY_SECRET } from '../account/keys/unknown-key-secret.ts';
import type { Context } from '../context.ts';
import { statement } from '../database/statement.ts';
import { milliseconds } from '../database/timestamp.ts';
import { addressGroup, isAllowed } from './address.ts';
import type { Account, Env, Key } from './env.ts';
import { ServiceError } from './error.ts';
import { hmacHex } from '../hmac.ts';
import { consumeNonce, refusalReason } from './nonce.ts';
import type { Limits } from './rate-limit.ts';

/** The longest payload header that is accepted. */
export const MAX_PAYLOAD = 32 * 1024;
const MAX_KEY = 256;
const LIST = new Intl.ListFormat('en');

interface Headers3 {
  key: string;
  payload: string;
  /** The decoded payload, one character for each byte. */
  binary: string;
  signature: string;
}

interface Step {
  context: Context;
  limits: Limits;
  /** Answers the request. */
  answer: () => Response | Promise<Response>;
}

/**
 * Authenticates a request. The order is fixed (docs/interface.md, "Order of checks"): cheap checks
 * that reveal nothing come first, and nothing is consumed before the signature is verified. The
 * limit by address runs earlier, in `app.ts`.
 * @throws ServiceError when the request is not authenticated or not allowed
 */
export async function authenticate(
  c: HonoContext<Env>,
  { context, limits, answer }: Step,
): Promise<Response> {
  const { db, clock } = context;
  const headers = readHeaders(c);
  const { rows } = await selectKey(db, { apiKey: headers.key });
  const found = rows[0] ? readKey(context, rows[0]) : null;
  if (!isSigned(headers, found?.secret ?? UNKNOWN_KEY_SECRET, found?.oldSecret ?? null) || !found) {
    limits.countFailure(addressGroup(c.get('caller').address), clock.real());
    throw new ServiceError(
      'InvalidApiKey',
      'The API key is not known, or the signature does not fit the payload and its secret.',
    );
  }
  const { key, account, whitelist } = found;
  if (whitelist.length > 0 && !isAllowed(c.get('caller').address, whitelist))
    throw new ServiceError(
      'IpNotAllowed',
      `The API key may not be used from ${c.get('caller').address}.`,
    );
  const { payload, nonce, request } = decode(headers.binary);
  requireMatch(c, request, payload['method']);
  limits.requireKey(key.id, clock.real());
  const use = { accountId: account.id, keyId: key.id, nonce: String(nonce) };
  const { numAffectedRows } = await consumeNonce(db, use, found.nonceWindow);
  if (numAffectedRows !== 1n)
    throw new ServiceError('InvalidNonce', await refusalReason(db, use, found.nonceWindow));
  c.set('account', account);
  c.set('key', key);
  c.set('payload', payload);
  return answer();
}

function readHeaders(c: HonoContext<Env>): Headers3 {
  const key = headerOf(c, 'x-cc-key');
  const payload = headerOf(c, 'x-cc-payload');
  const signature = headerOf(c, 'x-cc-signature');
  if (payload.length > MAX_PAYLOAD || key.length > MAX_KEY)
    throw new ServiceError(
      'PayloadTooLarge',
      `The payload header may have ${MAX_PAYLOAD} characters, the key ${MAX_KEY}.`,
    );
  if (!isOne(key) || !isOne(payload) || !isOne(signature))
    refuseHeaders({ 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature });
  return { key, payload, binary: requireBase64(payload), signature };
}

/**
 * Reads Node's parsed headers where there is a connection: Hono's `Headers` checks each name and
 * value again.
 */
function headerOf({ env, req }: HonoContext<Env>, name: string): string {
  const parsed = env?.incoming?.headers[name];
  return typeof parsed === 'string' ? parsed : (req.header(name) ?? '');
}

/** A repeated header arrives joined with a comma, which is invalid in all three. */
const isOne = (value: string): boolean => value !== '' && !value.includes(',');

function refuseHeaders(given: Readonly<Record<string, string>>): never {
  const repeated = Object.entries(given).find(([, value]) => value.includes(','));
  if (repeated)
    throw new ServiceError('MissingHeaders', `The header ${repeated[0]} must be sent once.`);
  const missing = Object.keys(given).filter((name) => given[name] === '');
  throw new ServiceError(
    'MissingHeaders',
    `The request needs the ${missing.length > 1 ? 'headers' : 'header'} ${LIST.format(missing)}.`,
  );
}

/** Accepts standard base64 with padding, in canonical form only. */
function requireBase64(payload: string): string {
  const binary = binaryOfBase64(payload);
  if (binary !== null) return binary;
  throw new ServiceError(
    'InvalidPayload',
    'The header X-CC-PAYLOAD must be canonical base64 with padding.',
  );
}

interface FoundKey {
  key: Key;
  account: Account;
  secret: string;
  /** The previous secret, while it is still valid. */
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
  max_payout_daily: string | null;
  whitelist_ip: string[];
  permissions: string[];
  nonce_window: boolean;
  previous_secret_sealed: string | null;
  previous_until_real: string | null;
  account_name: string;
  is_testnet: boolean;
}

const selectKey = statement<{ apiKey: string }, KeyRow>`
  select k.id, k.account_id, k.secret_sealed, k.is_integrator_key, k.max_payout, k.max_payout_daily, k.whitelist_ip, k.permissions, k.nonce_window,
    k.previous_secret_sealed, k.previous_until_real, a.name as account_name, a.is_testnet
  from api_key k join account a on a.id = k.account_id
  where k.api_key = ${'apiKey'}`;

function readKey({ secrets, clock }: Context, row: KeyRow): FoundKey {
  return {
    key: {
      id: row.id,
      accountId: row.account_id,
      permissions: { has: (permission) => row.permissions.includes(permission) },
      maxPayout: row.max_payout,
      maxPayoutDaily: row.max_payout_daily,
      isIntegratorKey: row.is_integrator_key,
    },
    account: { id: row.account_id, name: row.account_name, isTestnet: row.is_testnet },
    secret: secrets.unseal(row.secret_sealed, row.id),
    oldSecret: isStillValid(row, clock.real())
      ? secrets.unseal(row.previous_secret_sealed ?? '', row.id)
      : null,
    whitelist: row.whitelist_ip,
    nonceWindow: row.nonce_window,
  };
}

/** During a rotation both secrets may sign (account/keys/rotate-key.ts). */
function isStillValid(
  { previous_secret_sealed, previous_until_real }: KeyRow,
  now: number,
): boolean {
  return (
    previous_secret_sealed !== null &&
    previous_until_real !== null &&
    now < milliseconds(previous_until_real)
  );
}

function isSigned(headers: Headers3, secret: string, oldSecret: string | null): boolean {
  return isSignedWith(headers, secret) || (oldSecret !== null && isSignedWith(headers, oldSecret));
}

const expected = Buffer.alloc(64);
const given = Buffer.alloc(64);

/**
 * Compares in constant time. A signature of another length is replaced by zeros, which never match.
 */
function isSignedWith({ payload, signature }: Headers3, secret: string): boolean {
  expected.write(hmacHex(secret, payload), 'latin1');
  if (signature.length === given.length) given.write(signature, 'latin1');
  else given.fill(0);
  return timingSafeEqual(given, expected);
}

function decode(binary: string): ReturnType<typeof decodePayloadBinary> {
  try {
    return decodePayloadBinary(binary);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const reason =
      error.about === 'nonce'
        ? 'InvalidNonce'
        : error.about === 'request'
          ? 'EndpointMismatch'
          : 'InvalidPayload';
    throw new ServiceError(reason, sentence(error.message), { cause: error });
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * A payload names its path, and optionally its method: nothing else in a signed request binds it to
 * them.
 */
function requireMatch(c: HonoContext<Env>, request: string, method: unknown): void {
  // The router's path is normalized already.
  if (request !== c.req.path && normalizePath(request) !== c.req.path)
    throw new ServiceError(
      'EndpointMismatch',
      `The member \`request\` must be the path that is requested, ${c.req.path}.`,
    );
  if (method === undefined || method === null) return;
  if (typeof method !== 'string' || method.toUpperCase() !== c.req.method)
    throw new ServiceError(
      'EndpointMismatch',
      `The member \`method\` must be the method that is used, ${c.req.method}, or be left out.`,
    );
}
