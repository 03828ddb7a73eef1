import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtElements } from './elements.ts';
import {
  API_KEY,
  API_SECRET,
  CALLBACK_TOKEN,
  PROFILE_ID,
  TestService,
} from '../../test/support/fake-service.ts';
import {
  inRoot,
  listening,
  outcome,
  portOf,
  run,
  SECRETS,
  serveService,
} from '../../test/support/process.ts';
import { ORDER_SECRET, SHOP_SECRET, WEBHOOK_SECRET, token } from '../../test/support/bench.ts';

let folder = '';
let service: TestService;
let upstream: Server;
let shop: Server;
const delivered: { id: string; event: string; order: string }[] = [];
const children: ChildProcess[] = [];

beforeAll(() => void execFileSync(process.execPath, [inRoot('tools/built.mjs')]));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bff-host-'));
  service = new TestService(Date.now());
  upstream = serveService(service);
  shop = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += String(data)));
    request.on('end', () => {
      const { event, order_id } = JSON.parse(body) as { event: string; order_id: string };
      delivered.push({ id: String(request.headers['webhook-id']), event, order: order_id });
      response.writeHead(204).end();
    });
  });
  SHARED['SERVICE_URL'] = await listening(upstream);
  SHARED['SHOP_WEBHOOK_URL'] = `${await listening(shop)}/hook`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  upstream.close();
  shop.close();
  // A killed process may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const SHARED: Record<string, string> = {
  ...SECRETS,
  PORT: '0',
  LOG_LEVEL: 'warn',
  SHOP_WEBHOOK_SECRET: WEBHOOK_SECRET,
  RATE_LIMIT_RPS: '10000',
  RATE_LIMIT_BURST: '100000',
};

async function start(
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = run({ ...SHARED, DATA_DIR: join(folder, 'data'), ...env });
  children.push(child);
  return { child, url: `http://127.0.0.1:${await portOf(child)}` };
}

interface View {
  id: string;
  payment: { invoice_id: string };
}

async function post(url: string, body: unknown): Promise<View> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as View;
}

async function deliver(url: string, event: string, id: string): Promise<number> {
  const request = service.callback(event, id);
  return (
    await fetch(`${url}/callbacks`, {
      method: 'POST',
      headers: request.headers,
      body: await request.text(),
      signal: AbortSignal.timeout(5000),
    })
  ).status;
}

describe('the process', () => {
  it.each([
    [{}, /SERVICE_URL is missing/],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', ORDER_SECRET: '' },
      /ORDER_SECRET is missing: it verifies order tokens\./,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', CALLBACK_TOKEN: ' ' },
      /CALLBACK_TOKEN is missing: it verifies callbacks from the service\./,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', SHOP_SECRET: 'short' },
      /SHOP_SECRET is shorter than 16 characters/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', SHOP_WEBHOOK_URL: 'http://127.0.0.1:2' },
      /SHOP_WEBHOOK_SECRET is missing/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', SHOP_WEBHOOK_SECRET: 'not base64 !' },
      /SHOP_WEBHOOK_SECRET must be whsec_/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'ftp://x' },
      /SERVICE_URL must be an http or https URL, not "ftp:\/\/x"/,
    ],
    [
      {
        ...SECRETS,
        SERVICE_URL: 'http://127.0.0.1:1',
        PORT: '99999',
        EMBED_ORIGINS: 'https://shop.example/path',
      },
      /PORT must be[^]*EMBED_ORIGINS must hold origins/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', CATALOGUE: '/does/not/exist.json' },
      /CATALOGUE must name a JSON file/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', ELEMENTS_DIR: '/does/not/exist' },
      /ELEMENTS_DIR must be a folder/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', TRUSTED_PROXIES: 'everyone' },
      /TRUSTED_PROXIES must hold addresses or CIDRs/,
    ],
    [
      { ...SECRETS, SERVICE_URL: 'http://127.0.0.1:1', DATA_DIR: '/does/not/exist' },
      /DATA_DIR can't be used: .*\/does\/not does not exist/,
    ],
  ] as [Record<string, string>, RegExp][])('refuses to start with %j', async (env, sentence) => {
    const { code, output } = await outcome(run({ DATA_DIR: join(folder, 'none'), ...env }));
    expect(code).toBe(1);
    expect(output).toMatch(sentence);
    for (const secret of [API_SECRET, ORDER_SECRET, 'not base64 !'])
      expect(output).not.toContain(secret);
  });

  it('names the setting of a port in use', async () => {
    const taken = new URL(SHARED['SERVICE_URL'] ?? '').port;
    for (const setting of ['PORT', 'METRICS_PORT']) {
      const { code, output } = await outcome(
        run({ ...SHARED, DATA_DIR: join(folder, 'taken'), [setting]: taken }),
      );
      expect([code, output]).toEqual([
        1,
        `The port ${taken} on 127.0.0.1 is taken; set another ${setting}.\n`,
      ]);
    }
  });

  it('uses the files of the gateway, and exits cleanly', async () => {
    const data = join(folder, 'written');
    await mkdir(data);
    await writeFile(
      join(data, 'bff.json'),
      JSON.stringify({ api_key: API_KEY, api_secret: API_SECRET }),
    );
    await writeFile(
      join(data, 'credentials.json'),
      JSON.stringify({
        gateway_url: SHARED['SERVICE_URL'],
        callback_token: CALLBACK_TOKEN,
        profile_id: PROFILE_ID,
        order_secret: ORDER_SECRET,
        shop_secret: SHOP_SECRET,
      }),
    );
    const child = run({ DATA_DIR: data, PORT: '0', LOG_LEVEL: 'warn' });
    children.push(child);
    let logged = '';
    child.stdout!.on('data', (piece) => (logged += String(piece)));
    const url = `http://127.0.0.1:${await portOf(child)}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    // The files of its own build, without a setting.
    expect((await fetch(`${url}/crypto-checkout.js`)).status).toBe(200);
    expect(logged).toContain('shop_webhook_missing');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('starts once for one folder', async () => {
    const { child, url } = await start({ DATA_DIR: join(folder, 'once') });
    const { code, output } = await outcome(run({ ...SHARED, DATA_DIR: join(folder, 'once') }));
    expect([code, output]).toEqual([
      1,
      `Another BFF uses ${join(folder, 'once', 'checkouts')}: stop it, or set another DATA_DIR. Several processes need DATABASE_URL.\n`,
    ]);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const again = await start({ DATA_DIR: join(folder, 'once') });
    expect((await fetch(`${again.url}/livez`)).status).toBe(200);
  });

  it('finds no browser files without a build', () => {
    expect(builtElements(pathToFileURL(inRoot('packages/bff/src/main.ts')).href)).toBe(
      inRoot('dist/elements'),
    );
    expect(builtElements(pathToFileURL(join(folder, 'dist/server/bff.mjs')).href)).toBeNull();
  });

  it('uses browser files of its own build only', async () => {
    const server = pathToFileURL(join(folder, 'around/shop/dist/server/bff.mjs')).href;
    const built = async (path: string): Promise<string> => {
      const elements = join(folder, path, 'dist/elements');
      await mkdir(elements, { recursive: true });
      await writeFile(join(elements, 'manifest.json'), '{}');
      return elements;
    };
    await built('around');
    expect(builtElements(server)).toBeNull();
    const own = await built('around/shop');
    expect(builtElements(server)).toBe(own);
    expect(
      builtElements(pathToFileURL(join(folder, 'around/shop/packages/bff/src/main.ts')).href),
    ).toBe(own);
  });

  it('streams events, and serves metrics on another port', async () => {
    const metricsPort = await freePort();
    const { child, url } = await start({ METRICS_PORT: String(metricsPort) });
    const { id } = await post(`${url}/checkouts`, {
      order: token({ order_id: 'stream', exp: 2e9 }),
    });
    const lines: string[] = [];
    const request = get(`${url}/checkouts/${id}/events`);
    const [response] = (await once(request, 'response')) as [
      NodeJS.ReadableStream & { headers: Record<string, string> },
    ];
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(response.headers['x-accel-buffering']).toBe('no');
    const ended = once(response, 'end');
    createInterface({ input: response }).on('line', (line) => lines.push(line));
    await expect.poll(() => lines.some((line) => line.startsWith('data: '))).toBe(true);
    const { payment } = await post(`${url}/checkouts/${id}/payment`, { kind: 'BTC' });
    service.pay(payment.invoice_id, { confirmations: 6 });
    expect(await deliver(url, 'invoice_complete', payment.invoice_id)).toBe(200);
    await ended;
    const stages = lines.flatMap((line) =>
      line.startsWith('data: ') ? [(JSON.parse(line.slice(6)) as { stage: string }).stage] : [],
    );
    expect(stages).toEqual(['choose', 'pay', 'complete']);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('bff_event_streams 0');
    // A page whose name leads here could read the figures.
    const rebound = get(`http://127.0.0.1:${metricsPort}/metrics`, {
      headers: { host: 'shop.example' },
    });
    const [refused] = (await once(rebound, 'response')) as [{ statusCode: number }];
    expect(refused.statusCode).toBe(403);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('uses the selected free port in its URLs', async () => {
    const { child, url } = await start();
    const answer = await fetch(`${url}/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order: token({ order_id: 'port', exp: 2e9 }) }),
    });
    expect(answer.headers.get('location')).toMatch(
      new RegExp(`^http://localhost:${new URL(url).port}/pay/`),
    );
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('answers the status on the fast path with the bytes of the app', async () => {
    const { child, url } = await start();
    const { id } = await post(`${url}/checkouts`, {
      order: token({ order_id: 'quick', exp: 2e9 }),
    });
    const { payment } = await post(`${url}/checkouts/${id}/payment`, { kind: 'BTC' });
    const ask = async (query: string) => {
      const answer = await fetch(`${url}/sdk/v1/invoices/status/?${query}`);
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'));
      return { status: answer.status, headers, body: await answer.text() };
    };
    const dashless = payment.invoice_id.replaceAll('-', '').toUpperCase();
    await ask(`id=${payment.invoice_id}`);
    // A second parameter disables the fast path.
    const [slow, quick, other] = [
      await ask(`x=1&id=${payment.invoice_id}`),
      await ask(`id=${payment.invoice_id}`),
      await ask(`id=${dashless}`),
    ];
    expect(slow.status).toBe(200);
    expect(quick).toEqual(slow);
    expect(other).toEqual(slow);
    expect((await ask('id=11111111-1111-4111-8111-111111111111')).status).toBe(404);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it(
    'loses no checkout, invoice or event when it is killed at any time',
    { timeout: 240_000 },
    async () => {
      const data = { DATA_DIR: join(folder, 'killed') };
      const orders = new Map<string, { checkout: string; invoice: string | null }>();
      const made = service.invoices.length;
      for (let round = 0; round < 8; round += 1) {
        const { child, url } = await start(data);
        // Each round is killed after a different number of responses, independent of the speed of
        // the machine.
        let answers = 0;
        const answered = (): void => {
          answers += 1;
          if (answers === 1 + round * 14) child.kill('SIGKILL');
        };
        const death = once(child, 'exit');
        const buy = async (orderId: string): Promise<void> => {
          const { id } = await post(`${url}/checkouts`, {
            order: token({ order_id: orderId, exp: 2e9 }),
          });
          orders.set(orderId, { checkout: id, invoice: null });
          answered();
          const { payment } = await post(`${url}/checkouts/${id}/payment`, { kind: 'BTC' });
          const { invoice_id } = payment;
          orders.set(orderId, { checkout: id, invoice: invoice_id });
          answered();
          service.pay(invoice_id, { confirmations: 1 });
          await deliver(url, 'invoice_confirmed', invoice_id);
          answered();
        };
        const buyers = Array.from({ length: 40 }, (_, count) => buy(`K-${round}-${count}`));
        // On a busy machine requests time out, and the number of responses is never reached.
        void Promise.allSettled(buyers).then(() => child.kill('SIGKILL'));
        await death;
      }

      const { url } = await start(data);
      expect(orders.size).toBeGreaterThan(20);
      for (const [orderId, { checkout, invoice }] of orders) {
        const view = (await (await fetch(`${url}/checkouts/${checkout}`)).json()) as {
          id: string;
          payment: { invoice_id: string } | null;
        };
        expect([orderId, view.id]).toEqual([orderId, checkout]);
        // The responses to the buyer match the current state.
        if (invoice !== null)
          expect([orderId, view.payment?.invoice_id]).toEqual([orderId, invoice]);
        // A lost request has some seconds to appear; then the coin can be chosen again.
        if (view.payment === null) {
          const again = () =>
            post(`${url}/checkouts/${checkout}/payment`, { kind: 'BTC' }).then(
              Boolean,
              () => false,
            );
          await expect.poll(again, { interval: 500 }).toBe(true);
        }
      }
      const perOrder = new Map<string, number>();
      for (const { passthrough } of service.invoices.slice(made)) {
        const { crypto_checkout } = JSON.parse(passthrough ?? '') as {
          crypto_checkout: { terms: { order_id: string } };
        };
        perOrder.set(
          crypto_checkout.terms.order_id,
          (perOrder.get(crypto_checkout.terms.order_id) ?? 0) + 1,
        );
      }
      expect([...perOrder].filter(([, count]) => count > 1)).toEqual([]);
      // Without callbacks, polling finds the payments and notifies the shop.
      const paid = [...orders]
        .filter(([, { invoice }]) => invoice !== null)
        .map(([orderId]) => orderId);
      await expect
        .poll(
          () =>
            paid.filter(
              (orderId) =>
                !delivered.some(
                  ({ order, event }) => order === orderId && event === 'checkout.paid',
                ),
            ),
          {
            timeout: 60_000,
          },
        )
        .toEqual([]);
      const ids = delivered.filter(({ event }) => event === 'checkout.paid').map(({ id }) => id);
      for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}\.paid$/);
    },
  );
});

async function freePort(): Promise<number> {
  const server = createServer();
  await listening(server);
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
