import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { call, nonce } from '../support/signed-call.ts';
import { Stack, freePort, until } from '../support/stack.ts';

// A client written from the interface alone: nothing of ours is imported, only HTTP, base64 and an
// HMAC.

interface Callback {
  headers: IncomingHttpHeaders;
  body: string;
}

let stack: Stack;
const callbacks: Callback[] = [];
let closeReceiver: () => void;

test.beforeAll(async () => {
  const port = await freePort();
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      callbacks.push({ headers: request.headers, body });
      response.end('ok');
    });
  });
  await new Promise<void>((done) => receiver.listen(port, '127.0.0.1', done));
  closeReceiver = () => receiver.close();
  stack = await Stack.start(
    { CALLBACK_URL: `http://127.0.0.1:${port}/hook`, OUTBOUND_ALLOW: `127.0.0.1/32:${port}` },
    ['gateway'],
  );
});
test.afterAll(async () => {
  await stack?.stop();
  closeReceiver?.();
});

const INVOICE_FIELDS = [
  'id', 'kind', 'created_at', 'profile_id', 'address', 'lightning', 'network', 'status', 'amount', 'custom_fee', 'min_confirmations',
  'zero_conf_enabled', 'notes', 'passthrough', 'transactions',
]; // prettier-ignore

test('creates an invoice and reads it back', async () => {
  const created = await call(stack, 'POST', '/v1/invoices/', {
    profile_id: stack.credentials.profile_id,
    amount: '18.50',
    currency: 'USD',
    kind: 'ETH',
    passthrough: '{"order":"A-1"}',
    notes: 'A mug',
  });
  expect(created.status).toBe(201);
  const invoice = created.body.result;
  for (const field of INVOICE_FIELDS) expect(invoice, field).toHaveProperty(field);
  expect(invoice).toMatchObject({
    kind: 'ETH',
    status: 'new',
    network: 'testnet',
    passthrough: '{"order":"A-1"}',
    notes: 'A mug',
    lightning: null,
    transactions: [],
  });
  expect(invoice.amount.requested).toEqual({ amount: '18.50', currency: 'USD' });
  expect(invoice.amount.invoiced.currency).toBe('ETH');
  expect(invoice.amount.invoiced.amount).toMatch(/^\d+(\.\d{1,8})?$/);
  expect(invoice.amount.paid).toBeNull();
  expect(invoice.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  expect(invoice.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  const read = await call(stack, 'GET', `/v1/invoices/${invoice.id}/`);
  expect(read.status).toBe(200);
  expect(read.body.result).toEqual(invoice);
});

test('lists invoices by every filter, 25 per page, newest first', async () => {
  const { profile_id } = stack.credentials;
  for (let i = 0; i < 27; i += 1)
    expect(
      (
        await call(stack, 'POST', '/v1/invoices/', {
          profile_id,
          amount: '5',
          currency: 'EUR',
          kind: 'LTC',
          passthrough: `n${i}`,
        })
      ).status,
    ).toBe(201);
  const first = await call(stack, 'GET', '/v1/invoices/');
  expect(first.status).toBe(200);
  expect(first.body.result).toHaveLength(25);
  expect(first.body.pagination).toMatchObject({
    page: 1,
    per_page: 25,
    next_page: 2,
    previous_page: null,
  });
  expect(first.body.pagination.count).toBeGreaterThanOrEqual(28);
  expect(first.body.pagination.num_pages).toBe(Math.ceil(first.body.pagination.count / 25));
  const times = first.body.result.map((item: { created_at: string }) => item.created_at);
  expect(times).toEqual(times.toSorted((a: string, b: string) => (a < b ? 1 : -1)));
  const second = await call(stack, 'GET', '/v1/invoices/', {}, '?p=2');
  expect(second.body.pagination).toMatchObject({ page: 2, previous_page: 1 });
  const inPayload = await call(stack, 'GET', '/v1/invoices/', { p: 2 });
  expect(inPayload.body.result).toEqual(second.body.result);

  const [target] = first.body.result;
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id: target.id });
  const only = async (query: string): Promise<string[]> => {
    const answer = await call(stack, 'GET', '/v1/invoices/', {}, query);
    expect(answer.status, query).toBe(200);
    return answer.body.result.map((item: { id: string }) => item.id);
  };
  expect(await only(`?txid=${txid}`)).toEqual([target.id]);
  expect(await only(`?address=${target.address}`)).toEqual([target.id]);
  expect(await only('?status=pending')).toEqual([target.id]);
  expect(await only('?status=complete')).toEqual([]);
  expect(await only(`?profile_id=${profile_id}`)).toHaveLength(25);
  expect(await only('?profile_id=00000000-0000-4000-8000-000000000000')).toEqual([]);
  await stack.sandbox('mine', { kind: 'LTC', blocks: 6 });
  expect(await only('?status=complete')).toEqual([target.id]);
  await stack.sandbox('clock', { advance_seconds: 901 });
  expect((await only('?status=expired')).length).toBe(25);
  expect((await call(stack, 'GET', '/v1/invoices/', {}, '?status=paused')).status).toBe(400);
});

test('receives callbacks that it can verify, and reads the same resource', async () => {
  const { profile_id, callback_token } = stack.credentials;
  callbacks.length = 0;
  const { body } = await call(stack, 'POST', '/v1/invoices/', {
    profile_id,
    amount: '20',
    currency: 'USD',
    kind: 'BTC',
    passthrough: 'order-7',
  });
  const { id } = body.result;
  const { txid } = await stack.sandbox<{ txid: string }>('pay', { invoice_id: id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  const mine = () =>
    callbacks
      .map((callback) => ({ callback, parsed: JSON.parse(callback.body) }))
      .filter(({ parsed }) => parsed.result.id === id || parsed.result.invoice?.id === id);
  const expected = [
    'invoice_complete',
    'invoice_confirmed',
    'invoice_pending',
    'transaction_complete',
    'transaction_confirmed',
    'transaction_pending',
  ];
  await until('six callbacks', () => mine().length >= 6);
  expect(
    mine()
      .map(({ parsed }) => parsed.callback_status)
      .toSorted((a: string, b: string) => (a < b ? -1 : 1)),
  ).toEqual(expected);
  for (const { callback, parsed } of mine()) {
    const signature = createHmac('sha256', callback_token).update(parsed.callback_id).digest('hex');
    expect(timingSafeEqual(Buffer.from(signature), Buffer.from(parsed.signature))).toBe(true);
    const signed = `${String(callback.headers['webhook-id'])}.${String(callback.headers['webhook-timestamp'])}.${callback.body}`;
    expect(callback.headers['webhook-id']).toBe(parsed.callback_id);
    expect(callback.headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', callback_token).update(signed).digest('base64')}`,
    );
    expect(callback.headers['content-type']).toMatch(/^application\/json/);
    expect(parsed[parsed.callback_status.split('_')[0]]).toEqual(parsed.result);
  }
  const complete = mine().find(
    ({ parsed }) => parsed.callback_status === 'invoice_complete',
  )!.parsed;
  expect((await call(stack, 'GET', `/v1/invoices/${id}/`)).body.result).toEqual(complete.result);
  expect(complete.result).toMatchObject({ status: 'complete', passthrough: 'order-7' });
  const transactions = await call(stack, 'GET', '/v1/transactions/', {}, `?invoice_id=${id}`);
  expect(transactions.body.result).toHaveLength(1);
  expect(transactions.body.result[0]).toMatchObject({
    txid,
    status: 'complete',
    kind: 'BTC',
    confirmations: 6,
  });
  expect(transactions.body.result[0].amount.paid.quotes.USD).toMatch(/^\d+(\.\d+)?$/);
});

test('refuses unauthenticated and unpermitted requests with the exact code', async () => {
  const { api_key, api_secret, profile_id } = stack.credentials;
  const request = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${stack.gatewayUrl}/v1/profiles/`, { headers })).status;
  const payload = Buffer.from(
    JSON.stringify({ request: '/v1/profiles/', nonce: nonce() }),
  ).toString('base64');
  const sign = (text: string, secret = api_secret): string =>
    createHmac('sha256', secret).update(text).digest('hex');
  expect(await request({})).toBe(400);
  expect(
    await request({
      'X-CC-KEY': api_key,
      'X-CC-PAYLOAD': payload,
      'X-CC-SIGNATURE': sign(payload, 'another'),
    }),
  ).toBe(401);
  expect(
    await request({
      'X-CC-KEY': 'nobody',
      'X-CC-PAYLOAD': payload,
      'X-CC-SIGNATURE': sign(payload),
    }),
  ).toBe(401);
  expect(
    await request({
      'X-CC-KEY': api_key,
      'X-CC-PAYLOAD': payload,
      'X-CC-SIGNATURE': sign(payload),
    }),
  ).toBe(200);
  expect(
    await request({
      'X-CC-KEY': api_key,
      'X-CC-PAYLOAD': payload,
      'X-CC-SIGNATURE': sign(payload),
    }),
  ).toBe(400);
  const elsewhere = Buffer.from(
    JSON.stringify({ request: '/v1/wallets/', nonce: nonce() }),
  ).toString('base64');
  expect(
    await request({
      'X-CC-KEY': api_key,
      'X-CC-PAYLOAD': elsewhere,
      'X-CC-SIGNATURE': sign(elsewhere),
    }),
  ).toBe(400);
  const before = (await call(stack, 'GET', '/v1/invoices/')).body.pagination.count;
  const bad = await call(stack, 'POST', '/v1/invoices/', {
    profile_id,
    amount: '1e3',
    currency: 'USD',
    kind: 'ETH',
  });
  expect(bad.status).toBe(400);
  expect(bad.body).toMatchObject({
    result: 'error',
    reason: 'ValidationError',
    errors: [{ field: 'amount' }],
  });
  expect((await call(stack, 'GET', '/v1/invoices/')).body.pagination.count).toBe(before);
});
