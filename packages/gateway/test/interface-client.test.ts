import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Running, startService } from './support/running-gateway.ts';
import { type Answer, type Fields, FIELDS, send, fieldErrors } from './support/interface-client.ts';
import { ENDPOINTS } from './interface.ts';

let service: Running;
let shop: Server;
const calledEndpoints = new Set<string>();
const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

beforeAll(async () => {
  shop = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  service = await startService({
    CALLBACK_URL: `http://127.0.0.1:${port}/`,
    OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
  });
});
afterAll(async () => {
  await service.close();
  shop.closeAllConnections();
  shop.close();
});

type Key = 'api' | 'approve' | 'integrator';

/** Calls an endpoint, checks the status code and records the call. */
async function callEndpoint(
  endpoint: string,
  id: string,
  parameters: Record<string, unknown> = {},
  by: Key = 'api',
): Promise<Answer['body']> {
  const { api_key: key, api_secret: secret, approve_key, approve_secret } = service.credentials;
  const keys = {
    api: { key: key!, secret: secret! },
    approve: { key: approve_key!, secret: approve_secret! },
    integrator: service.integrator,
  };
  const [method = '', path = ''] = endpoint.split(' ');
  const { status, body } = await send(
    service.url,
    keys[by],
    method,
    path.replace(/:\w+/, id),
    parameters,
  );
  calledEndpoints.add(endpoint.split('?')[0]!);
  const created = method === 'POST' && !/:id|confirmations/.test(path);
  expect([endpoint, status, body.reason]).toEqual([endpoint, created ? 201 : 200, undefined]);
  return body;
}

function expectFields(value: unknown, fields: Fields): void {
  expect(fieldErrors(value, fields)).toEqual([]);
}

/** Controls the simulated chains in place of a buyer and a miner; not part of the interface. */
async function sandbox(action: string, body: object): Promise<void> {
  const answer = await fetch(`${service.url}/sandbox/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([action, answer.status]).toEqual([action, 200]);
}

const wallet: Record<string, string> = {};

it('accepts a payment and reads invoices and transactions', async () => {
  const { profile_id } = service.credentials;
  const create = {
    profile_id,
    amount: '5000',
    currency: 'USD',
    kind: 'BTC',
    passthrough: 'order-1',
    notes: 'Two tickets',
  };
  const { result: made } = await callEndpoint('POST /v1/invoices/', '', create);
  expectFields(made, FIELDS.invoice);
  expect(made).toMatchObject({
    status: 'new',
    passthrough: 'order-1',
    amount: { requested: { amount: '5000', currency: 'USD' } },
  });
  await sandbox('pay', { invoice_id: made.id });
  await sandbox('mine', { kind: 'BTC', blocks: 6 });
  const { result: paid } = await callEndpoint('GET /v1/invoices/:id/', made.id);
  expectFields(paid, FIELDS.invoice);
  expect(paid).toMatchObject({
    status: 'complete',
    transactions: [{ kind: 'BTC', confirmations: 6 }],
  });
  const list = await callEndpoint('GET /v1/invoices/?p=1&status=complete', '');
  expectFields(list.pagination, FIELDS.pagination);
  expect(list.pagination).toMatchObject({ count: 1, page: 1, per_page: 25, next_page: null });
  expectFields(list.result[0], FIELDS.invoice);

  const transactions = await callEndpoint(`GET /v1/transactions/?invoice_id=${made.id}`, '');
  expectFields(transactions.pagination, FIELDS.pagination);
  const [{ id }] = transactions.result;
  const { result: transaction } = await callEndpoint('GET /v1/transactions/:id/', id);
  expectFields(transaction, FIELDS.transaction);
  expect(transaction).toMatchObject({
    status: 'complete',
    invoice: { id: made.id, passthrough: 'order-1' },
  });
  expect(transaction.invoice).not.toHaveProperty('status');
  const { result: risk } = await callEndpoint('GET /v1/transactions/:id/risk/', id);
  expectFields(risk, { id: 'string', kind: 'string', risk_data: 'object' });
  const { result: depths } = await callEndpoint('POST /v1/transactions/confirmations/', '', {
    id: [id],
  });
  expect(depths).toEqual([{ id, confirmations: 6 }]);
  const resent = await callEndpoint('POST /v1/transactions/:id/resend-callback/', id);
  expectFields(resent, {
    ...FIELDS.resent,
    'callback_response.status_code': 'integer',
    'callback_response.url': 'string',
  });
  expect(resent.status).toBe('success');
});

it('reads wallets, rates and account settings', async () => {
  const { result: wallets } = await callEndpoint('GET /v1/wallets/', '');
  for (const each of wallets) {
    expectFields(each, FIELDS.wallet);
    wallet[each.balances.currency] ??= each.id;
  }
  // The only read without `result`.
  const bitcoin = await callEndpoint('GET /v1/wallets/:id/', wallet['BTC']!);
  expectFields(bitcoin, { ...FIELDS.wallet, 'balances.zero_confirmed': 'decimal' });
  expectFields(await callEndpoint('GET /v1/wallets/:id/', wallet['ETH']!), {
    ...FIELDS.wallet,
    'balances.to_consolidate': 'decimal',
    token_balances: 'array',
  });
  const { result: rates } = await callEndpoint('GET /v1/exchange-rates/', '');
  for (const each of rates) expectFields(each, FIELDS.rate);
  const { result: rate } = await callEndpoint('GET /v1/exchange-rates/:symbol/', 'EUR');
  expect(rate).toMatchObject({ symbol: 'EUR', kind: 'fiat' });
  const { result: settings } = await callEndpoint('GET /v1/account/settings/', '');
  expectFields(settings, FIELDS.settings);
});

it('creates payouts and approves a draft', async () => {
  const { profile_id } = service.credentials;
  const order = {
    kind: 'BTC',
    profile_id,
    recipients: [{ amount: '100', currency: 'USD', address: ADDRESS, notes: 'salary' }],
  };
  const { result: made } = await callEndpoint('POST /v1/payouts/', '', {
    ...order,
    reference_id: 'ref-1',
    passthrough: 'p',
  });
  expectFields(made, FIELDS.payout);
  for (const each of made.recipients) expectFields(each, FIELDS.recipient);
  const { result: read } = await callEndpoint('GET /v1/payouts/:id/', made.id);
  expectFields(read, FIELDS.payout);
  const list = await callEndpoint('GET /v1/payouts/?reference_id=ref-1', '');
  expectFields(list.pagination, FIELDS.pagination);
  expect(list.result).toHaveLength(1);
  const { result: depths } = await callEndpoint('POST /v1/payouts/confirmations/', '', {
    id: [made.id],
  });
  expectFields(depths[0], { id: 'string', confirmations: 'integer' });
  const resent = await callEndpoint('POST /v1/payouts/:id/resend-callback/', made.id);
  expectFields(resent, { ...FIELDS.resent, response: 'object|null' });

  // A key with max_payout creates drafts above it; a key with the Approve permission approves or
  // rejects them.
  const key = await service.addKey({
    permissions: ['payouts:read', 'payouts:write'],
    max_payout: '10',
  });
  const draft = await send(service.url, key, 'POST', '/v1/payouts/', {
    ...order,
    reference_id: 'ref-2',
  });
  expect([draft.status, draft.body.result.status]).toEqual([201, 'draft']);
  const { result: approved } = await callEndpoint(
    'PUT /v1/payouts/:id/',
    draft.body.result.id,
    { approve: true },
    'approve',
  );
  expectFields(approved, {
    ...FIELDS.payout,
    approved_by: 'object',
    'approved_by.username': 'string',
    approved_at: 'timestamp',
  });
  expect(approved.status).toBe('new');
});

/** Calls the five operations of a resource: list, create, get, update and delete. */
async function checkOperations(
  path: string,
  fields: Fields,
  create: object,
  change: object,
  whole: Fields = fields,
): Promise<void> {
  const { result: made } = await callEndpoint(`POST /v1/${path}/`, '', { ...create });
  expectFields(made, fields);
  const { result: list } = await callEndpoint(`GET /v1/${path}/`, '');
  expect(list.some(({ id }: { id: string }) => id === made.id)).toBe(true);
  for (const each of list) expectFields(each, fields);
  const { result: read } = await callEndpoint(`GET /v1/${path}/:id/`, made.id);
  expectFields(read, whole);
  const { result: changed } = await callEndpoint(`PUT /v1/${path}/:id/`, made.id, { ...change });
  expectFields(changed, fields);
  expect(changed).toMatchObject(change);
  // The content of a delete response is not checked.
  await callEndpoint(`DELETE /v1/${path}/:id/`, made.id);
}

it('manages profiles, conversions and automatic rules', async () => {
  const [from, to] = [wallet['BTC']!, wallet['LTC']!];
  const pair = { from_wallet: from, from_kind: 'BTC', to_wallet: to, to_kind: 'LTC' };
  const limits = { min_amount: '0.01', max_amount: '1', keep_amount: '0.5' };
  await checkOperations(
    'profiles',
    FIELDS.profile,
    { name: 'Second', currencies: [{ kind: 'BTC', wallet_id: from }] },
    { name: 'Other' },
  );
  const { result: profiles } = await callEndpoint('GET /v1/profiles/', '');
  for (const each of profiles[0].currencies) expectFields(each, FIELDS.currency);
  const whole = {
    ...FIELDS.conversion,
    transaction: 'object|string|null',
    payout: 'object|string|null',
  };
  await checkOperations(
    'conversions',
    FIELDS.conversion,
    { ...pair, amount: '0.01' },
    { amount: '0.02' },
    whole,
  );
  const recipient = {
    wallet: from,
    kind: 'BTC',
    recipient_address: ADDRESS,
    keep_amount: '10',
    min_amount: '1',
    interval: 60,
  };
  await checkOperations('automatic-payouts', FIELDS.automaticPayout, recipient, {
    keep_amount: '20',
    interval: 360,
  });
  await checkOperations(
    'automatic-conversions',
    FIELDS.automaticConversion,
    { ...pair, ...limits },
    { keep_amount: '0.7' },
  );
  await checkOperations(
    'automatic-funding',
    FIELDS.automaticFunding,
    { ...pair, ...limits },
    { is_enabled: true },
  );
});

it('manages sub accounts and their keys', async () => {
  const { result: made } = await callEndpoint(
    'POST /v1/accounts/',
    '',
    { name: 'Branch', whitelabel_fee: '0.1' },
    'integrator',
  );
  expectFields(made, FIELDS.account);
  const { result: accounts } = await callEndpoint('GET /v1/accounts/', '', {}, 'integrator');
  for (const each of accounts) expectFields(each, FIELDS.account);
  expectFields(
    (await callEndpoint('GET /v1/accounts/:id/', made.id, {}, 'integrator')).result,
    FIELDS.account,
  );
  const { result: changed } = await callEndpoint(
    'PUT /v1/accounts/:id/',
    made.id,
    { name: 'Branch two' },
    'integrator',
  );
  expect(changed.name).toBe('Branch two');
  const create = {
    name: 'Cashier',
    account_id: made.id,
    permissions: ['invoices:read', 'invoices:write'],
    whitelist_ip: [],
  };
  const { result: key } = await callEndpoint('POST /v1/api-keys/', '', create, 'integrator');
  expectFields(key, FIELDS.apiKey);
  const own = await send(
    service.url,
    { key: key.api_key, secret: key.api_secret },
    'GET',
    '/v1/invoices/',
  );
  expect([own.status, own.body.result]).toEqual([200, []]);
  const { result: keys } = await callEndpoint('GET /v1/api-keys/', '', {}, 'integrator');
  for (const each of keys) expectFields(each, FIELDS.apiKey);
  expectFields(
    (await callEndpoint('GET /v1/api-keys/:id/', key.id, {}, 'integrator')).result,
    FIELDS.apiKey,
  );
  expect(
    (await callEndpoint('PUT /v1/api-keys/:id/', key.id, { name: 'Cashier two' }, 'integrator'))
      .result.name,
  ).toBe('Cashier two');
  await callEndpoint('DELETE /v1/api-keys/:id/', key.id, {}, 'integrator');
});

it('called every endpoint of the interface', () => {
  expect(
    ENDPOINTS.map(([, endpoint]) => endpoint).filter((endpoint) => !calledEndpoints.has(endpoint)),
  ).toEqual([]);
  expect(
    [...calledEndpoints].filter((endpoint) => !ENDPOINTS.some(([, known]) => known === endpoint)),
  ).toEqual([]);
});
