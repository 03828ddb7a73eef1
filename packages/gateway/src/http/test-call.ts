import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { ensureFirstStart, type FirstStart } from '../account/first-start.ts';
import type { Context } from '../context.ts';
import { requireDescribed } from '../openapi/test-conform.ts';
import type { Env } from './env.ts';

export interface TestKey {
  key: string;
  secret: string;
}

export interface TestAccount extends FirstStart {
  api: TestKey;
  approve: TestKey;
  bff: TestKey;
}

/** What the first start makes, with the keys in clear. */
export async function testAccount(context: Context): Promise<TestAccount> {
  const made = await ensureFirstStart(context);
  const read = async (id: string): Promise<TestKey> => {
    const row = await context.db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return { key: row.api_key, secret: context.secrets.unseal(row.secret_sealed, id) };
  };
  return { ...made, api: await read(made.api_key_id), approve: await read(made.approve_key_id), bff: await read(made.bff_key_id) };
}

let lastNonce = 1_000n;
export const nextNonce = (): bigint => (lastNonce += 1n);

export interface TestAnswer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any answer
  body: any;
  headers: Headers;
}

/** The three headers of a signed request (§5). */
export function signedHeaders({ key, secret }: TestKey, payload: string): Record<string, string> {
  return { 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': createHmac('sha256', secret).update(payload).digest('hex') };
}

export interface CallOptions {
  query?: string;
  nonce?: bigint;
  headers?: Record<string, string>;
}

/**
 * A signed request. Its answer has to be as the published description says, or the test fails.
 * @param members endpoint parameters; `request` and a fresh nonce are added unless they are among them
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
  const answer = await app.request(path + query, { method, headers: { ...signedHeaders(key, payload), ...headers } });
  const text = await answer.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  if (method !== 'HEAD') requireDescribed(app, { method, path, status: answer.status, body });
  return { status: answer.status, body, headers: answer.headers };
}
