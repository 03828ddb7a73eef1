import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { createApp } from '../app.ts';
import { listen, type Listening } from './server.ts';
import {
  nextNonce,
  signedHeaders,
  testAccount,
  type TestAccount,
} from '../../test/support/call.ts';

let context: TestContext;
let account: TestAccount;
let server: Listening;

beforeAll(async () => {
  context = await testContext({ config: loadConfig({ PORT: '0', SECRETS_KEY: '00'.repeat(32) }) });
  account = await testAccount(context);
  server = await listen(createApp(context), context);
});
afterAll(async () => {
  await server.close();
  await context.close();
});

/** The raw answer to these bytes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => (answer += String(data)));
    socket.on('end', () => resolve(answer));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const head = (
  headers: Record<string, string> | [string, string][],
  path = '/v1/profiles/',
  method = 'GET',
): string => {
  const lines = (Array.isArray(headers) ? headers : Object.entries(headers)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${lines.join('')}\r\n`;
};
const signed = (members: Record<string, unknown> = {}, path = '/v1/profiles/') =>
  signedHeaders(account.api, encodePayload({ request: path, ...members }, nextNonce()));
const parse = (answer: string) => ({
  status: Number(answer.split(' ')[1]),
  headers: answer.split('\r\n\r\n')[0] ?? '',
  body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>,
});

describe('the server', () => {
  it('answers a signed request with one Date header, the business time', async () => {
    const { status, headers } = parse(
      (await raw(head(signed())))
        .replace(/\r\n\r\n[0-9a-f]+\r\n/, '\r\n\r\n')
        .replace(/\r\n0\r\n\r\n$/, ''),
    );
    expect(status).toBe(200);
    expect(headers.match(/^date: .*$/gim)).toEqual([
      expect.stringContaining(new Date(context.clock.now()).toUTCString()),
    ]);
  });

  it.each(['X-CC-KEY', 'X-CC-PAYLOAD', 'X-CC-SIGNATURE'])(
    'refuses two headers %s, in any case of letters',
    async (name) => {
      const headers = Object.entries(signed());
      const value = headers.find(([key]) => key === name)![1];
      for (const second of [value, '']) {
        const { status, body } = parse(await raw(head([...headers, [name.toLowerCase(), second]])));
        expect([status, body['reason']]).toEqual([400, 'MissingHeaders']);
      }
    },
  );

  it('accepts a payload of 32 KiB, refuses a longer one with 413, and headers above 64 KiB with 431', async () => {
    const text = (length: number) => signed({ notes: 'x'.repeat(length) });
    expect(text(24_400)['X-CC-PAYLOAD']!.length).toBeGreaterThan(32_000);
    expect((await raw(head(text(24_400)))).startsWith('HTTP/1.1 200')).toBe(true);
    const long = parse(await raw(head(text(24_600))));
    expect([long.status, long.body['reason']]).toEqual([413, 'PayloadTooLarge']);
    const huge = parse(await raw(head(text(60_000))));
    expect([huge.status, huge.body['reason'], huge.body['result']]).toEqual([
      431,
      'PayloadTooLarge',
      'error',
    ]);
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a host that is none', 'GET /livez HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
  ])('answers 400 to %s', async (_, text) => {
    expect((await raw(text)).startsWith('HTTP/1.1 400')).toBe(true);
  });

  it('ignores a body of any length', async () => {
    const body = 'x'.repeat(300_000);
    const headers: Record<string, string> = {
      ...signed({}, '/v1/invoices/'),
      'Content-Length': String(body.length),
      'Content-Type': 'text/plain',
    };
    const answer = await raw(head(headers, '/v1/invoices/', 'POST') + body);
    expect(answer.startsWith('HTTP/1.1 400')).toBe(true);
    expect(answer).toContain('ValidationError');
  });

  it('matches paths with any number of slashes', async () => {
    expect((await raw(head(signed(), '//v1//profiles'))).startsWith('HTTP/1.1 200')).toBe(true);
    expect((await raw(head({}, '//livez'))).startsWith('HTTP/1.1 200')).toBe(true);
    // An absolute URL in the request line is for proxies; its host is not checked.
    expect(
      (await raw(head(signed(), 'http://elsewhere/v1/profiles/'))).startsWith('HTTP/1.1 200'),
    ).toBe(true);
  });

  it('stops at once beside connections that are silent or kept alive', async () => {
    const stopping = await listen(createApp(context), context);
    const silent = connect(stopping.port, '127.0.0.1');
    await once(silent, 'connect');
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(
      get({ port: stopping.port, path: '/livez', agent }).on('error', () => undefined),
      'response',
    )) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    const cut = once(silent, 'close');
    // Longer than the limit of a test if it waits for them.
    await stopping.close();
    await cut;
    agent.destroy();
  });

  it('does not reveal its software', async () => {
    const { headers } = parse(await raw(head({})));
    expect(headers).not.toMatch(/^(server|x-powered-by):/im);
  });
});
