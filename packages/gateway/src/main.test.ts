import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sentBody } from './callback/stored-body.ts';
import { signedHeaders } from '../test/support/call.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

interface Gateway {
  process: ChildProcess;
  url: string;
  output(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

let dataDir: string;
let server: Server;
let hook: string;
let received: Map<string, string[]>;
const running = new Set<Gateway>();

const inRoot = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));

beforeAll(() => void execFileSync(process.execPath, [inRoot('tools/built.mjs')]));
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cc-main-'));
  received = new Map();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      received.set(id, [...(received.get(id) ?? []), body]);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;
});
afterEach(async () => {
  await Promise.all([...running].map((gateway) => gateway.end('SIGTERM')));
  server.closeAllConnections();
  server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DATA_DIR: dataDir,
  PORT: '0',
  CALLBACK_URL: hook,
  OUTBOUND_ALLOW: `127.0.0.1/32:${new URL(hook).port}`,
  SANDBOX_BLOCK_SECONDS: '0',
  SCAN_INTERVAL_MS: '100',
  RATE_LIMIT_RPS: '10000',
  RATE_LIMIT_BURST: '10000',
  ...env,
});

function spawnGateway(env: Record<string, string> = {}): {
  process: ChildProcess;
  output: () => string;
} {
  const child = spawn(process.execPath, [inRoot('dist/server/gateway.mjs')], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const keep = (data: Buffer): void => void (text += String(data));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { process: child, output: () => text };
}

async function startGateway(env: Record<string, string> = {}): Promise<Gateway> {
  const { process: child, output } = spawnGateway(env);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const line = await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(output());
      return JSON.parse(/^.*"msg":"listening".*$/m.exec(output())![0]) as { url: string };
    },
    { timeout: 60_000, interval: 30 },
  );
  const gateway: Gateway = {
    process: child,
    url: line.url,
    output,
    async end(signal) {
      running.delete(gateway);
      child.kill(signal);
      return ended;
    },
  };
  running.add(gateway);
  return gateway;
}

const credentials = (): Record<string, string> =>
  JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Record<string, string>;

let nonce = BigInt(Date.now());
async function call(
  url: string,
  method: string,
  path: string,
  members: Record<string, unknown> = {},
) {
  const { api_key: key = '', api_secret: secret = '' } = credentials();
  const payload = encodePayload({ request: path, ...members }, (nonce += 1n));
  const answer = await fetch(url + path, {
    method,
    headers: signedHeaders({ key, secret }, payload),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { result: Record<string, unknown> },
  };
}

async function sandbox(url: string, action: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/sandbox/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** Reads the embedded database directly. */
async function query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
  const [, , , port, host] = readFileSync(
    join(dataDir, 'postgres', 'postmaster.pid'),
    'utf8',
  ).split('\n');
  const client = new pg.Client({
    host: host!,
    port: Number(port),
    user: 'postgres',
    database: 'crypto_checkout',
  });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the process', () => {
  it('says with one sentence what is wrong with a setting, and ends with 1', async () => {
    const { process: child, output } = spawnGateway({ PORT: 'eighty', PUBLIC_URL: 'nowhere' });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(output().trim().split('\n')).toEqual([
      'PORT must be a whole number from 0 to 65535, not "eighty".',
      'PUBLIC_URL must be an http or https URL, not "nowhere".',
    ]);
  });

  it.each([
    [
      'a port that is taken',
      () => ({ GATEWAY_PORT: new URL(hook).port }),
      /^The port \d+ on 127\.0\.0\.1 is taken; set another PORT or GATEWAY_PORT\.$/,
    ],
    [
      'a host of another machine',
      () => ({ HOST: '192.0.2.1' }),
      /^HOST must be an address of this machine, not "192\.0\.2\.1"\.$/,
    ],
    [
      'a metrics port that is taken',
      () => ({ METRICS_PORT: new URL(hook).port }),
      /^The port \d+ on .* set another METRICS_PORT\.$/,
    ],
    [
      'words that are no mnemonic',
      () => ({ TEST_MNEMONIC: 'let me in' }),
      /^TEST_MNEMONIC must be a BIP39 mnemonic\.$/,
    ],
  ])(
    'says with one sentence that it can not start with %s, and leaves no database behind',
    async (_, env, sentence) => {
      const { process: child, output } = spawnGateway({ LOG_LEVEL: 'error', ...env() });
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
      expect(output().trim()).toMatch(sentence);
      expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
      expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
    },
  );

  it('says with one sentence that its folder is a file, lies below one, or can not be written, and what to set', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    // Node's recursive mkdir never ends there.
    const kernels = process.platform === 'linux' ? ['/proc/x', '/proc/x/y', '/proc'] : [];
    for (const folder of [file, join(file, 'below'), ...kernels]) {
      const { process: child, output } = spawnGateway({ LOG_LEVEL: 'error', DATA_DIR: folder });
      const ended = new Promise((resolve) =>
        child.once('exit', (code, signal) => resolve(code ?? signal)),
      );
      const tooLong = setTimeout(() => child.kill('SIGKILL'), 30_000);
      expect(await ended).toBe(1);
      clearTimeout(tooLong);
      const sentence = `DATA_DIR can't be used: ${folder} \\([A-Z]+: .*\\)\\. Set DATA_DIR to a folder that this user may write to\\.`;
      expect(output().trim()).toMatch(new RegExp(`^${sentence}$`));
    }
  });

  it('leaves the database of a gateway that runs alone when a second one can not start', async () => {
    const first = await startGateway();
    const { process: second } = spawnGateway({ GATEWAY_PORT: new URL(first.url).port });
    expect(await new Promise((resolve) => second.once('exit', resolve))).toBe(1);
    expect((await call(first.url, 'GET', '/v1/profiles/')).status).toBe(200);
    expect(first.output()).not.toContain('the database ended');
  });

  it('asked to end while it starts, ends in order and leaves no database behind', async () => {
    for (const delay of [0, 500]) {
      const folder = join(dataDir, String(delay));
      const { process: child } = spawnGateway({ DATA_DIR: folder });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await vi.waitFor(() => expect(existsSync(folder)).toBe(true), {
        timeout: 60_000,
        interval: 10,
      });
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(existsSync(join(folder, 'postgres', 'PG_VERSION'))).toBe(true);
      expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
    }
  });

  it('ends in order when it is asked to, and starts with the same keys again', async () => {
    const first = await startGateway({ OUTBOUND_ALOW: '127.0.0.1/32' });
    expect(first.output()).toContain(
      'The setting OUTBOUND_ALOW is unknown; is OUTBOUND_ALLOW meant?',
    );
    expect(first.output()).toMatch(
      /"event":"chains_served","network":"testnet","chains":\{.*"ethereum":"sandbox"/,
    );
    const before = credentials();
    expect(before['gateway_url']).toBe(first.url);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    // Also when the system chose the port.
    expect((await call(first.url, 'GET', '/v1/account/settings/')).body.result['url']).toBe(
      `${first.url}/dashboard/`,
    );
    expect(await first.end('SIGTERM')).toBe(0);
    expect(first.output()).not.toContain('"level":50');
    const second = await startGateway();
    expect({ ...credentials(), gateway_url: '' }).toEqual({ ...before, gateway_url: '' });
    expect((await call(second.url, 'GET', '/v1/profiles/')).status).toBe(200);
  });

  it('killed at any moment of its first start makes one account, with the keys that it wrote', async () => {
    for (const delay of [200, 500, 900, 1_300, 1_700]) {
      const { process: child } = spawnGateway();
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await new Promise((resolve) =>
        (child.exitCode ?? child.signalCode) ? resolve(null) : child.once('exit', resolve),
      );
    }
    const { url } = await startGateway();
    expect((await call(url, 'GET', '/v1/profiles/')).status).toBe(200);
    expect(
      await query(
        'select count(*)::int as accounts, (select count(*)::int from api_key) as keys from account',
      ),
    ).toEqual([{ accounts: 1, keys: 3 }]);
  });

  it('killed again and again while payments come in loses no invoice, no payment and no callback', async () => {
    let gateway = await startGateway();
    const { profile_id } = credentials();
    const acknowledged: { invoice: string; txid: string }[] = [];
    const market = { open: true };
    const buy = async (): Promise<void> => {
      while (market.open) {
        try {
          const created = await call(gateway.url, 'POST', '/v1/invoices/', {
            profile_id,
            amount: '5',
            currency: 'USD',
            kind: 'LTC',
          });
          if (created.status !== 201) continue;
          const invoice = String(created.body.result['id']);
          const { txid } = await sandbox(gateway.url, 'pay', { invoice_id: invoice });
          acknowledged.push({ invoice, txid: txid! });
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const buyers = Array.from({ length: 4 }, buy);
    for (let kill = 0; kill < 5; kill++) {
      // However slow the machine is: kills after something was acknowledged, each time at another
      // moment.
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 1), {
        timeout: 30_000,
        interval: 20,
      });
      await new Promise((resolve) => setTimeout(resolve, 170 * kill));
      await gateway.end('SIGKILL');
      gateway = await startGateway();
    }
    market.open = false;
    await Promise.all(buyers);
    expect(acknowledged.length).toBeGreaterThan(5);
    await sandbox(gateway.url, 'mine', { kind: 'LTC', blocks: 7 });

    for (const { invoice, txid } of acknowledged) {
      const { body } = await call(gateway.url, 'GET', `/v1/invoices/${invoice}/`);
      expect(body.result).toMatchObject({
        id: invoice,
        status: 'complete',
        transactions: [{ txid }],
      });
    }
    // Every event of a resource was queued, and every queued callback arrived.
    const events =
      'select id, unnest(events) as event from invoice union all select id, unnest(events) from transaction';
    expect(
      await query(
        `select * from (${events}) e full join callback c on c.resource_id = e.id and c.event = e.event where c.id is null or e.id is null`,
      ),
    ).toEqual([]);
    const queued = await query<{ id: string; body: string }>('select id, body from callback');
    expect(queued.length).toBeGreaterThanOrEqual(acknowledged.length * 6);
    await vi.waitFor(() => expect(queued.filter(({ id }) => !received.has(id))).toEqual([]), {
      timeout: 60_000,
      interval: 100,
    });
    for (const { id, body } of queued)
      expect(new Set(received.get(id))).toEqual(new Set([sentBody(body)]));
  });
});
