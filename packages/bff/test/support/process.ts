import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../src/host/config.ts';
import { ORDER_SECRET, SHOP_SECRET } from './bench.ts';
import {
  API_KEY,
  API_SECRET,
  CALLBACK_TOKEN,
  PROFILE_ID,
  type TestService,
} from './fake-service.ts';

export const inRoot = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
export const SECRETS = {
  API_KEY,
  API_SECRET,
  NONCE_WINDOW: 'true',
  CALLBACK_TOKEN,
  PROFILE_ID,
  ORDER_SECRET,
  SHOP_SECRET,
};

/** Starts the built BFF. */
export function run(env: Record<string, string>): ChildProcess {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !(name in SETTINGS)),
  );
  return spawn(process.execPath, [inRoot('dist/server/bff.mjs')], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function outcome(
  child: ChildProcess,
): Promise<{ code: number | null; output: string }> {
  let output = '';
  child.stderr?.on('data', (data: Buffer) => (output += String(data)));
  // Not `exit`: output may still be pending.
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** The port that the process reports when it listens. */
export async function portOf(child: ChildProcess): Promise<number> {
  let output = '';
  child.stderr?.on('data', (data: Buffer) => (output += String(data)));
  for await (const line of createInterface({ input: child.stdout! }))
    if (line.includes('"listening"')) return (JSON.parse(line) as { port: number }).port;
  throw new Error(`did not start: ${output}`);
}

/** Listens on a free port and returns its URL. */
export const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Serves a service in memory over HTTP; `before` is awaited before each request. */
export function serveService(
  service: TestService,
  before: (method: string) => Promise<void> = async () => undefined,
): Server {
  return createServer((request, response) => {
    void (async () => {
      const method = request.method ?? 'GET';
      await before(method);
      const answer = await service.fetch(`http://service.test${request.url}`, {
        method,
        headers: request.headers as Record<string, string>,
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    })();
  });
}
