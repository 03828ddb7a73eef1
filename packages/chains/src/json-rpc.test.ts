import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createJsonRpc, type Call, type JsonRpcOptions } from './json-rpc.ts';

interface Sent {
  url: string;
  headers: Headers;
  /** An array, or one object after the provider refused batches. */
  body: unknown;
  /** The calls of the body. */
  calls: { id: number; method: string; params: unknown[] }[];
}
/** Returns the provider's response: a value that becomes JSON, or a whole response. */
type Respond = (sent: Sent) => unknown;

let now = 0;
let requests: Sent[];
let pauses: number[];

beforeEach(() => {
  now = Date.UTC(2026, 10, 21, 6);
  requests = [];
  pauses = [];
});

function client(respond: Respond, options: Partial<JsonRpcOptions> = {}) {
  return createJsonRpc({
    url: 'https://node.example/',
    fetch: async (input, init) => {
      const body: unknown = JSON.parse(init!.body as string);
      const sent: Sent = {
        url: input as string,
        headers: new Headers(init!.headers),
        body,
        calls: (Array.isArray(body) ? body : [body]) as Sent['calls'],
      };
      requests.push(sent);
      const answer = await respond(sent);
      return answer instanceof Response ? answer : Response.json(answer);
    },
    now: () => now,
    random: () => 0.5,
    sleep: async (ms) => {
      pauses.push(ms);
      now += ms;
    },
    ...options,
  });
}

const call = (param: unknown = 1, method = 'echo'): Call<unknown> => ({
  method,
  params: [param],
  answer: z.unknown().refine((value) => value !== undefined),
});
const many = (count: number): Call<unknown>[] => Array.from({ length: count }, (_, at) => call(at));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
/** Every call answered by its parameter. */
const echo: Respond = ({ body, calls }) => {
  const answers = calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] }));
  return Array.isArray(body) ? answers : answers[0];
};
const sizes = (): number[] => requests.map(({ calls }) => calls.length);
const html = (status: number): Response =>
  new Response('<html><body>Forbidden</body></html>', {
    status,
    headers: { 'content-type': 'text/html' },
  });

describe('a result', () => {
  it('may stand beside a null error', async () => {
    const rpc = client(({ calls }) => calls.map(({ id }) => ({ id, result: 'yes', error: null })));
    expect(await rpc.call(call())).toBe('yes');
  });

  it('is an error when the error is no null', async () => {
    const error = { code: -8, message: 'Block height out of range' };
    const rpc = client(({ calls }) => calls.map(({ id }) => ({ id, result: null, error })));
    await expect(rpc.call(call())).rejects.toMatchObject({
      name: 'JsonRpcError',
      code: -8,
      message: 'echo: Block height out of range (-8)',
    });
  });

  it('is read from an HTTP error with JSON-RPC in it', async () => {
    const error = { code: -8, message: 'Block height out of range' };
    const rpc = client(({ calls }) =>
      Response.json(
        calls.map(({ id }) => ({ id, result: null, error })),
        { status: 500 },
      ),
    );
    await expect(rpc.call(call())).rejects.toMatchObject({ name: 'JsonRpcError' });
    expect(requests).toHaveLength(1);
  });

  it('that is missing is not null', async () => {
    const rpc = client(({ calls }) => calls.map(({ id }) => ({ id })));
    await expect(rpc.call({ ...call(), answer: z.string().nullable() })).rejects.toMatchObject({
      name: 'UnavailableError',
    });
  });
});

describe('numbers', () => {
  const AMOUNTS =
    '{"n":7,"big":9007199254740993,"btc":0.1234567800,"e":1e-8,"minus":-21.5,"text":"1.5 \\"2.5\\" \\\\","list":[0.10,-3]}';
  const raw: Respond = ({ calls }) =>
    new Response(`[{"id":${calls[0]!.id},"error":null,"result":${AMOUNTS}}]`);

  it('beyond a double stay text where that is asked', async () => {
    expect(await client(raw, { exactNumbers: true }).call(call())).toEqual({
      n: 7,
      big: '9007199254740993',
      btc: '0.1234567800',
      e: '1e-8',
      minus: '-21.5',
      text: '1.5 "2.5" \\',
      list: ['0.10', -3],
    });
  });

  it('are those of JSON otherwise', async () => {
    expect(await client(raw).call(call())).toMatchObject({ btc: 0.12345678, n: 7 });
  });
});

describe('authorization', () => {
  const authorization = (): (string | null)[] =>
    requests.map(({ headers }) => headers.get('authorization'));
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

  it('comes from the user part of the URL, which is not sent as a URL', async () => {
    await client(echo, { url: 'https://us%40r:p%3Ass@node.example/path' }).call(call());
    expect(authorization()).toEqual([basic('us@r:p:ss')]);
    expect(requests[0]!.url).toBe('https://node.example/path');
  });

  it('may have a percent sign that encodes nothing', async () => {
    await client(echo, { url: 'https://rpc:50%off@node.example/' }).call(call());
    expect(authorization()).toEqual([basic('rpc:50%off')]);
  });

  it('comes from user and password, and headers go along', async () => {
    const options = { user: 'rpc', password: 'pässword', headers: { 'x-api-key': 'k1' } };
    await client(echo, options).call(call());
    expect(authorization()).toEqual([basic('rpc:pässword')]);
    expect(requests[0]!.headers.get('x-api-key')).toBe('k1');
  });

  it('comes from a cookie file, which is read again after 401', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cookie-'));
    const cookieFile = join(folder, '.cookie');
    try {
      const rpc = client(
        (sent) =>
          sent.headers.get('authorization') === basic('__cookie__:two')
            ? echo(sent)
            : new Response('', { status: 401 }),
        { cookieFile },
      );
      await expect(rpc.call(call())).rejects.toThrow('The cookie file of the node is missing');
      writeFileSync(cookieFile, '__cookie__:one\n');
      await expect(rpc.call(call())).rejects.toThrow('The node refuses the credentials (HTTP 401)');
      writeFileSync(cookieFile, '__cookie__:two\n');
      expect(await rpc.call(call(5))).toBe(5);
      expect(authorization().at(-2)).toBe(basic('__cookie__:one'));
      expect(pauses).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a header that HTTP does not allow, without its value', () => {
    expect(() => client(echo, { headers: { 'x-key': 'geheim\n1' } })).toThrow(
      /^The header x-key of a node has characters that HTTP does not allow\.$/,
    );
  });
});

describe('a batch', () => {
  it('is halved until the provider takes it, and the size is kept', async () => {
    const rpc = client((sent) =>
      sent.calls.length > 10
        ? { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } }
        : echo(sent),
    );
    expect(await rpc.batch(many(50))).toEqual(numbers(50));
    expect(sizes().slice(0, 4)).toEqual([50, 25, 13, 7]);
    requests = [];
    expect(await rpc.batch(many(20))).toEqual(numbers(20));
    expect(Math.max(...sizes())).toBe(7);
  });

  it.each([
    ['HTTP 413', () => new Response('too large', { status: 413 })],
    ['HTTP 400', () => Response.json({ error: 'Batch size too large' }, { status: 400 })],
    ['HTTP 500 in words', () => new Response('no', { status: 500 })],
    ['an answer without the rest', (sent: Sent) => (echo(sent) as unknown[]).slice(0, 4)],
    [
      'an answer with gaps',
      (sent: Sent) => (echo(sent) as unknown[]).filter((_, at) => at % 2 === 1),
    ],
    [
      'too large a response',
      ({ calls }: Sent) =>
        calls.map(({ id }) => ({ id, error: { code: -32003, message: 'response too large' } })),
    ],
  ])('is halved on %s', async (_, refuse: Respond) => {
    const rpc = client((sent) => (sent.calls.length > 4 ? refuse(sent) : echo(sent)));
    expect(await rpc.batch(many(9))).toEqual(numbers(9));
  });

  it('is no array where the provider takes none', async () => {
    const rpc = client((sent) =>
      Array.isArray(sent.body)
        ? { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } }
        : echo(sent),
    );
    expect(await rpc.batch(many(3))).toEqual(numbers(3));
    requests = [];
    await rpc.call(call());
    expect(requests).toHaveLength(1);
  });

  it('that exceeds the limit of the response is halved for this time', async () => {
    const rpc = client(echo, { maxBytes: 200 });
    expect(await rpc.batch(many(16))).toEqual(numbers(16));
    expect(sizes()[0]).toBe(16);
    requests = [];
    await rpc.batch(many(16));
    expect(sizes()[0]).toBe(16);
  });

  it('keeps its size after a provider that refuses everything', async () => {
    let refuses = true;
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'starting' } };
    const rpc = client((sent) => (refuses ? refusal : echo(sent)));
    await expect(rpc.batch(many(50))).rejects.toMatchObject({ name: 'JsonRpcError' });
    expect(requests.length).toBeLessThan(10);
    refuses = false;
    requests = [];
    expect(await rpc.batch(many(50))).toEqual(numbers(50));
    expect(sizes()).toEqual([50]);
  });
});

describe('a provider that limits the rate', () => {
  const limited = (retryAfter?: string): Response =>
    new Response('slow down', {
      status: 429,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    });

  it('is asked again after the time that it names', async () => {
    let left = 1;
    const rpc = client((sent) => (left-- > 0 ? limited('3') : echo(sent)));
    expect(await rpc.call(call(4))).toBe(4);
    expect(pauses).toEqual([3_000]);
  });

  it('may name the time as a date', async () => {
    let left = 1;
    const at = new Date(now + 2_000).toUTCString();
    const rpc = client((sent) => (left-- > 0 ? limited(at) : echo(sent)));
    await rpc.call(call());
    expect(pauses).toEqual([2_000]);
  });

  it('is not asked at all for a long time that it names', async () => {
    let isLimited = true;
    const rpc = client((sent) => (isLimited ? limited('120') : echo(sent)));
    const refused = { name: 'UnavailableError', message: /limits the rate of requests/ };
    await expect(rpc.call(call())).rejects.toMatchObject({
      name: refused.name,
      message: expect.stringMatching(refused.message) as string,
    });
    isLimited = false;
    now += 60_000;
    await expect(rpc.call(call())).rejects.toThrow(refused.message);
    expect(requests).toHaveLength(1);
    now += 61_000;
    expect(await rpc.call(call(6))).toBe(6);
    expect(pauses).toEqual([]);
  });

  it('is asked with growing pauses and jitter, and not for ever', async () => {
    const rpc = client(() => limited());
    await expect(rpc.call(call())).rejects.toMatchObject({ name: 'UnavailableError' });
    expect(requests).toHaveLength(3);
    expect(pauses).toEqual([375, 750]);
  });

  it.each([
    [429, 'Your app has exceeded its compute units per second capacity'],
    [-32005, 'daily request count exceeded, request rate limited'],
    [-32005, 'Too Many Requests'],
  ])('may say so for single calls by code %i', async (code, message) => {
    let left = 1;
    const rpc = client((sent) => {
      const answers = echo(sent) as object[];
      if (left-- > 0) answers[1] = { id: 1, error: { code, message } };
      return answers;
    });
    expect(await rpc.batch(many(3))).toEqual(numbers(3));
    left = 1_000;
    // A limit is no answer of the node: callers take an error response for one.
    await expect(rpc.batch(many(3))).rejects.toMatchObject({ name: 'UnavailableError' });
  });

  it('is not meant by a limit of a single call', async () => {
    const error = { code: -32005, message: 'query returned more than 10000 results' };
    const rpc = client(({ calls }) => calls.map(({ id }) => ({ id, error })));
    await expect(rpc.call(call())).rejects.toMatchObject({ name: 'JsonRpcError' });
    expect(requests).toHaveLength(1);
  });
});

describe('a provider that fails', () => {
  it.each([
    ['a connection that ends', () => Promise.reject(new TypeError('fetch failed'))],
    ['HTTP 502', () => html(502)],
    ['HTTP 503', () => html(503)],
  ])('is asked again after %s', async (_, failure: Respond) => {
    let left = 2;
    const rpc = client((sent) => (left-- > 0 ? failure(sent) : echo(sent)));
    expect(await rpc.call(call(4))).toBe(4);
    expect(pauses).toEqual([375, 750]);
    left = 1_000;
    await expect(rpc.call(call())).rejects.toMatchObject({ name: 'UnavailableError' });
  });

  it('gives one sentence for 403 in HTML, and is asked once', async () => {
    const rpc = client(() => html(403));
    await expect(rpc.batch(many(5))).rejects.toMatchObject({
      name: 'UnavailableError',
      message: 'The node refuses echo (HTTP 403)',
    });
    expect(requests).toHaveLength(1);
  });

  it('is not followed to another address', async () => {
    const moved = new Response(null, {
      status: 302,
      headers: { location: 'https://evil.example' },
    });
    await expect(client(() => moved).call(call())).rejects.toThrow(
      'The node answers with a redirect (HTTP 302)',
    );
  });

  it('is not asked again after a timeout', async () => {
    const rpc = client(() => Promise.reject(new DOMException('', 'TimeoutError')), {
      timeoutMs: 5_000,
    });
    await expect(rpc.call(call())).rejects.toThrow('The node does not answer within 5 seconds');
    expect(requests).toHaveLength(1);
  });

  it('that never answers is not waited for', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rpc = createJsonRpc({ url: `http://127.0.0.1:${port}/`, timeoutMs: 50 });
    await expect(rpc.call(call())).rejects.toThrow('does not answer within 0.05 seconds');
    server.closeAllConnections();
    server.close();
  });

  it('has the longest time that a call of the batch asks for', async () => {
    const rpc = client(() => Promise.reject(new DOMException('', 'TimeoutError')));
    await expect(rpc.call(call())).rejects.toThrow('within 10 seconds');
    const slow = { ...call(), timeoutMs: 30_000 };
    await expect(rpc.batch([call(), slow])).rejects.toThrow('within 30 seconds');
  });

  it('is refused above the limit of the response', async () => {
    const rpc = client(() => new Response('x'.repeat(1_001)), { maxBytes: 1_000 });
    await expect(rpc.call(call())).rejects.toThrow('The response of the node exceeds 1000 bytes');
    expect(requests).toHaveLength(1);
  });
});

describe('a secret', () => {
  const SECRETS = ['Sup3rSecretPath', 'Sup3rSecretQuery', 'Sup3rSecretPass', 'Sup3rSecretHeader'];
  const options = {
    url: 'https://us3rname:Sup3rSecretPass@node.example/v3/Sup3rSecretPath?key=Sup3rSecretQuery',
    headers: { 'x-api-key': 'Bearer Sup3rSecretHeader' },
  };
  const all = [
    ...SECRETS,
    'us3rname',
    'node.example',
    Buffer.from('us3rname:Sup3rSecretPass').toString('base64'),
  ].join(' ');

  function expectNone(error: unknown): void {
    expect(error).toBeInstanceOf(Error);
    // `URL` and DNS write a host in lower case.
    const text = inspect(error, { depth: 20, showHidden: true }).toLowerCase();
    for (const secret of all.split(' ')) expect(text).not.toContain(secret.toLowerCase());
  }

  it.each([
    [
      'a JSON-RPC error',
      ({ calls }: Sent) => [{ id: calls[0]!.id, error: { code: 1, message: all } }],
    ],
    ['a refusal', () => ({ id: null, error: { code: -32000, message: all } })],
    ['a page', () => new Response(all, { status: 403 })],
    ['text', () => new Response(`<html>${all}`)],
    ['a redirect', () => new Response(null, { status: 301, headers: { location: options.url } })],
    ['429', () => new Response(all, { status: 429 })],
    ['401', () => new Response(all, { status: 401 })],
    ['a server error', () => new Response(all, { status: 500, statusText: 'Sup3rSecretPath' })],
    ['another result', ({ calls }: Sent) => [{ id: calls[0]!.id, result: all }]],
    ['another form', () => ({ [all]: all })],
    ['a failed connection', () => Promise.reject(new TypeError(all, { cause: new Error(all) }))],
    ['a timeout', () => Promise.reject(new DOMException(all, 'TimeoutError'))],
    ['too long an answer', () => new Response(all.repeat(100))],
  ])('is in no error of %s', async (_, respond: Respond) => {
    const rpc = client(respond, { ...options, maxBytes: 5_000 });
    expectNone(
      await rpc.call({ ...call(), answer: z.literal('other') }).catch((error: unknown) => error),
    );
  });

  it('is in no reason why a result is unexpected', async () => {
    const rpc = client(({ calls }) => [{ id: calls[0]!.id, result: { [all]: 1 } }], options);
    const answer = z.strictObject({});
    const error = await rpc.call({ ...call(), answer }).catch((one: unknown) => one);
    expect(error).toMatchObject({
      cause: { message: expect.stringContaining('Unrecognized key') },
    });
    expectNone(error);
  });

  it('is in no error of the real network', async () => {
    const server = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const failure = (url: string) =>
      createJsonRpc({ url, headers: options.headers, sleep: async () => {} })
        .call(call())
        .catch((error: unknown) => error);
    const path = 'us3rname:Sup3rSecretPass@127.0.0.1';
    expectNone(await failure(`http://${path}:${port}/Sup3rSecretPath`));
    server.close();
    expectNone(await failure(`http://${path}:${port}/Sup3rSecretPath`));
    expectNone(await failure('http://us3rname:x@sup3rsecretpath.invalid/Sup3rSecretPath'));
  });

  afterEach(() => expect(JSON.stringify(pauses)).not.toContain('Sup3r'));
});
