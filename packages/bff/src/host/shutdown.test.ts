import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, type Server, get, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { token } from '../../test/support/bench.ts';
import { TestService } from '../../test/support/fake-service.ts';
import {
  inRoot,
  listening,
  portOf,
  run,
  SECRETS,
  serveService,
} from '../../test/support/process.ts';
import type { Bff } from '../app.ts';
import { listen } from './serve.ts';

const AT_ONCE = 12;

let folder = '';
let upstream: Server;
let serviceUrl = '';
/** Requests that create invoices wait for this. */
let gate: Promise<void> = Promise.resolve();
const waiting = { count: 0 };

beforeAll(() => void execFileSync(process.execPath, [inRoot('tools/built.mjs')]), 180_000);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bff-shutdown-'));
  upstream = serveService(new TestService(Date.now()), async (method) => {
    if (method !== 'POST') return;
    waiting.count += 1;
    await gate;
  });
  serviceUrl = await listening(upstream);
});
afterAll(async () => {
  upstream.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface Answer {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

async function post(url: string, body: unknown, agent: Agent): Promise<Answer> {
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function start(): Promise<{ child: ChildProcess; port: number; url: string }> {
  const child = run({
    ...SECRETS,
    SERVICE_URL: serviceUrl,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    RATE_LIMIT_RPS: '1000',
    RATE_LIMIT_BURST: '1000',
    LOG_LEVEL: 'warn',
  });
  const port = await portOf(child);
  return { child, port, url: `http://127.0.0.1:${port}` };
}

describe('after SIGTERM', () => {
  it('the process finishes requests in flight, ends streams and idle connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    const { child, port, url } = await start();
    try {
      const ids: string[] = [];
      for (let count = 0; count < AT_ONCE; count += 1) {
        const order = token({ order_id: `S-${count}`, exp: 2e9 });
        const { body } = await post(`${url}/checkouts`, { order }, agent);
        ids.push((JSON.parse(body) as { id: string }).id);
      }
      const [stream] = (await once(get(`${url}/checkouts/${ids[0]}/events`), 'response')) as [
        IncomingMessage,
      ];
      const streamed = text(stream);
      const silent = connect(port, '127.0.0.1');
      await once(silent, 'connect');
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => (open = resolve));
      waiting.count = 0;
      const choices = Promise.allSettled(
        ids.map((id) => post(`${url}/checkouts/${id}/payment`, { kind: 'BTC' }, agent)),
      );
      await expect.poll(() => waiting.count).toBe(AT_ONCE);

      const exited = once(child, 'exit');
      const begun = performance.now();
      child.kill('SIGTERM');
      // New connections are refused while the old requests still run.
      await expect.poll(() => refuses(port)).toBe(true);
      expect(await streamed).toContain('data: ');
      expect(child.exitCode).toBeNull();
      open();
      const outcomes = (await choices).map((one) =>
        one.status === 'fulfilled' ? [one.value.status, one.value.headers.connection] : 'reset',
      );
      expect(outcomes).toEqual(ids.map(() => [200, 'close']));
      expect(await exited).toEqual([0, null]);
      expect(performance.now() - begun).toBeLessThan(5000);
    } finally {
      child.kill('SIGKILL');
      agent.destroy();
    }
  });
});

describe('a server that stops', () => {
  it('cuts a request that never ends, after the longest wait', async () => {
    const app = new Hono().get('/', () => new Promise<Response>(() => undefined));
    const bff = Object.assign(app, { quickly: () => null, endStreams: () => undefined });
    const server = await listen(
      bff as unknown as Bff,
      { port: 0, host: '127.0.0.1' },
      { drainMs: 300 },
    );
    const sent = get(`http://127.0.0.1:${server.port}/`);
    const failed = once(sent, 'error');
    await once(sent, 'finish');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close();
    expect(((await failed) as [NodeJS.ErrnoException])[0].code).toBe('ECONNRESET');
  });
});

async function refuses(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
