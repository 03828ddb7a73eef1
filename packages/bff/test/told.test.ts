import { expect, it } from 'vitest';
import { SHOP_ORIGIN, open, setUp, token } from './shop.ts';

// What a browser shows a shop's developer says nothing of the reason: the server's log does.
const heard = () => {
  const lines: [unknown, string][] = [];
  const log = { info: () => undefined, warn: (about: unknown, text: string) => void lines.push([about, text]), error: () => undefined };
  return { lines, log };
};

it('a page that may not use the checkout is named in the log, once', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const preflight = (origin: string) =>
    bench.bff.request('/checkouts', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
  for (const origin of ['https://other.test', 'https://other.test', SHOP_ORIGIN]) expect((await preflight(origin)).status).toBe(204);
  expect(lines).toEqual([[{ origin: 'https://other.test' }, expect.stringContaining('EMBED_ORIGINS')]]);
});

it('a page that only reads is named as well: the element of an open checkout, its stream, and a checkout that is not there', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const { id } = await open(bench);
  const read = async (path: string, origin: string, more = {}) =>
    (await bench.bff.request(path, { headers: { origin, ...more } })).body?.cancel();
  for (const path of [`/checkouts/${id}`, `/checkouts/${id}`, `/checkouts/${id}/events`]) await read(path, 'https://read.test');
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

it('whoever names a thousand origins fills neither log nor memory, and keeps nobody from being named', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const { id } = await open(bench);
  const read = (origin: string) => bench.get(`/checkouts/${id}`, { origin });
  for (let count = 0; count < 1000; count += 1) await read(`https://a${count}.test`);
  expect(lines).toHaveLength(20);
  bench.advance(61);
  await read('https://honest.test');
  expect(lines.at(-1)?.[0]).toEqual({ origin: 'https://honest.test' });
  for (let minutes = 0; minutes < 200; minutes += 1) {
    bench.clock.now += 60_000;
    await read(`https://b${minutes}.test`);
  }
  // Long forgotten, and told of again.
  const before = lines.length;
  bench.clock.now += 60_000;
  await read('https://honest.test');
  expect(lines).toHaveLength(before + 1);
});

it('a success link that will not be followed is named in the log', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const opened = await bench.post('/checkouts', { order: token({ success_url: 'http://localhost:9190/thanks' }) });
  expect(opened.status).toBe(201);
  expect(lines).toEqual([[{ success_url: 'http://localhost:9190/thanks' }, expect.stringContaining('SUCCESS_ORIGINS')]]);
  await bench.post('/checkouts', { order: token({ order_id: 'A-2', success_url: 'https://shop.example/thanks' }) });
  expect(lines).toHaveLength(1);
});

it('a success link that a page asks for and that will not be followed is named in the log, once for each origin', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const ask = (order_id: string, success_url: string) => bench.post('/checkouts', { order: token({ order_id }), success_url });
  const { id } = (await ask('A-1', 'https://evil.example/x')).body;
  await ask('A-2', 'https://evil.example/y');
  await bench.get(`/checkouts/${id}?success_url=${encodeURIComponent('https://evil.example/x')}`);
  await bench.get(`/pay/${id}/?success_url=${encodeURIComponent('/thanks\u009b2J')}`);
  expect(lines).toEqual([
    [{ success_url: 'https://evil.example/x' }, expect.stringContaining('SUCCESS_ORIGINS does not list its origin')],
    [{ success_url: '/thanks?2J' }, expect.stringContaining('no whole http or https address at one of SUCCESS_ORIGINS')],
  ]);
});

it('a success link is not missed where it is followed, where there is none, or where the order has its own', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  await bench.post('/checkouts', { order: token(), success_url: `${SHOP_ORIGIN}/thanks` });
  await bench.post('/checkouts', { order: token(), success_url: '' });
  const order = token({ order_id: 'A-2', success_url: 'https://shop.example/thanks' });
  await bench.post('/checkouts', { order, success_url: 'https://evil.example/x' });
  expect(lines).toEqual([]);
});

it('what an order states beside its own members is named in the log, once; what libraries write into every token is not', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  for (const order_id of ['A-1', 'A-2']) await bench.post('/checkouts', { order: token({ order_id, iat: 1, jti: 'x', customer: 'Jo' }) });
  expect(lines).toEqual([[{ order_id: 'A-1', ignored: ['customer'] }, expect.stringContaining('ignored')]]);
});
