import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../src/app.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { databaseDigest, tablesOf } from '../support/database-digest.ts';
import { createAccountFixture, LITECOIN_ADDRESS, type AccountFixture } from './account-fixture.ts';
import { requestOf, routesOf, type Route } from './requests.ts';
import { testConfig } from '../support/call.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let account: AccountFixture;
beforeAll(async () => {
  context = await testContext({ config: testConfig({ LOG_LEVEL: 'silent' }) });
  app = createApp(context);
  account = await createAccountFixture(context, app, 'Account');
});
afterAll(() => context.close());

/** Marker values for read-only fields, by type. A search finds them wherever they are stored. */
const MARKERS = {
  text: 'ignore-me-5f1c',
  id: 'f00dfeed-0000-4000-8000-5f1c5f1c5f1c',
  amount: '5151.515151',
  time: '1999-12-31T23:59:59.515151+00:00',
  number: 51_515_151,
} as const;

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  pattern?: string;
}

const schemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** A marker that fits the type of a response field. */
function markerOf(name: string, schema: JsonSchema): unknown {
  const kind = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  if (kind.type === 'object') return markersOf(kind);
  if (kind.type === 'array') return [markerOf(name, kind.items ?? {})];
  if (kind.type === 'integer' || kind.type === 'number') return MARKERS.number;
  if (kind.type === 'boolean') return true;
  if (/(^|_)id$|wallet|profile/.test(name)) return MARKERS.id;
  if (name.endsWith('_at')) return MARKERS.time;
  return /amount|fee|rate|payout|available|pending/.test(name) ? MARKERS.amount : MARKERS.text;
}

const markersOf = (schema: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, markerOf(name, field)]),
  );

/** Members that any nested object may get, whether or not its schema has them. */
const NESTED_MEMBERS = {
  id: MARKERS.id,
  status: MARKERS.text,
  network: MARKERS.text,
  created_at: MARKERS.time,
  amount: MARKERS.amount,
};

/** Adds every read-only field with a marker value to the objects of a payload, at every depth. */
function withReadOnlyFields(
  value: unknown,
  requestSchema: JsonSchema,
  answerSchema: JsonSchema,
  depth = 0,
): unknown {
  const [request, answer] = [withoutNull(requestSchema), withoutNull(answerSchema)];
  if (Array.isArray(value))
    return value.map((item) =>
      withReadOnlyFields(item, request.items ?? {}, answer.items ?? {}, depth + 1),
    );
  if (typeof value !== 'object' || value === null) return value;
  const requestFields = request.properties ?? {};
  const marks = Object.entries({
    ...(depth > 0 ? NESTED_MEMBERS : {}),
    ...markersOf(answer),
  }).filter(([name]) => !(name in requestFields));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    withReadOnlyFields(
      member,
      requestFields[name] ?? {},
      answer.properties?.[name] ?? {},
      depth + 1,
    ),
  ]);
  return Object.fromEntries([...marks, ...members]);
}

/** The schema without null. */
const withoutNull = (schema: JsonSchema): JsonSchema =>
  schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

function markedPayload(
  { operation }: Route,
  payload: Record<string, unknown>,
): Record<string, unknown> {
  if (operation === null) return payload;
  const body = schemaOf(operation.answer);
  const result = body.properties?.['result'] ?? body;
  return withReadOnlyFields(
    payload,
    operation.payload === undefined ? {} : schemaOf(operation.payload),
    result,
  ) as Record<string, unknown>;
}

/** Rows of any table that contain a marker. */
async function markedRows(): Promise<string[]> {
  const tables = await tablesOf(context.db);
  const patterns = Object.values(MARKERS).map((mark) => `t::text like '%${mark}%'`);
  const parts = tables.map(
    (table) =>
      `select '${table}: ' || t::text as row from "${table}" t where ${patterns.join(' or ')}`,
  );
  const { rows } = await sql.raw<{ row: string }>(parts.join(' union all ')).execute(context.db);
  return rows.map(({ row }) => row);
}

const isWrite = ({ method, path }: Route): boolean =>
  ['POST', 'PUT'].includes(method) && !path.endsWith('/resend-callback/');

/** Paths at which two responses differ. */
function differingPaths(first: unknown, second: unknown, path = ''): string[] {
  if (first === null || second === null || typeof first !== 'object' || typeof second !== 'object')
    return Object.is(first, second) ? [] : [path];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].flatMap((name) =>
    differingPaths(Reflect.get(first, name), Reflect.get(second, name), `${path}.${name}`),
  );
}

describe('a read-only field', { retry: 0 }, () => {
  it('is ignored by every route that writes', async () => {
    let number = 10;
    for (const route of routesOf(app).filter(isWrite)) {
      const send = async (mark: typeof markedPayload = (_, payload) => payload) => {
        number += 1;
        const { path, payload } = await requestOf(route, account, number, await newTarget(route));
        const { status, body } = await account.request(
          route.method,
          path,
          mark(route, payload),
          keyOf(route),
        );
        return { status, body: body as unknown };
      };
      const first = await send();
      expect([route.name, first]).toEqual([
        route.name,
        { status: route.operation?.status ?? 200, body: expect.anything() },
      ]);
      const second = await send();
      const marked = await send(markedPayload);
      // Only values that always differ may differ: ids, addresses and numbered names.
      expect([route.name, marked.status]).toEqual([route.name, first.status]);
      const expected = differingPaths(first.body, second.body);
      expect([
        route.name,
        differingPaths(first.body, marked.body).filter((path) => !expected.includes(path)),
      ]).toEqual([route.name, []]);
      const sent = JSON.stringify(marked.body);
      for (const mark of Object.values(MARKERS))
        expect(sent, route.name).not.toContain(String(mark));
      expect([route.name, await markedRows()]).toEqual([route.name, []]);
    }
  });

  it('is ignored by every route that reads', async () => {
    for (const route of routesOf(app).filter(({ method }) => method === 'GET')) {
      const { path, payload } = await requestOf(route, account);
      const filters = new Set(route.operation?.filters);
      const extra = Object.fromEntries(
        Object.entries(markedPayload(route, {})).filter(([name]) => !filters.has(name)),
      );
      const plain = await account.request('GET', path, payload);
      const marked = await account.request('GET', path, { ...extra, ...payload });
      expect([route.name, plain.status, marked.body]).toEqual([route.name, 200, plain.body]);
    }
  });
});

describe('an answer that is sent back', () => {
  const database = async (): Promise<string> => (await databaseDigest(context.db))();

  it.each([
    ['invoices', ['amount']],
    ['payouts', ['recipients.0.amount', 'recipients.0.currency']],
  ])(
    'is rejected by %s for fields with another request form, and changes nothing',
    async (noun, fields) => {
      const { body } = await account.request('GET', `/v1/${noun}/${account.ids[noun]}/`);
      const { reference_id: _reference, ...answered } = body.result;
      const before = await database();
      const refused = await account.request('POST', `/v1/${noun}/`, {
        currency: 'USD',
        ...answered,
      });
      expect([refused.status, refused.body.reason]).toEqual([400, 'ValidationError']);
      expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
      expect(await database()).toBe(before);
    },
  );

  it('leaves a profile unchanged', async () => {
    const path = `/v1/profiles/${account.profileId}/`;
    const before = (await account.request('GET', path)).body.result;
    const sent = await account.request('PUT', path, before);
    expect([sent.status, (await account.request('GET', path)).body.result]).toEqual([200, before]);
  });
});

describe('every route with a payload', () => {
  it('has a schema that accepts the example request', async () => {
    for (const route of routesOf(app)) {
      const { payload } = await requestOf(route, account);
      if (route.operation?.payload)
        expect([route.name, route.operation.payload.safeParse(payload).error]).toEqual([
          route.name,
          undefined,
        ]);
    }
  });
});

/**
 * A draft is approved once and a quote is renewed once, so these routes get a new target each time.
 */
async function newTarget(route: Route): Promise<string | undefined> {
  const { profileId } = account;
  if (route.name === 'PUT /v1/payouts/:id/') {
    const key = await account.addKey(['payouts:write'], '1');
    const recipients = [
      { amount: '0.1', currency: 'BTC', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
    ];
    const { body } = await account.request(
      'POST',
      '/v1/payouts/',
      { profile_id: profileId, kind: 'BTC', recipients },
      key,
    );
    return body.result.id as string;
  }
  if (route.name === 'PUT /v1/refunds/:id/') {
    const key = await account.addKey(['refunds:write']);
    const [transaction_id] = account.refundable;
    const asked = { transaction_id, address: LITECOIN_ADDRESS };
    return (await account.request('POST', '/v1/refunds/', asked, key)).body.result.id as string;
  }
  if (route.name === 'POST /v1/transactions/:id/accept-late/') {
    const { rows } = await sql<{ id: string }>`
      update transaction set late = true where id = ${account.refundable[1]} returning id`.execute(
      context.db,
    );
    return rows[0]!.id;
  }
  if (/^POST \/v1\/payouts\/:id\/(bump|cancel)\/$/.test(route.name)) {
    const recipients = [
      { amount: '0.1', currency: 'BTC', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
    ];
    const { body } = await account.request('POST', '/v1/payouts/', {
      profile_id: profileId,
      kind: 'BTC',
      recipients,
    });
    await processPayouts(context);
    return body.result.id as string;
  }
  if (route.name === 'POST /v1/invoices/:id/renew/') {
    const payload = {
      profile_id: profileId,
      amount: '10',
      currency: 'USD',
      kind: 'BTC',
      invoice_expiration: 60,
    };
    const { body } = await account.request('POST', '/v1/invoices/', payload);
    context.clock.advance(61_000);
    return body.result.id as string;
  }
  if (route.name === 'POST /v1/invoices/:id/cancel-request/') {
    const payload = { profile_id: profileId, amount: '10', currency: 'USD', kind: 'BTC_LIGHTNING' };
    const { body } = await account.request('POST', '/v1/invoices/', payload);
    return body.result.id as string;
  }
  // The reverse operation first: a second quarantine or release is rejected.
  const reverse = {
    'POST /v1/transactions/:id/quarantine/': 'release',
    'POST /v1/transactions/:id/release/': 'quarantine',
  }[route.name];
  if (reverse !== undefined)
    await account.request('POST', `/v1/transactions/${account.ids['transactions']}/${reverse}/`);
  return undefined;
}

const keyOf = ({ permission }: Route) =>
  permission === 'payouts:approve' ? account.approver : account.key;
