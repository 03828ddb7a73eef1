import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { operationOf } from '../http/authorized.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { declaredRoutes, type DeclaredRoute } from '../http/routing.ts';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { testClock } from '../../test/support/context.ts';
import { ANSWERS, PAYLOADS } from './component.ts';
import type { DescribedOperation } from './described-operation.ts';
import { describeService, type OpenApi } from './document.ts';
import { exampleOf } from './example.ts';
import { PUBLIC } from './public.ts';
import type { JsonSchema } from './schema.ts';
import { differences } from '../../test/support/openapi-conformance.ts';

let app: Hono<Env>;
let routes: DeclaredRoute[];
let document: OpenApi;
let operations: [string, string, DescribedOperation][];

beforeAll(() => {
  // These requests need no database.
  const context = {
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32) }),
    chains: new Map(),
    clock: testClock(),
    ids: { uuid: () => 'id' },
  };
  app = createApp(context as unknown as Context);
  routes = declaredRoutes(app);
  document = describeService(routes, 'https://pay.example');
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, DescribedOperation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  );
});

/** Every object in the document that could be a schema, with its path. */
function* everySchema(value: unknown, at = '#'): Generator<[string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value];
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples')
      yield* everySchema(inner, `${at}/${name.replaceAll('/', '~1')}`);
  }
}

const followed = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (value, part) => (value as Record<string, unknown> | undefined)?.[part],
      document,
    );

describe('OpenAPI document', () => {
  it('describes exactly the declared routes', () => {
    const described = operations.map(([method, path]) => `${method} ${path.replace(/\/?$/, '/')}`);
    const declared = routes
      .filter(({ path }) => !/^\/(?:(?:sandbox|dashboard)\/.*)?$/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.toSorted()).toEqual(declared.toSorted());
    expect(operations).toHaveLength(declared.length);
  });

  it('has the members that OpenAPI 3.1 requires', () => {
    expect(document.openapi).toBe('3.1.0');
    const { title, version, contact } = document.info;
    expect([title, version, contact.name].every(Boolean)).toBe(true);
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [method, path, operation] of operations) {
      const at = `${method} ${path}`;
      expect(operation.summary, at).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.operationId, at).toMatch(/^[a-z][A-Za-z]+$/);
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(status, at).toMatch(/^[2-5]\d\d$/);
        const whole =
          '$ref' in answer ? (followed(answer.$ref) as { description: string }) : answer;
        expect(whole.description.length, at).toBeGreaterThan(2);
      }
      for (const first of ['2', '4'])
        expect(
          Object.keys(operation.responses).some((status) => status.startsWith(first)),
          `${at} ${first}XX`,
        ).toBe(true);
      expect(operation.description, at).toMatch(/[.]$/);
    }
  });

  it('declares every path parameter once', () => {
    for (const [method, path, { parameters = [] }] of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([
        method,
        path,
        parameters.filter((each) => each.in === 'path').map(({ name }) => name),
      ]).toEqual([method, path, inPath]);
      const names = parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { in: place, required, schema, description } of parameters) {
        expect(description.length, path).toBeGreaterThan(2);
        expect(Object.keys(schema).length, path).toBeGreaterThan(0);
        if (place === 'path') expect(required).toBe(true);
      }
    }
  });

  it('has no dangling reference', () => {
    const refs = [...everySchema(document)].filter(([, { $ref }]) => $ref !== undefined);
    expect(refs.length).toBeGreaterThan(50);
    for (const [at, { $ref = '' }] of refs)
      expect([at, $ref, followed($ref) !== undefined]).toEqual([at, $ref, true]);
    for (const scheme of ['key', 'payload', 'signature'] as const)
      expect(document.components.securitySchemes[scheme].in).toBe('header');
  });

  it('uses only common keywords of JSON Schema in its schemas, and no default', () => {
    const known = new Set(
      'type properties required items anyOf oneOf allOf enum const examples example description format pattern minimum maximum exclusiveMinimum minLength maxLength minItems maxItems additionalProperties propertyNames contentEncoding contentMediaType contentSchema $ref'.split(
        ' ',
      ),
    );
    const check = (schema: JsonSchema, at: string): void => {
      expect([at, Object.keys(schema).filter((word) => !known.has(word))]).toEqual([at, []]);
      for (const [name, inner] of Object.entries(schema.properties ?? {}))
        check(inner, `${at}.${name}`);
      for (const inner of [
        ...(schema.anyOf ?? []),
        ...(schema.allOf ?? []),
        ...(schema.items ? [schema.items] : []),
      ])
        check(inner, at);
      for (const name of schema.required ?? [])
        if (schema.properties)
          expect([at, schema.properties]).toEqual([
            at,
            expect.objectContaining({ [name]: expect.anything() }),
          ]);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) check(schema, name);
  });

  it('requires signatures under /v1/ only', () => {
    for (const [, path, operation] of operations) {
      const signed = [{ key: [], payload: [], signature: [] }];
      const isSigned = path.startsWith('/v1/');
      expect([path, operation.security]).toEqual([path, isSigned ? signed : []]);
      const names = operation.parameters?.map(({ name }) => name) ?? [];
      expect([path, names.includes('X-CC-PAYLOAD')]).toEqual([path, isSigned]);
    }
    for (const { post } of Object.values(document.webhooks)) expect(post.security).toEqual([]);
    expect(PUBLIC.every(({ path }) => !path.startsWith('/v1/'))).toBe(true);
  });
});

describe('descriptions', () => {
  it('exist for every member of every object', () => {
    const without = (schema: JsonSchema, at: string): string[] => [
      ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
        ...(member.description === undefined ? [`${at}.${name}`] : []),
        ...without(member, `${at}.${name}`),
      ]),
      ...(schema.items ? without(schema.items, at) : []),
      ...(schema.anyOf ?? []).flatMap((each) => without(each, at)),
    ];
    const { schemas } = document.components;
    expect(
      Object.entries(schemas).flatMap(([name, schema]) => [
        ...(schema.description === undefined ? [name] : []),
        ...without(schema, name),
      ]),
      'these schemas and members need `.meta({ description })` in packages/protocol/src/schema',
    ).toEqual([]);
  });
});

describe('examples', () => {
  it('of answers match the schemas of the answers', () => {
    for (const { method, path, handlers } of routes) {
      const operation = handlers
        .map((handler) => operationOf(handler))
        .find((each) => each !== null);
      if (!operation) continue;
      const described = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const answer = described?.responses[String(operation.status ?? 200)];
      const content =
        answer && 'content' in answer ? answer.content?.['application/json'] : undefined;
      expect([
        method,
        path,
        differences(content?.schema ?? {}, content?.example, document.components.schemas),
      ]).toEqual([method, path, []]);
      expect([method, path, operation.answer.safeParse(content?.example).error?.issues]).toEqual([
        method,
        path,
        undefined,
      ]);
    }
  });

  it('of payloads pass the schemas of the payloads', () => {
    for (const [name, schema] of Object.entries({ ...PAYLOADS })) {
      const example = exampleOf(
        document.components.schemas[name] ?? {},
        document.components.schemas,
      );
      expect([name, schema.safeParse(example).error?.issues]).toEqual([name, undefined]);
    }
    for (const name of Object.keys(ANSWERS))
      expect(document.components.schemas[name], name).toBeDefined();
  });
});

describe('sources', () => {
  it('are headings of docs/interface.md, without paragraph numbers', () => {
    const text = readFileSync(new URL('../../../../docs/interface.md', import.meta.url), 'utf8');
    const headings = new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
    const sources = operations.flatMap(([, , { 'x-source': source }]) => source ?? []);
    expect(sources.length).toBeGreaterThan(40);
    expect(
      sources.filter((source) => !headings.has(source)),
      'docs/interface.md lacks the headings that routes name as `source`',
    ).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('§');
  });
});

describe('endpoints', () => {
  it.each(['/openapi.json', '/reference/'])(
    '%s is public, cacheable, and answers 304 to a matching ETag',
    async (path) => {
      const first = await app.request(path);
      expect(first.status).toBe(200);
      expect(first.headers.get('cache-control')).toBe('public, max-age=300');
      const etag = first.headers.get('etag') ?? '';
      for (const tags of [`W/"x", ${etag}`, etag.replace('W/', ''), ' * ']) {
        const again = await app.request(path, { headers: { 'if-none-match': tags } });
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([
          304,
          '',
          etag,
        ]);
      }
      for (const tags of ['"x"', '"*"', '*, "x"', ''])
        expect((await app.request(path, { headers: { 'if-none-match': tags } })).status).toBe(200);
      const small = await app.request(path, { headers: { 'accept-encoding': 'gzip, br' } });
      expect([small.headers.get('content-encoding'), small.headers.get('etag')]).toEqual([
        'gzip',
        etag,
      ]);
      expect(gunzipSync(await small.arrayBuffer()).toString()).toBe(await first.text());
      const none = await app.request(path, { headers: { 'accept-encoding': 'br, gzip;q=0' } });
      expect(none.headers.has('content-encoding')).toBe(false);
      expect((await app.request(path, { method: 'POST' })).status).toBe(405);
    },
  );

  it('redirect a browser from / to the reference', async () => {
    const answer = await app.request('/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'reference/']);
    const toProgram = await app.request('/', { headers: { accept: 'application/json' } });
    expect([toProgram.status, ((await toProgram.json()) as { reason: string }).reason]).toEqual([
      404,
      'NotFound',
    ]);
  });

  it('serve the same document', async () => {
    const { paths, openapi } = (await (await app.request('/openapi.json')).json()) as OpenApi;
    expect([openapi, Object.keys(paths)]).toEqual(['3.1.0', Object.keys(document.paths)]);
  });
});
