import { encodePayload } from '@crypto-checkout/protocol/signature';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { createApp } from '../app.ts';
import type { Env } from './env.ts';
import {
  call,
  nextNonce,
  signedHeaders,
  testAccount,
  type TestAccount,
  type TestKey,
  testConfig,
} from '../../test/support/call.ts';

const PATH = '/v1/profiles/';
let context: TestContext;
let app: Hono<Env>;
let account: TestAccount;

beforeAll(async () => {
  const config = testConfig();
  context = await testContext({ config });
  account = await testAccount(context);
  app = createApp(context);
});
afterAll(() => context.close());

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const json = (members: Record<string, unknown> = {}): string =>
  JSON.stringify({ request: PATH, nonce: Number(nextNonce()), ...members });

async function send(
  headers: Record<string, string> | [string, string][] | Headers,
  path = PATH,
  method = 'GET',
) {
  const answer = await app.request(path, { method, headers });
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown>,
    headers: answer.headers,
  };
}

const sendPayload = (text: string | Buffer, path = PATH, method = 'GET') =>
  send(signedHeaders(account.api, base64(text)), path, method);

const state = async (id = account.api_key_id) =>
  context.db
    .selectFrom('api_key')
    .select(['last_nonce', 'recent_nonces'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

describe('headers', () => {
  it('accepts a signed request', async () => {
    expect((await sendPayload(json())).status).toBe(200);
  });

  const good = (): Record<string, string> => signedHeaders(account.api, base64(json()));
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name));

  it.each(['X-CC-KEY', 'X-CC-PAYLOAD', 'X-CC-SIGNATURE'])(
    'refuses a request without %s, and with an empty one',
    async (name) => {
      for (const headers of [without(name), { ...good(), [name]: '' }]) {
        const { status, body } = await send(headers);
        expect([status, body['reason']]).toEqual([400, 'MissingHeaders']);
        expect(body['message']).toBe(`The request needs the header ${name}.`);
      }
    },
  );

  it('refuses a request without any of them', async () => {
    const message = 'The request needs the headers X-CC-KEY, X-CC-PAYLOAD, and X-CC-SIGNATURE.';
    expect(await send({})).toMatchObject({
      status: 400,
      body: { result: 'error', reason: 'MissingHeaders', message },
    });
  });

  it.each(['X-CC-KEY', 'X-CC-PAYLOAD', 'X-CC-SIGNATURE'])(
    'refuses a repeated %s, the same twice too',
    async (name) => {
      const headers = new Headers(good());
      headers.append(name, headers.get(name) ?? '');
      expect(await send(headers)).toMatchObject({
        status: 400,
        body: { reason: 'MissingHeaders' },
      });
    },
  );

  it('returns the same body for an unknown key and a wrong signature', async () => {
    const payload = base64(json());
    const signed = signedHeaders(account.api, payload);
    const answers = [
      await send({ ...signed, 'X-CC-KEY': 'ck_nobody' }),
      await send({ ...signed, 'X-CC-KEY': "' or 1=1 --" }),
      await send({ ...signed, 'X-CC-SIGNATURE': signed['X-CC-SIGNATURE']!.toUpperCase() }),
      await send(signedHeaders({ ...account.api, secret: 'another' }, payload)),
    ];
    for (const length of [1, 63, 64, 65, 4096])
      answers.push(await send({ ...signed, 'X-CC-SIGNATURE': 'a'.repeat(length) }));
    const { request_id: _, ...first } = answers[0]!.body;
    expect(first).toMatchObject({ result: 'error', reason: 'InvalidApiKey' });
    for (const { status, body } of answers)
      expect([status, { ...body, request_id: '' }]).toEqual([401, { ...first, request_id: '' }]);
  });

  it('refuses a payload above 32 KiB', async () => {
    const { status, body } = await sendPayload(json({ notes: 'x'.repeat(25_000) }));
    expect([status, body['reason']]).toEqual([413, 'PayloadTooLarge']);
  });
});

describe('payload', () => {
  const table: [what: string, payload: () => string | Buffer, status: number, reason: string][] = [
    ['is not JSON', () => 'hello', 400, 'InvalidPayload'],
    ['is JSON but no object', () => '[1]', 400, 'InvalidPayload'],
    ['is null', () => 'null', 400, 'InvalidPayload'],
    ['has something after the object', () => `${json()} {}`, 400, 'InvalidPayload'],
    [
      'has a member twice',
      () => `{"request":"${PATH}","nonce":${nextNonce()},"nonce":${nextNonce()}}`,
      400,
      'InvalidPayload',
    ],
    [
      'has the member __proto__',
      () => `{"request":"${PATH}","nonce":${nextNonce()},"__proto__":{}}`,
      400,
      'InvalidPayload',
    ],
    [
      'is not UTF-8',
      () =>
        Buffer.concat([
          Buffer.from(`{"request":"${PATH}","nonce":${nextNonce()},"a":"`),
          Buffer.from([0xff]),
          Buffer.from('"}'),
        ]),
      400,
      'InvalidPayload',
    ],
    [
      'is deeper than 32 levels',
      () => json({ a: 0 }).replace('"a":0', `"a":${'['.repeat(40)}${']'.repeat(40)}`),
      400,
      'InvalidPayload',
    ],
    ['has a comment', () => `${json().slice(0, -1)}/**/}`, 400, 'InvalidPayload'],
    ['has no nonce', () => JSON.stringify({ request: PATH }), 400, 'InvalidNonce'],
    ['has a nonce of null', () => json({ nonce: null }), 400, 'InvalidNonce'],
    [
      'has a nonce with a fraction',
      () => `{"request":"${PATH}","nonce":${nextNonce()}.5}`,
      400,
      'InvalidNonce',
    ],
    [
      'has a nonce with an exponent',
      () => `{"request":"${PATH}","nonce":1e20}`,
      400,
      'InvalidNonce',
    ],
    ['has a negative nonce', () => json({ nonce: -5 }), 400, 'InvalidNonce'],
    ['has a nonce of zero', () => json({ nonce: 0 }), 400, 'InvalidNonce'],
    ['has a nonce in hex', () => json({ nonce: '0x10' }), 400, 'InvalidNonce'],
    ['has a nonce with a space', () => json({ nonce: ' 12' }), 400, 'InvalidNonce'],
    ['has a nonce of 39 digits', () => json({ nonce: '9'.repeat(39) }), 400, 'InvalidNonce'],
    ['has a nonce that is an array', () => json({ nonce: [5] }), 400, 'InvalidNonce'],
    [
      'has no request',
      () => JSON.stringify({ nonce: Number(nextNonce()) }),
      400,
      'EndpointMismatch',
    ],
    ['has a request that is a number', () => json({ request: 5 }), 400, 'EndpointMismatch'],
    ['is for another path', () => json({ request: '/v1/wallets/' }), 400, 'EndpointMismatch'],
    [
      'is for the path in capitals',
      () => json({ request: PATH.toUpperCase() }),
      400,
      'EndpointMismatch',
    ],
    ['is for a longer path', () => json({ request: `${PATH}x/` }), 400, 'EndpointMismatch'],
    ['is for another method', () => json({ method: 'POST' }), 400, 'EndpointMismatch'],
    ['has a method that is an object', () => json({ method: {} }), 400, 'EndpointMismatch'],
  ];
  it.each(table)(
    'refuses one that %s, and consumes nothing',
    async (_, payload, status, reason) => {
      const before = await state();
      const answer = await sendPayload(payload());
      expect([answer.status, answer.body['reason']]).toEqual([status, reason]);
      expect(answer.body).toMatchObject({
        result: 'error',
        message: expect.any(String),
        request_id: expect.any(String),
      });
      expect(await state()).toEqual(before);
    },
  );

  it.each([
    ['url-safe characters', (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')],
    ['no padding', (text: string) => text.replace(/=+$/, '')],
    ['a space', (text: string) => `${text.slice(0, 8)} ${text.slice(8)}`],
    ['too much padding', (text: string) => `${text}=`],
    [
      'rest bits that are not zero',
      (text: string) =>
        text.replace(
          /.(=+)$/,
          (_, padding: string) => `${padding.length === 2 ? 'R' : 'F'}${padding}`,
        ),
    ],
    ['something after the end', (text: string) => `${text}AA`],
  ])('refuses base64 with %s', async (_, spoil) => {
    // `>?>?` encodes to `+` and `/`, and its length needs padding.
    let text = base64(json({ a: '>?>?~~' }));
    for (let pad = 'b'; !text.endsWith('='); pad += 'b') text = base64(json({ a: `>?>?~~${pad}` }));
    const spoiled = spoil(text);
    expect(spoiled).not.toBe(text);
    expect(await send(signedHeaders(account.api, spoiled))).toMatchObject({
      status: 400,
      body: { reason: 'InvalidPayload' },
    });
  });

  it('accepts the matching method, and ignores unknown members', async () => {
    expect((await sendPayload(json({ method: 'GET' }))).status).toBe(200);
    expect(
      (await sendPayload(json({ method: 'get', status: 'complete', account_id: 'x' }))).status,
    ).toBe(200);
  });

  it('ignores a body and its content type', async () => {
    const answer = await app.request('/v1/invoices/', {
      method: 'POST',
      headers: {
        ...signedHeaders(
          account.api,
          base64(JSON.stringify({ request: '/v1/invoices/', nonce: Number(nextNonce()) })),
        ),
        'content-type': 'text/xml',
      },
      body: '<nonsense/>',
    });
    expect(await answer.json()).toMatchObject({ reason: 'ValidationError' });
  });
});

describe('path', () => {
  it.each([
    ['/v1/profiles', PATH],
    ['//v1//profiles///', PATH],
    [`${PATH}?page=2`, PATH],
    [PATH, '/v1/profiles'],
    [PATH, '//v1/profiles//?x=1'],
  ])('serves %s to a payload for %s', async (url, request) => {
    expect((await sendPayload(json({ request }), url)).status).toBe(200);
  });

  it.each([
    '/v1/nothing/',
    '/v2/profiles/',
    '/',
    '/V1/profiles/',
    '/v1/profiles/x/y/',
    '/v1/%2e%2e/x/',
  ])('returns 404 for %s, signed or not', async (path) => {
    expect(await send({}, path)).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', result: 'error' },
    });
    expect(await sendPayload(json({ request: path }), path)).toMatchObject({ status: 404 });
  });

  it('returns 405 with the allowed methods', async () => {
    const { status, body, headers } = await sendPayload(json(), PATH, 'DELETE');
    expect([status, body['reason'], headers.get('allow')]).toEqual([
      405,
      'MethodNotAllowed',
      'GET, POST, HEAD, OPTIONS',
    ]);
    expect(body['message']).toBe(
      'The method DELETE is not allowed here; GET, POST, HEAD, and OPTIONS are.',
    );
  });

  it('serves HEAD like GET without a body, and OPTIONS without a key', async () => {
    const payload = base64(json());
    const head = await app.request(PATH, {
      method: 'HEAD',
      headers: signedHeaders(account.api, payload),
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const options = await app.request(PATH, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([
      204,
      'GET, POST, HEAD, OPTIONS',
    ]);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('nonce', () => {
  it('must increase, and keeps every digit', async () => {
    const nonce = 1_763_704_000_123_456_789_000n;
    const own = await newKey({ permissions: ['profiles:read'] });
    const read = async (value: bigint | string) => {
      const payload = base64(
        `{"request":"${PATH}","nonce":${typeof value === 'string' ? `"${value}"` : String(value)}}`,
      );
      return (await send(signedHeaders(own, payload))).status;
    };
    expect(await read(nonce)).toBe(200);
    expect(await read(nonce)).toBe(400);
    expect(await read(nonce - 1n)).toBe(400);
    expect(await read(nonce + 1n)).toBe(200);
    expect(await read(String(nonce + 2n))).toBe(200);
    expect(await read(String(nonce + 2n))).toBe(400);
    expect(await read('9'.repeat(38))).toBe(200);
  });

  it('accepts exactly one of 50 equal ones', async () => {
    const own = await newKey({ permissions: ['profiles:read'] });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call(app, own, 'GET', PATH, {}, { nonce: 77n })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(
      new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.reason)),
    ).toEqual(new Set(['InvalidNonce']));
  });

  it('reports the last nonce to signed callers only', async () => {
    const own = await newKey({ permissions: ['profiles:read'] });
    const refused = async (key: TestKey, nonce: bigint): Promise<string> =>
      (await call(app, key, 'GET', PATH, {}, { nonce })).body.message;
    await call(app, own, 'GET', PATH, {}, { nonce: 1_763_704_000_123_456_789n });
    expect(await refused(own, 1_763_704_000_999n)).toBe(
      'The nonce 1763704000999 must be greater than the last one of this API key, 1763704000123456789, and is used once.',
    );
    expect(await refused({ ...own, secret: 'wrong' }, 1n)).not.toContain('1763704000123456789');
  });

  it('is consumed before the permission check, and not by a bad signature', async () => {
    const own = await newKey({ permissions: ['wallets:read'] });
    expect((await call(app, own, 'GET', PATH, {}, { nonce: 5n })).status).toBe(403);
    expect((await call(app, own, 'GET', '/v1/wallets/', {}, { nonce: 5n })).body.reason).toBe(
      'InvalidNonce',
    );
    expect(
      (await call(app, { ...own, secret: 'wrong' }, 'GET', '/v1/wallets/', {}, { nonce: 9n }))
        .status,
    ).toBe(401);
    expect((await call(app, own, 'GET', '/v1/wallets/', {}, { nonce: 6n })).status).toBe(200);
  });
});

describe('nonce window', () => {
  const use = async (key: TestKey, nonce: bigint) =>
    (await call(app, key, 'GET', PATH, {}, { nonce })).status;

  it('accepts nonces in any order, each once', async () => {
    const own = await newKey({ permissions: ['profiles:read'], nonceWindow: true });
    for (const nonce of [50n, 10n, 30n, 20n, 49n]) expect(await use(own, nonce)).toBe(200);
    for (const nonce of [50n, 10n, 30n, 20n, 49n]) expect(await use(own, nonce)).toBe(400);
    expect((await call(app, own, 'GET', PATH, {}, { nonce: 10n })).body.message).toBe(
      'The nonce 10 was used with this API key before.',
    );
  });

  it('accepts exactly one of 50 equal ones', async () => {
    const own = await newKey({ permissions: ['profiles:read'], nonceWindow: true });
    await use(own, 1n);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => use(own, 7n)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('accepts 50 different ones at once in any order', async () => {
    const own = await newKey({ permissions: ['profiles:read'], nonceWindow: true });
    const nonces = Array.from({ length: 200 }, (_, number) => BigInt(1000 - number));
    for (let at = 0; at < nonces.length; at += 50) {
      const statuses = await Promise.all(nonces.slice(at, at + 50).map((nonce) => use(own, nonce)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  });

  it('stores 256: older ones are refused, used or not', async () => {
    const own = await newKey({ permissions: ['profiles:read'], nonceWindow: true });
    const { id } = await context.db
      .selectFrom('api_key')
      .select('id')
      .where('api_key', '=', own.key)
      .executeTakeFirstOrThrow();
    // 256 used nonces, 1001 … 1256, as they are stored.
    const used = Array.from({ length: 256 }, (_, number) => String(1001 + number));
    await context.db
      .updateTable('api_key')
      .set({ recent_nonces: used, last_nonce: '1256' })
      .where('id', '=', id)
      .execute();
    expect(await use(own, 1000n)).toBe(400);
    expect(await use(own, 1001n)).toBe(400);
    expect((await call(app, own, 'GET', PATH, {}, { nonce: 999n })).body.message).toBe(
      'The nonce 999 was used with this API key before, or is not greater than 1001, the smallest of the 256 that are remembered.',
    );
    expect(await use(own, 1257n)).toBe(200);
    const { recent_nonces: kept } = await state(id);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([256, '1002', '1257']);
  });
});

describe('key', () => {
  it('works only from the addresses on its list', async () => {
    const own = await newKey({ permissions: ['profiles:read'], whitelist: ['203.0.113.0/24'] });
    const { status, body } = await call(app, own, 'GET', PATH);
    expect([status, body.reason]).toEqual([403, 'IpNotAllowed']);
    const spoofed = await call(
      app,
      own,
      'GET',
      PATH,
      {},
      { headers: { 'x-forwarded-for': '203.0.113.7' } },
    );
    expect(spoofed.status).toBe(403);
    const here = await newKey({
      permissions: ['profiles:read'],
      whitelist: ['10.0.0.1', '127.0.0.1'],
    });
    expect((await call(app, here, 'GET', PATH)).status).toBe(200);
  });

  it('uses the forwarded address behind a trusted proxy', async () => {
    const proxied = createApp({
      ...context,
      config: {
        ...context.config,
        ...loadConfig({ TRUSTED_PROXIES: '127.0.0.0/8', RATE_LIMIT_RPS: '1000' }),
      },
    });
    const own = await newKey({ permissions: ['profiles:read'], whitelist: ['203.0.113.0/24'] });
    const from = async (forwarded: string) =>
      (await call(proxied, own, 'GET', PATH, {}, { headers: { 'x-forwarded-for': forwarded } }))
        .status;
    expect(await from('203.0.113.7')).toBe(200);
    expect(await from('203.0.113.7, 198.51.100.1')).toBe(403);
    expect(await from('198.51.100.1, 203.0.113.7')).toBe(200);
    expect(await from('nonsense')).toBe(403);
  });
});

describe('answers', () => {
  it('have the API headers and the service’s own time', async () => {
    const { headers } = await sendPayload(json());
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      date: new Date(context.clock.now()).toUTCString(),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(headers.get('strict-transport-security')).toBeNull();
  });
});

interface NewKey {
  permissions: string[];
  nonceWindow?: boolean;
  whitelist?: string[];
}

async function newKey({
  permissions,
  nonceWindow = false,
  whitelist = [],
}: NewKey): Promise<TestKey> {
  const id = context.ids.uuid();
  const key = `ck_${id}`;
  await context.db
    .insertInto('api_key')
    .values({
      account_id: account.account_id,
      id,
      api_key: key,
      secret_sealed: context.secrets.seal('secret', id),
      name: 'test',
      created_by: 'test',
      created_at: '2026-11-21T06:00:00.000000+00:00',
      updated_at: '2026-11-21T06:00:00.000000+00:00',
      permissions,
      nonce_window: nonceWindow,
      whitelist_ip: whitelist,
    })
    .execute();
  return { key, secret: 'secret' };
}

// Signed by hand above; here with the client's functions.
it('decodes the output of encodePayload', async () => {
  const payload = encodePayload({ request: PATH }, nextNonce());
  expect((await send(signedHeaders(account.api, payload))).status).toBe(200);
});
