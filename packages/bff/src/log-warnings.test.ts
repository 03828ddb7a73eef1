import { expect, it } from 'vitest';
import { SHOP_ORIGIN, open, setUp, token } from '../test/support/bench.ts';

// Browsers do not show the reason of a rejection to a developer, so the server logs it.
const recordWarnings = () => {
  const lines: [unknown, string][] = [];
  const log = {
    info: () => undefined,
    warn: (about: unknown, text: string) => void lines.push([about, text]),
    error: () => undefined,
  };
  return { lines, log };
};

it('logs a rejected origin once', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  const preflight = (origin: string) =>
    bench.bff.request('/checkouts', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  for (const origin of ['https://other.test', 'https://other.test', SHOP_ORIGIN])
    expect((await preflight(origin)).status).toBe(204);
  expect(lines).toEqual([
    [
      { event: 'origin_rejected', origin: 'https://other.test' },
      expect.stringContaining('EMBED_ORIGINS'),
    ],
  ]);
});

it('logs a rejected origin for reads too: views, streams and unknown checkouts', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  const { id } = await open(bench);
  const read = async (path: string, origin: string, more = {}) =>
    (await bench.bff.request(path, { headers: { origin, ...more } })).body?.cancel();
  for (const path of [`/checkouts/${id}`, `/checkouts/${id}`, `/checkouts/${id}/events`])
    await read(path, 'https://read.test');
  await read(`/checkouts/${id}/events`, 'https://stream.test');
  await read('/checkouts/unknown', 'https://missing.test');
  await read(`/checkouts/${id}`, 'null');
  await read(`/checkouts/${id}`, SHOP_ORIGIN);
  await read(`/checkouts/${id}`, 'http://127.0.0.1:8080', { 'sec-fetch-site': 'same-origin' });
  await read(`/checkouts/${id}`, 'chrome-extension://abc');
  await read(`/checkouts/${id}`, 'https://evil.test\u009b2J');
  expect(lines.map(([about]) => (about as { origin: string }).origin)).toEqual([
    'https://read.test',
    'https://stream.test',
    'https://missing.test',
    'null',
  ]);
});

it('limits the log and the memory for a thousand rejected origins', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  const { id } = await open(bench);
  const read = (origin: string) => bench.get(`/checkouts/${id}`, { origin });
  for (let count = 0; count < 1000; count += 1) await read(`https://a${count}.test`);
  expect(lines).toHaveLength(20);
  bench.advance(61);
  await read('https://honest.test');
  expect(lines.at(-1)?.[0]).toEqual({ event: 'origin_rejected', origin: 'https://honest.test' });
  for (let minutes = 0; minutes < 200; minutes += 1) {
    bench.clock.now += 60_000;
    await read(`https://b${minutes}.test`);
  }
  // Forgotten by then, so it is logged again.
  const before = lines.length;
  bench.clock.now += 60_000;
  await read('https://honest.test');
  expect(lines).toHaveLength(before + 1);
});

it('logs a rejected success_url of an order', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  const opened = await bench.post('/checkouts', {
    order: token({ success_url: 'http://localhost:9190/thanks' }),
  });
  expect(opened.status).toBe(201);
  expect(lines).toEqual([
    [
      { event: 'success_url_rejected', success_url: 'http://localhost:9190/thanks' },
      expect.stringContaining('SUCCESS_ORIGINS'),
    ],
  ]);
  await bench.post('/checkouts', {
    order: token({ order_id: 'A-2', success_url: 'https://shop.example/thanks' }),
  });
  expect(lines).toHaveLength(1);
});

it('asks for an absolute URL when the success_url of an order is none', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  for (const success_url of ['/thanks', 'ftp://shop.example/thanks'])
    await bench.post('/checkouts', { order: token({ order_id: success_url, success_url }) });
  expect(lines.map(([, text]) => text)).toEqual([
    'success_url rejected: it is not an absolute https URL, such as https://shop.example/thanks',
    'success_url rejected: it is not an absolute https URL, such as https://shop.example/thanks',
  ]);
});

it('logs a rejected success_url of a page once per origin', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  const ask = (order_id: string, success_url: string) =>
    bench.post('/checkouts', { order: token({ order_id }), success_url });
  const { id } = (await ask('A-1', 'https://evil.example/x')).body;
  await ask('A-2', 'https://evil.example/y');
  await bench.get(`/checkouts/${id}?success_url=${encodeURIComponent('https://evil.example/x')}`);
  await bench.get(`/pay/${id}/?success_url=${encodeURIComponent('/thanks\u009b2J')}`);
  expect(lines).toEqual([
    [
      { event: 'requested_success_url_rejected', success_url: 'https://evil.example/x' },
      expect.stringContaining('SUCCESS_ORIGINS does not list its origin'),
    ],
    [
      { event: 'requested_success_url_rejected', success_url: '/thanks?2J' },
      expect.stringContaining(
        'not an absolute http or https URL with an origin from SUCCESS_ORIGINS',
      ),
    ],
  ]);
});

it('logs nothing for a valid or empty success_url, or if the order has its own', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  await bench.post('/checkouts', { order: token(), success_url: `${SHOP_ORIGIN}/thanks` });
  await bench.post('/checkouts', { order: token(), success_url: '' });
  const order = token({ order_id: 'A-2', success_url: 'https://shop.example/thanks' });
  await bench.post('/checkouts', { order, success_url: 'https://evil.example/x' });
  expect(lines).toEqual([]);
});

it('logs unknown order members once, except the standard claims of a token', async () => {
  const { lines, log } = recordWarnings();
  const bench = setUp({ log });
  for (const order_id of ['A-1', 'A-2'])
    await bench.post('/checkouts', {
      order: token({ order_id, iat: 1, jti: 'x', customer: 'Jo' }),
    });
  expect(lines).toEqual([
    [
      { event: 'order_members_ignored', order_id: 'A-1', ignored: ['customer'] },
      expect.stringContaining('ignored'),
    ],
  ]);
});
