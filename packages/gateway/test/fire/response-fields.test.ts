import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { testContext, type TestContext } from '../../src/test-context.ts';
import { databaseDigest, tablesOf } from '../database-digest.ts';
import { household, type Household } from './household.ts';
import { requestOf, routesOf, type Route } from './requests.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let home: Household;
beforeAll(async () => {
  const limits = { RATE_LIMIT_RPS: '100000', RATE_LIMIT_BURST: '100000' };
  context = await testContext({ config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }) });
  app = createApp(context);
  home = await household(context, app, 'Home');
});
afterAll(() => context.close());

/** What is sent where an answer has a field, by its type: found again wherever it would be kept. */
const MARKS = {
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

const schemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** What a field of an answer could hold. */
function markOf(name: string, schema: JsonSchema): unknown {
  const kind = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  if (kind.type === 'object') return marksOf(kind);
  if (kind.type === 'array') return [markOf(name, kind.items ?? {})];
  if (kind.type === 'integer' || kind.type === 'number') return MARKS.number;
  if (kind.type === 'boolean') return true;
  if (/(^|_)id$|wallet|profile/.test(name)) return MARKS.id;
  if (name.endsWith('_at')) return MARKS.time;
  return /amount|fee|rate|payout|available|pending/.test(name) ? MARKS.amount : MARKS.text;
}

const marksOf = (schema: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, markOf(name, field)]));

/** What any object of an answer may have, whether or not the schema says so. */
const ANYWHERE = { id: MARKS.id, status: MARKS.text, network: MARKS.text, created_at: MARKS.time, amount: MARKS.amount };

/** A payload with every field that is only answered, filled with marks, at whatever depth there is an object to put it into. */
function withAnswered(value: unknown, asked: JsonSchema, answered: JsonSchema, depth = 0): unknown {
  const [ask, answer] = [present(asked), present(answered)];
  if (Array.isArray(value)) return value.map((item) => withAnswered(item, ask.items ?? {}, answer.items ?? {}, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const known = ask.properties ?? {};
  const marks = Object.entries({ ...(depth > 0 ? ANYWHERE : {}), ...marksOf(answer) }).filter(([name]) => !(name in known));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    withAnswered(member, known[name] ?? {}, answer.properties?.[name] ?? {}, depth + 1),
  ]);
  return Object.fromEntries([...marks, ...members]);
}

/** What it is when it is not null. */
const present = (schema: JsonSchema): JsonSchema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

function markedPayload({ operation }: Route, payload: Record<string, unknown>): Record<string, unknown> {
  if (operation === null) return payload;
  const body = schemaOf(operation.answer);
  const result = body.properties?.['result'] ?? body;
  return withAnswered(payload, operation.payload === undefined ? {} : schemaOf(operation.payload), result) as Record<string, unknown>;
}

/** Rows of any table that hold a mark. */
async function markedRows(): Promise<string[]> {
  const tables = await tablesOf(context.db);
  const patterns = Object.values(MARKS).map((mark) => `t::text like '%${mark}%'`);
  const parts = tables.map((table) => `select '${table}: ' || t::text as row from "${table}" t where ${patterns.join(' or ')}`);
  const { rows } = await sql.raw<{ row: string }>(parts.join(' union all ')).execute(context.db);
  return rows.map(({ row }) => row);
}

const isWrite = ({ method, path }: Route): boolean => ['POST', 'PUT'].includes(method) && !path.endsWith('/resend-callback/');

/** What tells one answer from the next although the same was asked. */
function differing(first: unknown, second: unknown, path = ''): string[] {
  if (first === null || second === null || typeof first !== 'object' || typeof second !== 'object')
    return Object.is(first, second) ? [] : [path];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].flatMap((name) => differing(Reflect.get(first, name), Reflect.get(second, name), `${path}.${name}`));
}

describe('a field that is only ever answered', { retry: 0 }, () => {
  it('is ignored by every route that it is sent to', async () => {
    let number = 10;
    for (const route of routesOf(app).filter(isWrite)) {
      const send = async (mark: typeof markedPayload = (_, payload) => payload) => {
        number += 1;
        const { path, payload } = await requestOf(route, home, number, await targetOf(route));
        const { status, body } = await home.ask(route.method, path, mark(route, payload), keyOf(route));
        return { status, body: body as unknown };
      };
      const first = await send();
      expect([route.name, first]).toEqual([route.name, { status: route.operation?.status ?? 200, body: expect.anything() }]);
      const second = await send();
      const marked = await send(markedPayload);
      // What may differ is what differs anyway: ids, addresses, names that are numbered.
      expect([route.name, marked.status]).toEqual([route.name, first.status]);
      const usual = differing(first.body, second.body);
      expect([route.name, differing(first.body, marked.body).filter((path) => !usual.includes(path))]).toEqual([route.name, []]);
      const sent = JSON.stringify(marked.body);
      for (const mark of Object.values(MARKS)) expect(sent, route.name).not.toContain(String(mark));
      expect([route.name, await markedRows()]).toEqual([route.name, []]);
    }
  });

  it('is ignored by every route that reads', async () => {
    for (const route of routesOf(app).filter(({ method }) => method === 'GET')) {
      const { path, payload } = await requestOf(route, home);
      const asked = new Set(route.operation?.filters);
      const extra = Object.fromEntries(Object.entries(markedPayload(route, {})).filter(([name]) => !asked.has(name)));
      const plain = await home.ask('GET', path, payload);
      const marked = await home.ask('GET', path, { ...extra, ...payload });
      expect([route.name, plain.status, marked.body]).toEqual([route.name, 200, plain.body]);
    }
  });
});

describe('an answer that is sent as it came', () => {
  const database = async (): Promise<string> => (await databaseDigest(context.db))();

  it.each([
    ['invoices', ['amount']],
    ['payouts', ['recipients.0.amount', 'recipients.0.currency']],
  ])('is refused by %s for what a request says in another form, and nothing is changed', async (noun, fields) => {
    const { body } = await home.ask('GET', `/v1/${noun}/${home.ids[noun]}/`);
    const { reference_id: _reference, ...answered } = body.result;
    const before = await database();
    const refused = await home.ask('POST', `/v1/${noun}/`, { currency: 'USD', ...answered });
    expect([refused.status, refused.body.reason]).toEqual([400, 'ValidationError']);
    expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
    expect(await database()).toBe(before);
  });

  it('is what a profile was', async () => {
    const path = `/v1/profiles/${home.profileId}/`;
    const before = (await home.ask('GET', path)).body.result;
    const sent = await home.ask('PUT', path, before);
    expect([sent.status, (await home.ask('GET', path)).body.result]).toEqual([200, before]);
  });
});

describe('every route that takes a payload', () => {
  it('says by its schema what it takes, and has a request here that would be granted', async () => {
    for (const route of routesOf(app)) {
      const { payload } = await requestOf(route, home);
      if (route.operation?.payload) expect([route.name, route.operation.payload.safeParse(payload).error]).toEqual([route.name, undefined]);
    }
  });
});

/** A draft is decided once, a price renewed once: these get another one each time. */
async function targetOf(route: Route): Promise<string | undefined> {
  const { profileId } = home;
  if (route.name === 'PUT /v1/payouts/:id/') {
    const key = await home.addKey(['payouts:write'], '1');
    const recipients = [{ amount: '0.1', currency: 'BTC', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }];
    const { body } = await home.ask('POST', '/v1/payouts/', { profile_id: profileId, kind: 'BTC', recipients }, key);
    return body.result.id as string;
  }
  if (route.name === 'POST /v1/invoices/:id/renew/') {
    const payload = { profile_id: profileId, amount: '10', currency: 'USD', kind: 'BTC', invoice_expiration: 60 };
    const { body } = await home.ask('POST', '/v1/invoices/', payload);
    context.clock.advance(61_000);
    return body.result.id as string;
  }
  // Held and released in turn: the same twice is refused.
  const turn = { 'POST /v1/transactions/:id/quarantine/': 'release', 'POST /v1/transactions/:id/release/': 'quarantine' }[route.name];
  if (turn !== undefined) await home.ask('POST', `/v1/transactions/${home.ids['transactions']}/${turn}/`);
  return undefined;
}

const keyOf = ({ permission }: Route) => (permission === 'payouts:approve' ? home.approver : home.key);
