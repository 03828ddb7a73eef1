import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../gateway/src/app.ts';
import { loadConfig } from '../../gateway/src/config.ts';
import { processPayouts } from '../../gateway/src/payout/sending/process.ts';
import { testContext, type TestContext } from '../../gateway/test/support/context.ts';
import {
  ADDRESS,
  createAccountFixture,
  LITECOIN_ADDRESS,
  type AccountFixture,
} from '../../gateway/test/every-route/account-fixture.ts';
import { type Client, createClient, verifyReceipt } from '../src/index.ts';

let context: TestContext;
let account: AccountFixture;
let client: Client;
let approver: Client;
let connect: (key: { key: string; secret: string }) => Client;
const used = new Set<string>();

beforeAll(async () => {
  const config = loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    RATE_LIMIT_RPS: '100000',
    RATE_LIMIT_BURST: '100000',
    LOG_LEVEL: 'silent',
  });
  context = await testContext({ config });
  const app = createApp(context);
  account = await createAccountFixture(context, app, 'Client');
  connect = (key: { key: string; secret: string }): Client =>
    recordCalls(
      createClient({
        baseUrl: 'http://gateway.test',
        ...key,
        readRetries: 0,
        fetch: async (input, init) => app.request(input, init),
      }),
    );
  client = connect(account.key);
  approver = connect(account.approver);
});
afterAll(() => context.close());

/** Wraps a client and records the called methods. */
function recordCalls(inner: Client): Client {
  const resources = Object.entries(inner).map(([name, methods]) => [
    name,
    typeof methods === 'function'
      ? methods
      : Object.fromEntries(
          Object.entries(methods as Record<string, (...args: unknown[]) => unknown>).map(
            ([method, call]) => [
              method,
              (...args: unknown[]) => {
                used.add(`${name}.${method}`);
                return call(...args);
              },
            ],
          ),
        ),
  ]);
  return Object.fromEntries(resources) as Client;
}

/** Reads a created object again, by id and in the list. */
async function lifeOf<Item extends { id: string }>(
  resource: { get(id: string): Promise<Item>; list(): Promise<{ id: string }[]> },
  made: Item,
): Promise<void> {
  expect(await resource.get(made.id)).toMatchObject({ id: made.id });
  expect((await resource.list()).map(({ id }) => id)).toContain(made.id);
}

async function gone(
  resource: { get(id: string): Promise<unknown>; delete(id: string): Promise<void> },
  id: string,
): Promise<void> {
  expect(await resource.delete(id)).toBeUndefined();
  await expect(resource.get(id)).rejects.toMatchObject({
    status: 404,
    reason: 'NotFound',
    outcome: 'refused',
  });
  await expect(resource.delete(id)).rejects.toMatchObject({ reason: 'NotFound' });
}

test('invoices and their transactions', async () => {
  const { profileId } = account;
  const made = await client.invoices.create({
    profile_id: profileId,
    amount: '19.90',
    currency: 'EUR',
    kind: 'BTC',
    passthrough: '1001',
  });
  expect(made).toMatchObject({
    status: 'new',
    amount: { requested: { amount: '19.90' } },
    passthrough: '1001',
  });
  expect(await client.invoices.get(made.id)).toMatchObject({ id: made.id, address: made.address });
  expect((await client.invoices.list({ status: 'new' })).pagination).toMatchObject({
    page: 1,
    per_page: 25,
  });
  const ids: string[] = [];
  for await (const { id } of client.invoices.listAll({ profile_id: profileId })) ids.push(id);
  expect(ids).toContain(made.id);
  const longer = await client.invoices.renew(made.id, { extend: true });
  expect(Date.parse(longer.expires_at!)).toBeGreaterThan(Date.parse(made.expires_at!));
  expect((await client.invoices.resendCallback(made.id)).status).toBe('pending');
  const price = { profile_id: profileId, amount: '1', currency: 'EUR' };
  const lightning = await client.invoices.create({ ...price, kind: 'BTC_LIGHTNING' });
  const ended = await client.invoices.cancelRequest(lightning.id);
  expect(Date.parse(ended.expires_at!)).toBeLessThan(Date.parse(lightning.expires_at!));

  const { result } = await client.transactions.list({ invoice_id: account.ids['invoices']! });
  const [paid] = result;
  expect(await client.transactions.get(paid!.id)).toMatchObject({
    txid: paid!.txid,
    amount: { paid: { quotes: { USD: expect.any(String) } } },
  });
  const listed: string[] = [];
  for await (const { id } of client.transactions.listAll()) listed.push(id);
  expect(listed).toContain(paid!.id);
  await expect(client.invoices.receipt(made.id)).rejects.toMatchObject({ reason: 'InvalidState' });
  const receipt = await client.invoices.receipt(paid!.invoice!.id);
  const path = `/.well-known/crypto-checkout-keys/${account.accountId}.json`;
  const { keys } = (await (await createApp(context).request(path)).json()) as {
    keys: { x: string }[];
  };
  expect(await verifyReceipt(receipt, { keys, allowTestnet: true })).toMatchObject({
    account_id: account.accountId,
    status: 'paid',
    payments: [{ txid: paid!.txid }],
  });
  await expect(verifyReceipt(receipt, { keys })).rejects.toThrow('allowTestnet');
  expect(await client.transactions.risk(paid!.id)).toMatchObject({
    id: paid!.id,
    risk_data: expect.any(Object),
  });
  expect(await client.transactions.confirmations([paid!.id])).toEqual([
    { id: paid!.id, confirmations: 1 },
  ]);
  expect((await client.transactions.quarantine(paid!.id)).status).toBe('quarantined');
  expect((await client.transactions.release(paid!.id)).status).toBe(paid!.status);
  expect(await client.transactions.resendCallback(paid!.id)).toMatchObject({
    status: 'error',
    error: 'callback_failed',
  });
});

test('refunds, from the offer to the approval', async () => {
  const [first, second, third] = account.refundable;
  const asker = connect(await account.addKey(['refunds:read', 'refunds:write', 'invoices:write']));
  const order = { transaction_id: first!, address: LITECOIN_ADDRESS, is_proven: true };
  expect(await asker.refunds.estimate(order)).toMatchObject({ id: null, cause: 'excess' });
  const asked = await asker.refunds.create(order);
  expect((await asker.refunds.create(order)).id).toBe(asked.id);
  expect(await asker.refunds.get(asked.id)).toEqual(asked);
  const { result } = await asker.refunds.list({ status: 'waiting', transaction_id: first! });
  expect(result).toEqual([asked]);
  for await (const { id } of asker.refunds.listAll({ transaction_id: first! }))
    expect(id).toBe(asked.id);
  expect((await approver.refunds.approve(asked.id)).status).toBe('approved');
  const other = await asker.refunds.create({ ...order, transaction_id: second! });
  expect((await approver.refunds.reject(other.id)).status).toBe('rejected');
  const offered = await client.refunds.offer(third!, '0.3');
  expect((await asker.refunds.refundable(offered.invoice!.id))[0]).toMatchObject({
    cause: 'excess',
    amount: { amount: '0.375' },
  });
  await expect(asker.refunds.acceptLate(third!)).rejects.toMatchObject({ reason: 'InvalidState' });
});

test('payouts, with certain and unknown outcomes', async () => {
  const order = {
    kind: 'BTC',
    profile_id: account.profileId,
    recipients: [{ amount: '20', currency: 'USD', address: ADDRESS }],
  };
  const estimate = await client.payouts.estimate(order);
  expect(estimate).toMatchObject({ id: null, amount: { network_fee_currency: 'BTC' } });
  const made = await client.payouts.create({ ...order, reference_id: 'r-1' });
  expect((await client.payouts.create({ ...order, reference_id: 'r-1' })).id).toBe(made.id);
  await expect(
    client.payouts.create({ ...order, network_fee_preset: 'high', reference_id: 'r-1' }),
  ).rejects.toMatchObject({
    reason: 'DuplicateReference',
    outcome: 'refused',
  });
  await lifeOf(
    {
      get: client.payouts.get,
      list: async () => (await client.payouts.list({ reference_id: 'r-1' })).result,
    },
    made,
  );
  for await (const { id } of client.payouts.listAll({ reference_id: 'r-1' }))
    expect(id).toBe(made.id);
  expect(await client.payouts.confirmations([made.id])).toEqual([
    { id: made.id, confirmations: 0 },
  ]);
  expect((await client.payouts.resendCallback(made.id)).status).toBe('pending');
  const limited = await account.addKey(['payouts:write'], '1');
  const drafts: string[] = [];
  for (const reference_id of ['d-1', 'd-2'])
    drafts.push(
      (await account.request('POST', '/v1/payouts/', { ...order, reference_id }, limited)).body
        .result.id as string,
    );
  expect((await approver.payouts.approve(drafts[0]!)).status).toBe('new');
  expect((await approver.payouts.reject(drafts[1]!)).status).toBe('rejected');
  for (const replace of [approver.payouts.bump, approver.payouts.cancel])
    await expect(replace(drafts[1]!)).rejects.toMatchObject({ reason: 'InvalidState' });
  await processPayouts(context);
  expect((await approver.payouts.bump(made.id)).status).toBe('pending');
  expect((await approver.payouts.cancel(made.id)).status).toBe('pending');
  await expect(approver.payouts.reject(drafts[1]!)).rejects.toMatchObject({
    reason: 'InvalidState',
    status: 409,
    outcome: 'refused',
  });
});

test('profiles and wallets', async () => {
  const wallet = account.wallets.get('bitcoin')!;
  const made = await client.profiles.create({
    name: 'Second',
    currencies: [{ kind: 'BTC', wallet_id: wallet }],
  });
  expect(made).toMatchObject({ name: 'Second', invoice_expiration: 900 });
  await lifeOf(client.profiles, made);
  expect(
    (await client.profiles.update(made.id, { name: 'Changed', stablecoin_precision: 4 }))
      .stablecoin_precision,
  ).toBe(4);
  expect((await client.wallets.list({ profile_id: made.id })).map(({ id }) => id)).toEqual([
    wallet,
  ]);
  await gone(client.profiles, made.id);
  expect((await client.wallets.get(wallet)).balances.currency).toBe('BTC');
  expect((await client.wallets.update(wallet, { address_format: 'p2sh' })).address_format).toBe(
    'p2sh',
  );
});

test('conversions and automatic rules', async () => {
  const [btc, ltc] = [account.wallets.get('bitcoin')!, account.wallets.get('litecoin')!];
  const pair = { from_wallet: ltc, from_kind: 'LTC', to_wallet: btc, to_kind: 'BTC' };
  const conversion = await client.conversions.create({ ...pair, amount: '1' });
  expect(conversion).toMatchObject({
    status: 'draft',
    is_approved: false,
    from_wallet: { id: ltc },
  });
  await lifeOf(client.conversions, conversion);
  expect(await client.conversions.get(conversion.id)).toMatchObject({
    transaction: null,
    payout: null,
  });
  expect((await client.conversions.update(conversion.id, { amount: '2' })).amount).toBe('2');
  await expect(client.conversions.create({ ...pair, amount: '1' })).rejects.toMatchObject({
    reason: 'AlreadyExists',
    status: 409,
  });
  await gone(client.conversions, conversion.id);

  const limits = { min_amount: '0.1', max_amount: '1', keep_amount: '0.5' };
  for (const rules of [client.automaticConversions, client.automaticFunding]) {
    const rule = await rules.create({ ...pair, ...limits });
    await lifeOf(rules, rule);
    expect(
      (await rules.update(rule.id, { is_enabled: true, keep_amount: '0.7' })).keep_amount,
    ).toBe('0.7');
    await gone(rules, rule.id);
  }

  const rule = await client.automaticPayouts.create({
    wallet: ltc,
    keep_amount: '1',
    recipient_address: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  });
  expect(rule).toMatchObject({ kind: 'LTC', is_api_editable: true });
  await lifeOf(client.automaticPayouts, rule);
  expect((await client.automaticPayouts.update(rule.id, { interval: 5 })).interval).toBe(5);
  await gone(client.automaticPayouts, rule.id);
});

test('rates, the account, sub-accounts and their keys', async () => {
  expect((await client.rates.list()).length).toBeGreaterThan(10);
  expect((await client.rates.get('EUR')).rate_usd).toBe('1.25');
  expect((await client.networkFees.list()).map(({ kind }) => kind)).toContain('BTC');
  expect(await client.account.settings()).toMatchObject({
    id: account.accountId,
    is_testnet: true,
  });
  const branch = await client.accounts.create({ name: 'Branch', whitelabel_fee: '0.1' });
  await lifeOf(client.accounts, branch);
  expect((await client.accounts.update(branch.id, { name: 'Branch two' })).name).toBe('Branch two');
  const key = await client.apiKeys.create({
    name: 'Till',
    account_id: branch.id,
    permissions: ['invoices:read', 'invoices:write'],
  });
  expect(key).toMatchObject({ is_integrator_key: false, account_id: branch.id });
  await lifeOf(client.apiKeys, key);
  expect((await client.apiKeys.update(key.id, { max_payout: '100' })).max_payout).toBe('100');
  const rotated = await client.apiKeys.rotate(key.id, { grace_seconds: 60 });
  expect(rotated.api_secret).not.toBe(key.api_secret);
  await gone(client.apiKeys, key.id);
});

test('the tests above call every method of the client', () => {
  const methods = Object.entries(client).flatMap(([name, inner]) =>
    typeof inner === 'function' ? [] : Object.keys(inner).map((method) => `${name}.${method}`),
  );
  expect(methods.length).toBeGreaterThan(50);
  expect([...used].toSorted()).toEqual(methods.toSorted());
});

test('docs/shop/client.md shows every resource and only existing methods', () => {
  const guide = readFileSync(new URL('../../../docs/shop/client.md', import.meta.url), 'utf8');
  const shown = [...guide.matchAll(/(?:client|approver|integrator)\.(\w+)\.(\w+)\(/g)].map(
    ([, name = '', method = '']) => [name, method] as const,
  );
  const resources = client as unknown as Record<string, Record<string, unknown>>;
  for (const [name, method] of shown)
    expect([name, method, typeof resources[name]?.[method]]).toEqual([name, method, 'function']);
  expect([...new Set(shown.map(([name]) => name))].toSorted()).toEqual(
    Object.keys(client)
      .filter((name) => name !== 'serverTime')
      .toSorted(),
  );
});
