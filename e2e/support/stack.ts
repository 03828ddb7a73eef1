import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const server = (name: string): string =>
  fileURLToPath(new URL(`../../dist/server/${name}.mjs`, import.meta.url));

/** The credentials file of `npm start`. */
export interface Credentials {
  gateway_url: string;
  public_url: string;
  shop_url: string;
  api_key: string;
  api_secret: string;
  approve_key: string;
  approve_secret: string;
  callback_token: string;
  profile_id: string;
  account_id: string;
  order_secret: string;
  shop_secret: string;
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });

/** Polls until the answer is truthy; `what` is in the error when it never is. */
export async function until<T>(
  what: string,
  ask: () => Promise<T> | T,
  timeoutMs = 20_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(`waited ${timeoutMs} ms for ${what}; last: ${String(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** A server process, with the end of its output for the test report. */
export class Server {
  readonly process: ChildProcess;
  output = '';

  constructor(name: string, env: Record<string, string>) {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([key]) => !/^(DATA_DIR|PORT|HOST|.*_URL)$/.test(key)),
    );
    this.process = spawn(
      process.execPath,
      ['--enable-source-maps', '--max-http-header-size=65536', server(name)],
      {
        env: { ...clean, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const keep = (data: Buffer): void => {
      this.output = (this.output + String(data)).slice(-20_000);
    };
    this.process.stdout?.on('data', keep);
    this.process.stderr?.on('data', keep);
  }

  get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (!this.running) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await ended;
  }
}

/** Gateway, BFF and demo shop on ports and in a folder of their own. */
export class Stack {
  readonly dataDir: string;
  readonly gatewayPort: number;
  readonly publicPort: number;
  readonly shopPort: number;
  readonly env: Record<string, string>;
  readonly servers = new Map<string, Server>();

  /** Removes the database of this stack. */
  #dropDatabase: (() => Promise<void>) | null = null;

  private constructor(ports: [number, number, number], env: Record<string, string>) {
    [this.gatewayPort, this.publicPort, this.shopPort] = ports;
    this.dataDir = mkdtempSync(join(tmpdir(), 'cc-'));
    this.env = env;
  }

  get gatewayUrl(): string {
    return `http://127.0.0.1:${this.gatewayPort}`;
  }
  get publicUrl(): string {
    return `http://localhost:${this.publicPort}`;
  }
  get shopUrl(): string {
    return `http://localhost:${this.shopPort}`;
  }
  get credentials(): Credentials {
    return JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as Credentials;
  }

  /**
   * Starts all three servers, or only the named ones. Blocks are mined by hand unless
   * `SANDBOX_BLOCK_SECONDS` says otherwise.
   */
  static async start(
    env: Record<string, string> = {},
    parts: readonly ('gateway' | 'bff' | 'shop')[] = ['gateway', 'bff', 'shop'],
  ): Promise<Stack> {
    const stack = new Stack([await freePort(), await freePort(), await freePort()], {
      SANDBOX_BLOCK_SECONDS: '0',
      RATE_LIMIT_RPS: '2000',
      RATE_LIMIT_BURST: '6000',
      ...env,
    });
    if (process.env['DATABASE_URL']) await stack.#createDatabase(process.env['DATABASE_URL']);
    try {
      for (const part of parts) await stack.launch(part);
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  /** With `DATABASE_URL` each stack has a database of its own on that server. */
  async #createDatabase(serverUrl: string): Promise<void> {
    const name = `cc_e2e_${process.pid}_${this.gatewayPort}`;
    const run = async (sql: string): Promise<void> => {
      const client = new pg.Client({ connectionString: serverUrl });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    };
    await run(`create database ${name}`);
    this.#dropDatabase = () => run(`drop database if exists ${name} with (force)`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    this.env['DATABASE_URL'] = url.href;
  }

  /** Starts one server and waits until it answers. */
  async launch(part: 'gateway' | 'bff' | 'shop'): Promise<Server> {
    const settings = this.#settings(part);
    const running = new Server(part, { ...this.env, ...settings });
    this.servers.set(part, running);
    const url = {
      gateway: `${this.gatewayUrl}/readyz`,
      bff: `${this.publicUrl}/readyz`,
      shop: `${this.shopUrl}/livez`,
    }[part];
    await until(
      `${part} to be ready`,
      async () => {
        if (!running.running) throw new Error(`${part} ended: ${running.output}`);
        return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
      },
      // Two stacks start at once, beside other tests on the same two cores.
      150_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${running.output}`);
    });
    return running;
  }

  #settings(part: 'gateway' | 'bff' | 'shop'): Record<string, string> {
    const shared = {
      DATA_DIR: this.dataDir,
      PUBLIC_URL: this.publicUrl,
      SHOP_URL: this.shopUrl,
      METRICS_PORT: '0',
    };
    if (part === 'gateway')
      return {
        ...shared,
        GATEWAY_PORT: String(this.gatewayPort),
        SCAN_INTERVAL_MS: '200',
        GATEWAY_URL: this.gatewayUrl,
        CALLBACK_URL: this.env['CALLBACK_URL'] ?? `http://127.0.0.1:${this.publicPort}/callbacks`,
        OUTBOUND_ALLOW: this.env['OUTBOUND_ALLOW'] ?? `127.0.0.1/32:${this.publicPort}`,
      };
    const webhook = {
      SHOP_WEBHOOK_SECRET: `whsec_${Buffer.from('end-to-end-test-webhook-secret-01').toString('base64')}`,
    };
    if (part === 'bff')
      return {
        ...shared,
        ...webhook,
        PORT: String(this.publicPort),
        SERVICE_URL: this.gatewayUrl,
        EMBED_ORIGINS: `${this.shopUrl} ${this.env['EMBED_ORIGINS'] ?? ''}`,
        SUCCESS_ORIGINS: this.shopUrl,
        SHOP_WEBHOOK_URL:
          this.env['SHOP_WEBHOOK_URL'] ?? `http://127.0.0.1:${this.shopPort}/webhook`,
        MERCHANT_NAME: 'Quay & Co.',
        ELEMENTS_DIR: fileURLToPath(new URL('../../dist/elements', import.meta.url)),
      };
    return {
      ...shared,
      ...webhook,
      SHOP_PORT: String(this.shopPort),
      GATEWAY_URL: this.gatewayUrl,
      ORDER_SECRET: this.credentials.order_secret,
    };
  }

  /** A sandbox control call; throws the service's answer when it is refused. */
  async sandbox<T = Record<string, unknown>>(
    action: string,
    body: Record<string, unknown>,
  ): Promise<T> {
    const answer = await fetch(`${this.gatewayUrl}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`/sandbox/${action} ${JSON.stringify(body)}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /**
   * A request with the shop's secret, as the shop's server sends it; throws the answer when it is
   * refused.
   */
  async asShop<T = { id: string }>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(this.publicUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.credentials.shop_secret}`,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Changes the gateway's database directly, for states that no API sets. */
  async sql(text: string, values: readonly string[] = []): Promise<void> {
    const url = this.env['DATABASE_URL'];
    // The embedded server's socket folder is in the fifth line of its pid file.
    const [, , , port, host] = url
      ? []
      : readFileSync(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const client = new pg.Client(
      url
        ? { connectionString: url }
        : { host: host!.trim(), port: Number(port), user: 'postgres', database: 'crypto_checkout' },
    );
    await client.connect();
    try {
      await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }

  /** The demo shop's state of an order, which comes from webhooks only. */
  async orderStatus(id: string): Promise<string> {
    return (
      (await (await fetch(`${this.shopUrl}/orders/${id}/status`)).json()) as { status: string }
    ).status;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values()].toReversed().map((running) => running.end()));
    await stopPostgres(this.dataDir);
    await this.#dropDatabase?.();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** A database that outlived its gateway (kill -9) is ended by the id in its own pid file. */
async function stopPostgres(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!pid) return;
  try {
    process.kill(pid, 'SIGINT');
    await until('postgres to end', () => !existsSync(file), 10_000);
  } catch {
    // It had ended already.
  }
}
