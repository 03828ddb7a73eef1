import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { ensureFirstStart, type FirstStart } from '../../src/account/first-start.ts';
import { loadConfig, type Config } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { checkConformance } from './openapi-conformance.ts';
import type { Env } from '../../src/http/env.ts';

/** A configuration without limits of requests. */
export const testConfig = (settings: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    RATE_LIMIT_RPS: '100000',
    RATE_LIMIT_BURST: '100000',
    ...settings,
  });

export interface TestKey {
  key: string;
  secret: string;
}

export interface TestAccount extends FirstStart {
  api: TestKey;
  approve: TestKey;
  bff: TestKey;
}

/** The account that the first start creates, with the secrets of its keys. */
export async function testAccount(context: Context): Promise<TestAccount> {
  const account = await ensureFirstStart(context);
  const read = async (id: string): Promise<TestKey> => {
    const row = await context.db
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { key: row.api_key, secret: context.secrets.unseal(row.secret_sealed, id) };
  };
  return {
    ...account,
    api: await read(account.api_key_id),
    approve: await read(account.approve_key_id),
    bff: await read(account.bff_key_id),
  };
}

/** The ids of an account's wallets, by chain. */
export async function walletsOf(
  { db }: Pick<Context, 'db'>,
  accountId: string,
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('wallet')
    .select(['chain', 'id'])
    .where('account_id', '=', accountId)
    .execute();
  return new Map(rows.map(({ chain, id }) => [chain, id]));
}

let lastNonce = 1_000n;
export const nextNonce = (): bigint => (lastNonce += 1n);

export interface TestAnswer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any answer
  body: any;
  headers: Headers;
}

/** The three headers of a signed request (docs/interface.md, "Headers"). */
export function signedHeaders({ key, secret }: TestKey, payload: string): Record<string, string> {
  return {
    'X-CC-KEY': key,
    'X-CC-PAYLOAD': payload,
    'X-CC-SIGNATURE': createHmac('sha256', secret).update(payload).digest('hex'),
  };
}

export interface CallOptions {
  query?: string;
  nonce?: bigint;
  headers?: Record<string, string>;
}

/**
 * Sends a signed request and checks the answer against the published OpenAPI description.
 * @param members endpoint parameters; `request` and a fresh nonce are added unless they are
 * included
 */
export async function call(
  app: Hono<Env>,
  key: TestKey,
  method: string,
  path: string,
  members: Record<string, unknown> = {},
  { query = '', nonce = nextNonce(), headers = {} }: CallOptions = {},
): Promise<TestAnswer> {
  const payload = encodePayload({ request: path, ...members }, nonce);
  const answer = await app.request(path + query, {
    method,
    headers: { ...signedHeaders(key, payload), ...headers },
  });
  const text = await answer.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  if (method !== 'HEAD') checkConformance(app, { method, path, status: answer.status, body });
  return { status: answer.status, body, headers: answer.headers };
}
