import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bff } from '../app.ts';
import { type Listening, listen } from './serve.ts';

let server: Listening;

beforeAll(async () => {
  const app = new Hono().get('/', (c) => c.text('one')).get('/none', (c) => c.body(null, 204));
  const bff = Object.assign(app, { quickly: () => null, endStreams: () => undefined });
  server = await listen(bff as unknown as Bff, { port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

/** Sends requests over one connection, each after the answer before; returns their heads. */
async function heads(...requests: string[]): Promise<string[]> {
  const socket = connect(server.port, '127.0.0.1');
  const read: string[] = [];
  try {
    for (const request of requests) {
      socket.write(`${request}\r\nHost: localhost\r\n\r\n`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      read.push(String(data).split('\r\n\r\n')[0]!);
    }
    return read;
  } finally {
    socket.destroy();
  }
}

describe('a connection', () => {
  it('of HTTP/1.1 stays open, and no header says so', async () => {
    const all = await heads('GET / HTTP/1.1', 'GET /none HTTP/1.1', 'GET / HTTP/1.1');
    expect(all.map((head) => head.split('\r\n')[0])).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 204 No Content',
      'HTTP/1.1 200 OK',
    ]);
    for (const head of all) expect(head).not.toMatch(/^(?:connection|keep-alive):/im);
  });

  it('of HTTP/1.0 stays open where the client asks, and a header says so', async () => {
    const request = 'GET / HTTP/1.0\r\nConnection: keep-alive';
    const all = await heads(request, request);
    for (const head of all) expect(head).toMatch(/^connection: keep-alive$/im);
  });

  it.each(['GET / HTTP/1.1\r\nConnection: close', 'GET / HTTP/1.0'])(
    'that ends is announced: %j',
    async (request) => {
      expect((await heads(request))[0]).toMatch(/^connection: close$/im);
    },
  );
});
