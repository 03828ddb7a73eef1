import { expect, it } from 'vitest';
import { choose, setUp, token } from '../../test/support/bench.ts';

const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
};

/** One response of each kind except pages, with its cross-origin policy. */
async function answers(): Promise<[what: string, answer: Response, policy: string][]> {
  const bench = setUp({ host: {} });
  const { id, payment } = await choose(bench);
  const ask = async (path: string, init?: RequestInit): Promise<Response> =>
    bench.bff.request(path, init);
  const post = (path: string, body: string): Promise<Response> =>
    ask(path, { method: 'POST', headers: FORM, body });
  const all: [string, Response, string][] = [
    ['a view', await ask(`/checkouts/${id}`), 'same-origin'],
    [
      'the text for terminals',
      await ask(`/pay/${id}/`, { headers: { 'user-agent': 'curl/8.5.0' } }),
      'same-origin',
    ],
    ['operations', await ask('/livez'), 'same-origin'],
    [
      'a form that opens',
      await post('/checkouts', `order=${token({ order_id: 'A-2' })}`),
      'cross-origin',
    ],
    ['a form that chooses', await post(`/checkouts/${id}/payment`, 'kind=LTC'), 'cross-origin'],
    [
      'a renewal by its address',
      await ask(`/invoice/${payment.invoice_id}/renew/`),
      'cross-origin',
    ],
    ['a refusal', await ask('/nothing'), 'cross-origin'],
    ['an unknown checkout', await ask('/checkouts/nothing'), 'same-origin'],
  ];
  return all;
}

const STRICT_TRANSPORT = 'max-age=63072000; includeSubDomains; preload';

it('every response that may be shown as a document has the security headers', async () => {
  const all = await answers();
  expect(all.map(([, { status }]) => status)).toEqual([200, 200, 200, 303, 303, 303, 404, 404]);
  for (const [what, answer, policy] of all)
    expect([what, Object.fromEntries(answer.headers)]).toMatchObject([
      what,
      {
        'x-content-type-options': 'nosniff',
        // A redirect inside the frame must not block its target.
        'content-security-policy':
          answer.status === 303
            ? "default-src 'none'"
            : "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'cache-control': expect.stringMatching(/^no-store/) as string,
        'strict-transport-security': STRICT_TRANSPORT,
        'cross-origin-resource-policy': policy,
      },
    ]);
});

it('a stream has those of data, and an answer without a body those of the connection', async () => {
  const bench = setUp({ host: {} });
  const { id, payment } = await choose(bench);
  const ask = (headers: Record<string, string> = {}) =>
    bench.bff.request(`/checkouts/${id}/events`, { headers });
  const stream = await ask();
  expect([stream.status, Object.fromEntries(stream.headers)]).toEqual([
    200,
    {
      'cache-control': 'no-store, no-transform',
      'content-type': 'text/event-stream',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': STRICT_TRANSPORT,
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    },
  ]);
  const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
  await bench.call('transaction_complete', paid.id);
  const { version } = (await bench.get(`/checkouts/${id}`)).body;
  const over = await ask({ 'last-event-id': String(version) });
  expect([over.status, Object.fromEntries(over.headers)]).toEqual([
    204,
    { 'cache-control': 'no-store', 'strict-transport-security': STRICT_TRANSPORT },
  ]);
});
