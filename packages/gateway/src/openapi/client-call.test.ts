import { createContext, runInContext } from 'node:vm';
import { createClient } from '@crypto-checkout/client';
import { beforeAll, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { testClock } from '../../test/support/context.ts';
import { declaredRoutes } from '../http/routing.ts';
import { clientCall } from './client-call.ts';
import type { DescribedOperation } from './described-operation.ts';
import { describeService, type OpenApi } from './document.ts';
import type { Answer } from './error.ts';
import { exampleOf } from './example.ts';

let document: OpenApi;
let signed: (readonly [method: string, path: string, operation: DescribedOperation])[];

beforeAll(() => {
  const context = {
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32) }),
    chains: new Map(),
    clock: testClock(),
    ids: { uuid: () => 'id' },
  };
  document = describeService(declaredRoutes(createApp(context as unknown as Context)), null);
  signed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length)
      .map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
});

interface Sent {
  method: string;
  path: string;
  members: Record<string, unknown>;
}

/** Runs an example against a service that answers it as the description says. */
async function run(source: string, { responses }: DescribedOperation): Promise<Sent> {
  // 201 of a create, whose 200 is another answer.
  const [status, answer] = Object.entries(responses).findLast(([code]) => code.startsWith('2'))!;
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'https://pay.example',
    key: 'key',
    secret: 'secret',
    fetch: async (input, init) => {
      const { method, url, headers } = new Request(input, init);
      const {
        request: _request,
        nonce: _nonce,
        method: _method,
        ...members
      } = JSON.parse(Buffer.from(headers.get('X-CC-PAYLOAD') ?? '', 'base64').toString()) as Record<
        string,
        unknown
      >;
      const path = decodeURIComponent(new URL(url).pathname);
      sent.push({ method, path, members });
      const { content } = answer as Answer;
      return Response.json(content?.['application/json']?.example, { status: Number(status) });
    },
  });
  await (runInContext(`(async () => { ${source} })()`, createContext({ client })) as Promise<void>);
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

it('each TypeScript example makes the request that it stands beside, and reads its answer', async () => {
  expect(signed.length).toBeGreaterThan(60);
  for (const [method, path, operation] of signed) {
    const { operationId, 'x-payload': payload } = operation;
    const members = payload && exampleOf(payload, document.components.schemas);
    const source = clientCall({ operationId, method, path, members });
    const asked = { operationId, ...(await run(source, operation)) };
    const { estimate_only: _, ...expected } = (members ?? {}) as Record<string, unknown>;
    expect(asked).toEqual({
      operationId,
      method,
      path: path.replace(/\{(\w+)\}/g, (_name, name: string) => `<${name.toUpperCase()}>`),
      members: expected,
    });
  }
});

it('writes a long payload in lines, and short names without quotes', () => {
  const members = {
    wallet: 'd3b3a1f0-5b86-4a3a-9f3f-2f1e9f3b7a10',
    keep_amount: '0.1',
    'odd-name': ["it's"],
    recipients: [],
  };
  const call = { operationId: 'createAutomaticPayout', method: 'POST', members };
  expect(clientCall({ ...call, path: '/v1/automatic-payouts/' })).toBe(
    [
      'const result = await client.automaticPayouts.create({',
      "  wallet: 'd3b3a1f0-5b86-4a3a-9f3f-2f1e9f3b7a10',",
      "  keep_amount: '0.1',",
      String.raw`  'odd-name': ['it\'s'],`,
      '  recipients: [],',
      '});',
    ].join('\n'),
  );
  expect(() => clientCall({ ...call, operationId: 'x', path: '/v1/x/' })).toThrow(
    'x has no call in openapi/client-call.ts',
  );
});
