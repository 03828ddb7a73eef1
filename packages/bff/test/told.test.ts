import { expect, it } from 'vitest';
import { SHOP_ORIGIN, setUp, token } from './shop.ts';

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

it('a success link that will not be followed is named in the log', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  const opened = await bench.post('/checkouts', { order: token({ success_url: 'http://localhost:9190/thanks' }) });
  expect(opened.status).toBe(201);
  expect(lines).toEqual([[{ success_url: 'http://localhost:9190/thanks' }, expect.stringContaining('SUCCESS_ORIGINS')]]);
  await bench.post('/checkouts', { order: token({ order_id: 'A-2', success_url: 'https://shop.example/thanks' }) });
  expect(lines).toHaveLength(1);
});

it('what an order states beside its own members is named in the log, once; what libraries write into every token is not', async () => {
  const { lines, log } = heard();
  const bench = setUp({ log });
  for (const order_id of ['A-1', 'A-2']) await bench.post('/checkouts', { order: token({ order_id, iat: 1, jti: 'x', customer: 'Jo' }) });
  expect(lines).toEqual([[{ order_id: 'A-1', ignored: ['customer'] }, expect.stringContaining('ignored')]]);
});
