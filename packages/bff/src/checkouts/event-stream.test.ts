import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, describe, expect, it } from 'vitest';
import { streamLimit } from '../host/descriptors.ts';
import type { HostAbilities } from '../options.ts';
import { type Bench, SHOP_SECRET, open, setUp } from '../../test/support/bench.ts';

const ended: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

const held = ({ bff }: Bench): string =>
  /^bff_event_streams (\d+)$/m.exec(bff.metrics())?.[1] ?? '';

/** A service that answers on command and reports its requests. */
function slowly(bench: Bench): { asked: Promise<void>; answer: () => void } {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const asked = new Promise<void>((resolve) => {
    bench.restart({
      fetch: async (input, init) => {
        resolve();
        await answered;
        return bench.service.fetch(input, init);
      },
    });
  });
  return { asked, answer };
}

/** A connection to the BFF on a Node server, with the outcome of each request on it. */
async function connected(bench: Bench) {
  const listener = getRequestListener((request, env) => bench.bff.fetch(request, env));
  const outgoing: ServerResponse[] = [];
  const handled: Promise<void>[] = [];
  const server = createServer((incoming, response) => {
    outgoing.push(response);
    handled.push(Promise.resolve(listener(incoming, response)).then(() => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).resume();
  ended.push(() => (client.destroy(), server.close()));
  const [socket] = await accepted;
  return {
    outgoing,
    handled,
    ask: (path: string) => client.write(`GET ${path} HTTP/1.1\r\nhost: pay.test\r\n\r\n`),
    leave: async () => {
      const closed = once(socket, 'close');
      client.destroy();
      await closed;
    },
  };
}

describe.each([
  ['Node', {}],
  ['the web platform', { host: {} }],
])('an event stream with %s', (_, options) => {
  it('does not start after the client has disconnected', async () => {
    const bench = setUp(options);
    const { id } = await open(bench);
    const { asked, answer } = slowly(bench);
    const reader = await connected(bench);
    reader.ask(`/checkouts/${id}/events`);
    await asked;
    await reader.leave();
    answer();
    await reader.handled[0];
    expect(held(bench)).toBe('0');
  });
});

describe('event streams', () => {
  it('end with their connection, including pipelined ones', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const reader = await connected(bench);
    for (let times = 0; times < 2; times += 1) reader.ask(`/checkouts/${id}/events`);
    await expect.poll(() => held(bench)).toBe('2');
    await reader.leave();
    await expect.poll(() => held(bench)).toBe('0');
  });

  it('end at a failed write on hosts without a close event', async () => {
    let isThere = true;
    const stream: HostAbilities['stream'] = (c, _, join) => {
      join({ write: () => isThere, end: () => undefined });
      return c.body(null);
    };
    const bench = setUp({ host: { stream } });
    const { id } = await open(bench);
    await bench.bff.request(`/checkouts/${id}/events`);
    expect(held(bench)).toBe('1');
    isThere = false;
    await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect(held(bench)).toBe('0');
  });

  it('of one address are limited, also when they start concurrently', async () => {
    const bench = setUp({ rateLimit: { perSecond: 1000, burst: 1 } });
    const { id } = await open(bench);
    const { answer } = slowly(bench);
    const asking = Array.from({ length: 6 }, async () => {
      bench.advance(1);
      return bench.bff.request(`/checkouts/${id}/events`);
    });
    answer();
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect([200, 429].map((code) => statuses.filter((status) => status === code).length)).toEqual([
      4, 2,
    ]);
    await bench.bff.close();
  });

  it('of all addresses together are limited, and others come when some have left', async () => {
    const bench = setUp({ maxStreams: 2 });
    const { id } = await open(bench);
    const first = new AbortController();
    const ask = (signal?: AbortSignal) =>
      bench.bff.request(`/checkouts/${id}/events`, { ...(signal && { signal }) });
    expect((await ask(first.signal)).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '15']);
    // Everything else is answered.
    expect((await bench.get(`/checkouts/${id}`)).status).toBe(200);
    first.abort();
    expect((await ask()).status).toBe(200);
    await bench.bff.close();
  });

  it('leave a quarter of the open files to other requests', () => {
    expect(streamLimit(10_000, 1_000_000)).toBe(10_000);
    expect(streamLimit(10_000, 256)).toBe(192);
    expect(streamLimit(10_000, null)).toBe(10_000);
    expect(streamLimit(1_000_000)).toBeLessThanOrEqual(1_000_000);
  });

  it('end when the request aborts', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const left = new AbortController();
    const request = () => bench.bff.request(`/checkouts/${id}/events`, { signal: left.signal });
    await request();
    expect(held(bench)).toBe('1');
    left.abort();
    expect(held(bench)).toBe('0');
    await request();
    expect(held(bench)).toBe('0');
  });

  it('deliver a change once: the request for it gets an empty answer where it asks for one', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const minimal = { prefer: 'return=minimal' };
    const choose = (kind: string, headers?: Record<string, string>) =>
      bench.post(`/checkouts/${id}/payment`, { kind }, headers);
    // Without a stream nobody would get the view.
    expect((await choose('BTC', minimal)).body.payment.kind).toBe('BTC');
    const stream = await bench.bff.request(`/checkouts/${id}/events`);
    const { status, headers } = await choose('ETH', minimal);
    const version = headers.get('checkout-version');
    expect([status, Object.fromEntries(headers)]).toEqual([
      204,
      {
        'cache-control': 'no-store',
        'checkout-version': expect.stringMatching(/^\d+$/),
        'strict-transport-security': expect.any(String),
      },
    ]);
    // The same choice again changes nothing: no event follows.
    const again = await choose('ETH', minimal);
    expect([again.status, again.headers.get('checkout-version')]).toEqual([204, version]);
    expect((await choose('LTC')).body.payment.kind).toBe('LTC');
    await bench.bff.close();
    const told = await stream.text();
    expect(told).toContain('"kind":"ETH"');
    expect(told).toContain(`id: ${version}\n`);
  });

  it('do not replace the answer that carries the secret of a claim', async () => {
    const bench = setUp();
    const opened = await bench.post(
      '/checkouts',
      { order: { order_id: 'S-1', amount: '50.00', currency: 'USD' } },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    await bench.bff.request(`/checkouts/${opened.body.id}/events`);
    const { status, headers } = await bench.post(
      `/checkouts/${opened.body.id}/payment`,
      { kind: 'BTC' },
      { prefer: 'return=minimal' },
    );
    expect([status, headers.has('checkout-claim')]).toEqual([200, true]);
    await bench.bff.close();
  });
});
