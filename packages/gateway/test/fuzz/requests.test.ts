import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createApp } from '../../src/app.ts';
import { nextNonce, signedHeaders, type TestKey } from '../support/call.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { createAccountFixture, type AccountFixture } from '../every-route/account-fixture.ts';
import { requestOf, routesOf, type Route } from '../every-route/requests.ts';
import { fuzzParameters, checkCpuTime, timeout } from './budget.ts';
import { expensiveRequests } from './expensive-requests.ts';
import { anyValue, mutated, mutatedObject } from './mutate.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let account: AccountFixture;
beforeAll(async () => {
  const limits = { RATE_LIMIT_RPS: '1000000', RATE_LIMIT_BURST: '1000000' };
  context = await testContext({
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }),
  });
  app = createApp(context);
  account = await createAccountFixture(context, app, 'Account');
});
afterAll(() => context.close());

interface SignedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** Checks that the request gets a definite answer, and an error a `reason`. */
async function checkAnswer({ method, path, headers }: SignedRequest): Promise<void> {
  let request: Request;
  try {
    request = new Request(`http://localhost${path}`, { method, headers });
  } catch {
    // `Request` rejects it, so no client could send it.
    return;
  }
  await checkCpuTime(JSON.stringify({ method, path, headers }), async () => {
    const answer = await app.request(request.clone());
    const body = await answer.text();
    const { result, reason } = (body === '' ? {} : JSON.parse(body)) as {
      result?: unknown;
      reason?: unknown;
    };
    if (
      answer.status >= 500 ||
      (answer.status >= 400 && (result !== 'error' || typeof reason !== 'string'))
    )
      throw new Error(`${answer.status} ${body} for ${method} ${path} ${JSON.stringify(headers)}`);
  });
}

const signed = (key: TestKey, method: string, path: string, json: string): SignedRequest => ({
  method,
  path,
  headers: signedHeaders(key, Buffer.from(json, 'utf8').toString('base64')),
});

const keyOf = ({ permission }: Route): TestKey =>
  permission === 'payouts:approve' ? account.approver : account.key;

describe('a fuzzed request', () => {
  it('gets a definite answer for any headers', { timeout }, async () => {
    const payload = encodePayload({ request: '/v1/invoices/' }, nextNonce());
    const headers = signedHeaders(account.key, payload);
    const names = Object.keys(headers);
    const sent = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
      path: fc.oneof(
        fc.constant('/v1/invoices/'),
        mutated(['/v1/invoices/?p=1', '/v1/payouts/a/']).map((path) => encodeURI(wellFormed(path))),
      ),
      headers: fc
        .tuple(
          ...names.map((name) => fc.oneof(fc.constant(headers[name]!), mutated([headers[name]!]))),
        )
        .map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]!]))),
    });
    await fc.assert(fc.asyncProperty(sent, checkAnswer), fuzzParameters(120));
  });

  it('gets a definite answer for any signed payload', { timeout }, async () => {
    const sample = (): string =>
      `{"request":"/v1/invoices/","nonce":${nextNonce()},"p":"1","amount":0.10,"passthrough":{"a":[1]}}`;
    const property = fc.asyncProperty(mutated([sample()]), (json) =>
      checkAnswer(signed(account.key, 'GET', '/v1/invoices/', json)),
    );
    await fc.assert(property, fuzzParameters(120));
  });

  it('gets a definite answer for any member of any payload', { timeout }, async () => {
    const routes = routesOf(app).filter(({ path }) => !path.endsWith('/resend-callback/'));
    const requests = await Promise.all(
      routes.map(async (route) => ({ route, ...(await requestOf(route, account)) })),
    );
    const sent = fc.constantFrom(...requests).chain(({ route, path, payload }) =>
      fc.record({
        route: fc.constant(route),
        path: fc.constant(path),
        payload: mutatedObject(withFilters(route, payload)),
      }),
    );
    const property = fc.asyncProperty(sent, ({ route, path, payload }) => {
      const encoded = encodePayload({ ...payload, request: path }, nextNonce());
      return checkAnswer({
        method: route.method,
        path,
        headers: signedHeaders(keyOf(route), encoded),
      });
    });
    await fc.assert(property, fuzzParameters(300));
  });

  it('gets a definite answer for any id in a path', { timeout }, async () => {
    const routes = routesOf(app).filter(({ path }) => path.includes(':'));
    const ids = mutated([
      account.profileId,
      account.profileId.replaceAll('-', '').toUpperCase(),
      'EUR',
    ]);
    const property = fc.asyncProperty(fc.constantFrom(...routes), ids, (route, id) => {
      const path = route.path.replace(/:\w+/, encodeURIComponent(wellFormed(id)));
      const encoded = encodePayload({ request: path }, nextNonce());
      return checkAnswer({
        method: route.method,
        path,
        headers: signedHeaders(keyOf(route), encoded),
      });
    });
    await fc.assert(property, fuzzParameters(120));
  });

  it('gets a definite answer for any filter of a list', { timeout }, async () => {
    const lists = routesOf(app).flatMap((route) =>
      (route.operation?.filters ?? []).map((name) => ({ path: route.path, name })),
    );
    const values = fc.oneof(
      mutated([account.profileId, '2026-11-21', '2026-11-21T06:00:00', '1', 'BTC']),
      anyValue.map(textOf),
    );
    const property = fc.asyncProperty(
      fc.constantFrom(...lists),
      values,
      ({ path, name }, value) => {
        const encoded = encodePayload({ request: path }, nextNonce());
        const query = `?${name}=${encodeURIComponent(wellFormed(value))}`;
        return checkAnswer({
          method: 'GET',
          path: path + query,
          headers: signedHeaders(account.key, encoded),
        });
      },
    );
    await fc.assert(property, fuzzParameters(120));
  });

  it('gets a definite answer for the most expensive payloads', { timeout }, async () => {
    const { key, secret } = account.key;
    for (const { name, method, path, json } of expensiveRequests(account.profileId)) {
      await checkCpuTime(name, async () => {
        const payload = Buffer.from(json(nextNonce()), 'utf8').toString('base64');
        const signature = createHmac('sha256', secret).update(payload).digest('hex');
        const answer = await app.request(path, {
          method,
          headers: { 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature },
        });
        expect([name, answer.status]).toEqual([
          name,
          expect.toSatisfy((status: number) => status < 500),
        ]);
      });
    }
  });
});

/** Serializes the value like a naive client; objects have no other text form. */
function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
    case 'function':
    case 'symbol':
    default:
      return JSON.stringify(value);
  }
}

/** A lone surrogate can't be part of a URL. */
const wellFormed = (text: string): string => text.toWellFormed();

const withFilters = (
  { operation }: Route,
  payload: Record<string, unknown>,
): Record<string, unknown> => ({
  ...Object.fromEntries((operation?.filters ?? []).map((name) => [name, '1'])),
  ...payload,
});
