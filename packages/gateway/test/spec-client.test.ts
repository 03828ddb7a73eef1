import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Running, startService } from './running.ts';
import { type Answer, type Fields, FIELDS, send, wrong } from './spec-client.ts';
import { ENDPOINTS } from './specification.ts';

let service: Running;
let shop: Server;
const called = new Set<string>();
const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

beforeAll(async () => {
  shop = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  service = await startService({ CALLBACK_URL: `http://127.0.0.1:${port}/`, OUTBOUND_ALLOW: `127.0.0.1/32:${port}` });
});
afterAll(async () => {
  await service.close();
  shop.closeAllConnections();
  shop.close();
});

type Key = 'api' | 'approve' | 'integrator';

/** Calls an endpoint of §4, checks its code, and notes that it was reached. */
async function ask(endpoint: string, at: string, parameters: Record<string, unknown> = {}, by: Key = 'api'): Promise<Answer['body']> {
  const { api_key: key, api_secret: secret, approve_key, approve_secret } = service.credentials;
  const keys = {
    api: { key: key!, secret: secret! },
    approve: { key: approve_key!, secret: approve_secret! },
    integrator: service.integrator,
  };
  const [method = '', path = ''] = endpoint.split(' ');
  const { status, body } = await send(service.url, keys[by], method, path.replace(/:\w+/, at), parameters);
  called.add(endpoint.split('?')[0]!);
  const created = method === 'POST' && !/:id|confirmations/.test(path);
  expect([endpoint, status, body.reason]).toEqual([endpoint, created ? 201 : 200, undefined]);
  return body;
}

function expectFields(value: unknown, fields: Fields): void {
  expect(wrong(value, fields)).toEqual([]);
}

/** Control of the simulated chains: not part of the interface, in place of a buyer and a miner. */
async function sandbox(action: string, body: object): Promise<void> {
  const answer = await fetch(`${service.url}/sandbox/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([action, answer.status]).toEqual([action, 200]);
}

const wallet: Record<string, string> = {};

it('is paid, and reads invoices and transactions', async () => {
  const { profile_id } = service.credentials;
  const create = { profile_id, amount: '5000', currency: 'USD', kind: 'BTC', passthrough: 'order-1', notes: 'Two tickets' };
  const { result: made } = await ask('POST /v1/invoices/', '', create);
  expectFields(made, FIELDS.invoice);
  expect(made).toMatchObject({ status: 'new', passthrough: 'order-1', amount: { requested: { amount: '5000', currency: 'USD' } } });
  await sandbox('pay', { invoice_id: made.id });
  await sandbox('mine', { kind: 'BTC', blocks: 6 });
  const { result: paid } = await ask('GET /v1/invoices/:id/', made.id);
  expectFields(paid, FIELDS.invoice);
  expect(paid).toMatchObject({ status: 'complete', transactions: [{ kind: 'BTC', confirmations: 6 }] });
  const list = await ask('GET /v1/invoices/?p=1&status=complete', '');
  expectFields(list.pagination, FIELDS.pagination);
  expect(list.pagination).toMatchObject({ count: 1, page: 1, per_page: 25, next_page: null });
  expectFields(list.result[0], FIELDS.invoice);

  const transactions = await ask(`GET /v1/transactions/?invoice_id=${made.id}`, '');
  expectFields(transactions.pagination, FIELDS.pagination);
  const [{ id }] = transactions.result;
  const { result: transaction } = await ask('GET /v1/transactions/:id/', id);
  expectFields(transaction, FIELDS.transaction);
  expect(transaction).toMatchObject({ status: 'complete', invoice: { id: made.id, passthrough: 'order-1' } });
  expect(transaction.invoice).not.toHaveProperty('status');
  const { result: risk } = await ask('GET /v1/transactions/:id/risk/', id);
  expectFields(risk, { id: 'string', kind: 'string', risk_data: 'object' });
  const { result: depths } = await ask('POST /v1/transactions/confirmations/', '', { id: [id] });
  expect(depths).toEqual([{ id, confirmations: 6 }]);
  const resent = await ask('POST /v1/transactions/:id/resend-callback/', id);
  expectFields(resent, { ...FIELDS.resent, 'callback_response.status_code': 'integer', 'callback_response.url': 'string' });
  expect(resent.status).toBe('success');
});

it('reads wallets, rates and its account', async () => {
  const { result: wallets } = await ask('GET /v1/wallets/', '');
  for (const each of wallets) {
    expectFields(each, FIELDS.wallet);
    wallet[each.balances.currency] ??= each.id;
  }
  // §4: the one read without `result`.
  const bitcoin = await ask('GET /v1/wallets/:id/', wallet['BTC']!);
  expectFields(bitcoin, { ...FIELDS.wallet, 'balances.zero_confirmed': 'decimal' });
  expectFields(await ask('GET /v1/wallets/:id/', wallet['ETH']!), {
    ...FIELDS.wallet,
    'balances.to_consolidate': 'decimal',
    token_balances: 'array',
  });
  const { result: rates } = await ask('GET /v1/exchange-rates/', '');
  for (const each of rates) expectFields(each, FIELDS.rate);
  const { result: rate } = await ask('GET /v1/exchange-rates/:symbol/', 'EUR');
  expect(rate).toMatchObject({ symbol: 'EUR', kind: 'fiat' });
  const { result: settings } = await ask('GET /v1/account/settings/', '');
  expectFields(settings, FIELDS.settings);
});

it('pays out, and lets a draft be approved', async () => {
  const { profile_id } = service.credentials;
  const order = { kind: 'BTC', profile_id, recipients: [{ amount: '100', currency: 'USD', address: ADDRESS, notes: 'salary' }] };
  const { result: made } = await ask('POST /v1/payouts/', '', { ...order, reference_id: 'ref-1', passthrough: 'p' });
  expectFields(made, FIELDS.payout);
  for (const each of made.recipients) expectFields(each, FIELDS.recipient);
  const { result: read } = await ask('GET /v1/payouts/:id/', made.id);
  expectFields(read, FIELDS.payout);
  const list = await ask('GET /v1/payouts/?reference_id=ref-1', '');
  expectFields(list.pagination, FIELDS.pagination);
  expect(list.result).toHaveLength(1);
  const { result: depths } = await ask('POST /v1/payouts/confirmations/', '', { id: [made.id] });
  expectFields(depths[0], { id: 'string', confirmations: 'integer' });
  const resent = await ask('POST /v1/payouts/:id/resend-callback/', made.id);
  expectFields(resent, { ...FIELDS.resent, response: 'object|null' });

  // §5: a key with max_payout creates drafts above it; a key with the Approve permission decides.
  const key = await service.addKey({ permissions: ['payouts:read', 'payouts:write'], max_payout: '10' });
  const draft = await send(service.url, key, 'POST', '/v1/payouts/', { ...order, reference_id: 'ref-2' });
  expect([draft.status, draft.body.result.status]).toEqual([201, 'draft']);
  const { result: approved } = await ask('PUT /v1/payouts/:id/', draft.body.result.id, { approve: true }, 'approve');
  expectFields(approved, { ...FIELDS.payout, approved_by: 'object', 'approved_by.username': 'string', approved_at: 'timestamp' });
  expect(approved.status).toBe('new');
});

/** GET list, POST, GET, PUT, DELETE of a resource (§4.4, 4.5, 4.7, 4.8). */
async function life(path: string, fields: Fields, create: object, change: object, whole: Fields = fields): Promise<void> {
  const { result: made } = await ask(`POST /v1/${path}/`, '', { ...create });
  expectFields(made, fields);
  const { result: list } = await ask(`GET /v1/${path}/`, '');
  expect(list.some(({ id }: { id: string }) => id === made.id)).toBe(true);
  for (const each of list) expectFields(each, fields);
  const { result: read } = await ask(`GET /v1/${path}/:id/`, made.id);
  expectFields(read, whole);
  const { result: changed } = await ask(`PUT /v1/${path}/:id/`, made.id, { ...change });
  expectFields(changed, fields);
  expect(changed).toMatchObject(change);
  // What a deletion answers is not specified.
  await ask(`DELETE /v1/${path}/:id/`, made.id);
}

it('keeps profiles, conversions and everything automatic', async () => {
  const [from, to] = [wallet['BTC']!, wallet['LTC']!];
  const pair = { from_wallet: from, from_kind: 'BTC', to_wallet: to, to_kind: 'LTC' };
  const limits = { min_amount: '0.01', max_amount: '1', keep_amount: '0.5' };
  await life('profiles', FIELDS.profile, { name: 'Second', currencies: [{ kind: 'BTC', wallet_id: from }] }, { name: 'Other' });
  const { result: profiles } = await ask('GET /v1/profiles/', '');
  for (const each of profiles[0].currencies) expectFields(each, FIELDS.currency);
  const whole = { ...FIELDS.conversion, transaction: 'object|string|null', payout: 'object|string|null' };
  await life('conversions', FIELDS.conversion, { ...pair, amount: '0.01' }, { amount: '0.02' }, whole);
  const recipient = { wallet: from, kind: 'BTC', recipient_address: ADDRESS, keep_amount: '10', min_amount: '1', interval: 60 };
  await life('automatic-payouts', FIELDS.automaticPayout, recipient, { keep_amount: '20', interval: 360 });
  await life('automatic-conversions', FIELDS.automaticConversion, { ...pair, ...limits }, { keep_amount: '0.7' });
  await life('automatic-funding', FIELDS.automaticFunding, { ...pair, ...limits }, { is_enabled: true });
});

it('makes sub accounts and their keys', async () => {
  const { result: made } = await ask('POST /v1/accounts/', '', { name: 'Branch', whitelabel_fee: '0.1' }, 'integrator');
  expectFields(made, FIELDS.account);
  const { result: accounts } = await ask('GET /v1/accounts/', '', {}, 'integrator');
  for (const each of accounts) expectFields(each, FIELDS.account);
  expectFields((await ask('GET /v1/accounts/:id/', made.id, {}, 'integrator')).result, FIELDS.account);
  const { result: changed } = await ask('PUT /v1/accounts/:id/', made.id, { name: 'Branch two' }, 'integrator');
  expect(changed.name).toBe('Branch two');
  const create = { name: 'Till', account_id: made.id, permissions: ['invoices:read', 'invoices:write'], whitelist_ip: [] };
  const { result: key } = await ask('POST /v1/api-keys/', '', create, 'integrator');
  expectFields(key, FIELDS.apiKey);
  const own = await send(service.url, { key: key.api_key, secret: key.api_secret }, 'GET', '/v1/invoices/');
  expect([own.status, own.body.result]).toEqual([200, []]);
  const { result: keys } = await ask('GET /v1/api-keys/', '', {}, 'integrator');
  for (const each of keys) expectFields(each, FIELDS.apiKey);
  expectFields((await ask('GET /v1/api-keys/:id/', key.id, {}, 'integrator')).result, FIELDS.apiKey);
  expect((await ask('PUT /v1/api-keys/:id/', key.id, { name: 'Till two' }, 'integrator')).result.name).toBe('Till two');
  await ask('DELETE /v1/api-keys/:id/', key.id, {}, 'integrator');
});

it('reached every endpoint of §4', () => {
  expect(ENDPOINTS.map(([, endpoint]) => endpoint).filter((endpoint) => !called.has(endpoint))).toEqual([]);
  expect([...called].filter((endpoint) => !ENDPOINTS.some(([, known]) => known === endpoint))).toEqual([]);
});
