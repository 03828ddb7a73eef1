import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { nextNonce, signedHeaders, type TestKey } from '../../src/http/test-call.ts';
import { testContext, type TestContext } from '../../src/test-context.ts';
import { household, type Household } from '../fire/household.ts';
import { requestOf, routesOf, type Route } from '../fire/requests.ts';
import { effort, requireQuick, timeout } from './effort.ts';
import { hostile } from './hostile.ts';
import { anyValue, mutated, mutatedObject } from './mutate.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let home: Household;
beforeAll(async () => {
  const limits = { RATE_LIMIT_RPS: '1000000', RATE_LIMIT_BURST: '1000000' };
  context = await testContext({ config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }) });
  app = createApp(context);
  home = await household(context, app, 'Home');
});
afterAll(() => context.close());

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** Answered with a definite answer; a refusal has its reason. */
async function requireAnswer({ method, path, headers }: Sent): Promise<void> {
  let sent: Request;
  try {
    sent = new Request(`http://localhost${path}`, { method, headers });
  } catch {
    // No client could send it.
    return;
  }
  await requireQuick(JSON.stringify({ method, path, headers }), async () => {
    const answer = await app.request(sent.clone());
    const body = await answer.text();
    const { result, reason } = (body === '' ? {} : JSON.parse(body)) as { result?: unknown; reason?: unknown };
    if (answer.status >= 500 || (answer.status >= 400 && (result !== 'error' || typeof reason !== 'string')))
      throw new Error(`${answer.status} ${body} for ${method} ${path} ${JSON.stringify(headers)}`);
  });
}

const signed = (key: TestKey, method: string, path: string, json: string): Sent => ({
  method,
  path,
  headers: signedHeaders(key, Buffer.from(json, 'utf8').toString('base64')),
});

const keyOf = ({ permission }: Route): TestKey => (permission === 'payouts:approve' ? home.approver : home.key);

describe('whatever is sent', () => {
  it('a request whose three headers are anything gets a definite answer', { timeout }, async () => {
    const payload = encodePayload({ request: '/v1/invoices/' }, nextNonce());
    const headers = signedHeaders(home.key, payload);
    const names = Object.keys(headers);
    const sent = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
      path: fc.oneof(
        fc.constant('/v1/invoices/'),
        mutated(['/v1/invoices/?p=1', '/v1/payouts/a/']).map((path) => encodeURI(fixed(path))),
      ),
      headers: fc
        .tuple(...names.map((name) => fc.oneof(fc.constant(headers[name]!), mutated([headers[name]!]))))
        .map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]!]))),
    });
    await fc.assert(fc.asyncProperty(sent, requireAnswer), effort(120));
  });

  it('a signed payload that is anything gets a definite answer', { timeout }, async () => {
    const sample = (): string => `{"request":"/v1/invoices/","nonce":${nextNonce()},"p":"1","amount":0.10,"passthrough":{"a":[1]}}`;
    const property = fc.asyncProperty(mutated([sample()]), (json) => requireAnswer(signed(home.key, 'GET', '/v1/invoices/', json)));
    await fc.assert(property, effort(120));
  });

  it('any member of any route’s payload gets a definite answer', { timeout }, async () => {
    const routes = routesOf(app).filter(({ path }) => !path.endsWith('/resend-callback/'));
    const requests = await Promise.all(routes.map(async (route) => ({ route, ...(await requestOf(route, home)) })));
    const sent = fc
      .constantFrom(...requests)
      .chain(({ route, path, payload }) =>
        fc.record({ route: fc.constant(route), path: fc.constant(path), payload: mutatedObject(withFilters(route, payload)) }),
      );
    const property = fc.asyncProperty(sent, ({ route, path, payload }) => {
      const encoded = encodePayload({ ...payload, request: path }, nextNonce());
      return requireAnswer({ method: route.method, path, headers: signedHeaders(keyOf(route), encoded) });
    });
    await fc.assert(property, effort(300));
  });

  it('any id in any route’s path gets a definite answer', { timeout }, async () => {
    const routes = routesOf(app).filter(({ path }) => path.includes(':'));
    const ids = mutated([home.profileId, home.profileId.replaceAll('-', '').toUpperCase(), 'EUR']);
    const property = fc.asyncProperty(fc.constantFrom(...routes), ids, (route, id) => {
      const path = route.path.replace(/:\w+/, encodeURIComponent(fixed(id)));
      const encoded = encodePayload({ request: path }, nextNonce());
      return requireAnswer({ method: route.method, path, headers: signedHeaders(keyOf(route), encoded) });
    });
    await fc.assert(property, effort(120));
  });

  it('any filter in any list’s query gets a definite answer', { timeout }, async () => {
    const lists = routesOf(app).flatMap((route) => (route.operation?.filters ?? []).map((name) => ({ path: route.path, name })));
    const values = fc.oneof(mutated([home.profileId, '2026-11-21', '2026-11-21T06:00:00', '1', 'BTC']), anyValue.map(textOf));
    const property = fc.asyncProperty(fc.constantFrom(...lists), values, ({ path, name }, value) => {
      const encoded = encodePayload({ request: path }, nextNonce());
      const query = `?${name}=${encodeURIComponent(fixed(value))}`;
      return requireAnswer({ method: 'GET', path: path + query, headers: signedHeaders(home.key, encoded) });
    });
    await fc.assert(property, effort(120));
  });

  it('the largest and worst that a header holds gets a definite answer', { timeout }, async () => {
    const { key, secret } = home.key;
    for (const { name, method, path, json } of hostile(home.profileId)) {
      await requireQuick(name, async () => {
        const payload = Buffer.from(json(nextNonce()), 'utf8').toString('base64');
        const signature = createHmac('sha256', secret).update(payload).digest('hex');
        const answer = await app.request(path, {
          method,
          headers: { 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature },
        });
        expect([name, answer.status]).toEqual([name, expect.toSatisfy((status: number) => status < 500)]);
      });
    }
  });
});

/** As a client would write it that knows no better; not every object can be made a text otherwise. */
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

/** A lone half of a pair can't be put into an address. */
const fixed = (text: string): string => text.toWellFormed();

const withFilters = ({ operation }: Route, payload: Record<string, unknown>): Record<string, unknown> => ({
  ...Object.fromEntries((operation?.filters ?? []).map((name) => [name, '1'])),
  ...payload,
});
