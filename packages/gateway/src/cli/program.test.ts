import { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import { clearTooDeep, raiseTooDeep } from '../engine/too-deep.ts';
import { resolve } from 'node:path';
import { signCallback, webhookSecret } from '@crypto-checkout/protocol/callback';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommanderError } from 'commander';
import { raiseAlarmAbout } from '../alarm/raise.ts';
import { Deliverer } from '../callback/deliver.ts';
import { loadConfig } from '../config.ts';
import { endLeases, takeLease } from '../database/lease.ts';
import { testDatabase } from '../../test/support/database.ts';
import { createApp } from '../app.ts';
import { call } from '../../test/support/call.ts';
import { createPayout } from '../payout/create.ts';
import { decidePayout } from '../payout/approval/decide.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';
import { verifyBooks } from '../ledger/verify.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';

let shop: PayoutShop;
let out: string[];
let notes: string[];
let shown: (string | null)[];
let input = '';
beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin', 'litecoin', 'ethereum', 'celo'] });
});
afterAll(() => shop.close());
beforeEach(() => {
  out = [];
  notes = [];
  shown = [];
});

const io: Io = {
  config: () => shop.context.config,
  open: async () => ({ context: shop.context, close: async () => {} }),
  input: () => Buffer.from(input),
  out: (line) => out.push(line),
  note: (line) => notes.push(line),
  progress: (line) => shown.push(line),
  resolve: async (host) =>
    ({
      'shop.internal': ['10.0.0.5'],
      'tricky.example': ['1.1.1.1', 'fd00::5'],
      '10.0.0.1': ['10.0.0.1'],
    })[host] ?? [],
};
const run = (...words: string[]): Promise<unknown> =>
  createProgram(io).parseAsync(words, { from: 'user' });
/** The result with `--json`. */
const ask = async (...words: string[]) => {
  out = [];
  await run('--json', ...words);
  return JSON.parse(out.join('\n'));
};

describe('the command line', () => {
  it('prints the version', async () => {
    await expect(run('--version')).rejects.toMatchObject({ exitCode: 0 });
    expect(out).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  });

  it('creates an account, a profile and a working key, and deletes the key', async () => {
    const account = await ask('accounts', 'create', 'Second shop');
    const profile = await ask(
      'profiles',
      'create',
      'Coins',
      '--account',
      account.id,
      '--kinds',
      'BTC, LTC',
    );
    expect(profile.coins.toSorted()).toEqual(['BTC', 'LTC']);
    const key = await ask(
      'keys',
      'create',
      'Shop',
      '--account',
      account.id,
      '--permissions',
      'profiles:read',
      '--whitelist-ip',
      '10.0.0.0/8',
    );
    const app = createApp(shop.context);
    const api = { key: key.api_key, secret: key.api_secret };
    expect((await call(app, api, 'GET', '/v1/profiles/')).body.reason).toBe('IpNotAllowed');
    await ask('keys', 'update', key.id, '--whitelist-ip', 'all');
    const { body } = await call(app, api, 'GET', '/v1/profiles/');
    expect(body.result.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Coins',
      'Default profile',
    ]);
    expect((await call(app, api, 'GET', '/v1/wallets/')).body.reason).toBe('PermissionDenied');
    const rotated = await ask('keys', 'rotate', key.id);
    expect((await call(app, api, 'GET', '/v1/profiles/')).body.reason).toBe('InvalidApiKey');
    const renewed = { key: key.api_key, secret: rotated.api_secret };
    expect((await call(app, renewed, 'GET', '/v1/profiles/')).status).toBe(200);
    await ask('keys', 'delete', key.id);
    expect((await call(app, renewed, 'GET', '/v1/profiles/')).body.reason).toBe('InvalidApiKey');
  });

  it('makes the next proof key, and signs with it after the rotation', async () => {
    const [first] = await ask('proof-keys', 'list');
    await expect(run('proof-keys', 'rotate')).rejects.toThrow('Make one with: proof-keys next');
    const [, next] = await ask('proof-keys', 'next');
    expect([first.state, next.state]).toEqual(['current', 'next']);
    const after = await ask('proof-keys', 'rotate');
    const states = Object.fromEntries(
      after.map((key: { public_key: string; state: string }) => [key.public_key, key.state]),
    );
    expect(states).toEqual({ [first.public_key]: 'previous', [next.public_key]: 'current' });
    expect(JSON.stringify(after)).not.toContain('private');
  });

  it('creates an integrator key that manages sub accounts', async () => {
    const key = await ask('keys', 'create', 'Integrator', '--integrator');
    const app = createApp(shop.context);
    const api = { key: key.api_key, secret: key.api_secret };
    const sub = await call(app, api, 'POST', '/v1/accounts/', { name: 'Sub' });
    expect(sub.status).toBe(201);
    const accounts = await ask('accounts', 'list');
    expect(accounts.find(({ id }: { id: string }) => id === sub.body.result.id)).toMatchObject({
      name: 'Sub',
      parent_id: shop.accountId,
    });
  });

  it('accepts a callback host that does not resolve yet, or that OUTBOUND_ALLOW opens', async () => {
    expect(
      (await ask('profiles', 'create', 'Soon', '--callback-url', 'https://soon.example/'))
        .callback_url,
    ).toBe('https://soon.example/');
    const { config } = shop.context;
    shop.context.config = {
      ...config,
      outboundAllow: loadConfig({ OUTBOUND_ALLOW: '10.0.0.0/8:443' }).outboundAllow,
    };
    const url = 'https://shop.internal/hook';
    expect((await ask('profiles', 'create', 'Inside', '--callback-url', url)).callback_url).toBe(
      url,
    );
    shop.context.config = config;
  });

  it('names the events that a profile mails, and notes a missing address or a missing event', async () => {
    const silence = 'No event is mailed to the address: name events with --email-kinds.';
    const { id } = await ask('profiles', 'create', 'Mail', '--email', 'anna@shop.example');
    expect(notes.splice(0)).toContain(silence);
    const kinds = 'invoice_confirmed, payout_complete';
    expect(await ask('profiles', 'update', id, '--email-kinds', kinds)).toMatchObject({
      notification_email: 'anna@shop.example',
      notification_email_kinds: ['invoice_confirmed', 'payout_complete'],
    });
    expect(notes.splice(0)).toEqual([]);
    await ask('profiles', 'create', 'Unread', '--email-kinds', kinds);
    expect(notes.splice(0)).toContain('No address gets these events: name one with --email.');
  });

  it('shows a secret once, never in a list', async () => {
    const key = await ask('keys', 'create', 'Secret');
    expect(key.api_secret).toMatch(/^cs_[0-9a-f]{64}$/);
    expect(JSON.stringify(await ask('keys', 'list'))).not.toMatch(/cs_|sealed/);
  });

  it('shows callback secrets on create and on request, never in a list', async () => {
    const { id, callback_token, webhook_secret } = await ask(
      'accounts',
      'create',
      'Signs for itself',
    );
    expect(webhook_secret).toBe(webhookSecret(callback_token));
    expect(await ask('accounts', 'callback-token', id)).toEqual({
      account_id: id,
      callback_token,
      webhook_secret,
    });
    expect(JSON.stringify(await ask('accounts', 'list'))).not.toMatch(/token|whsec_|sealed/);
  });

  it('prints tables with a header and one line per row, within the window width', async () => {
    await run('accounts', 'list');
    expect(out[0]).toMatch(/^id {2,}name {2,}parent id {2,}is testnet {2,}created at$/);
    expect(out.filter((line) => line.includes('Default account'))).toHaveLength(1);
    await run('callbacks', 'list', '--state', 'pending');
    expect([...out, ...notes].every((line) => line.length < 400)).toBe(true);
  });

  it('reports callbacks that are being retried when none has failed for good', async () => {
    await shop.pay((await shop.create()).id);
    await run('callbacks', 'list');
    expect(notes.splice(0)).toEqual(['There are no failed callbacks.']);
    // No network in this test: every attempt fails and is retried later.
    await new Deliverer(shop.context).deliverDue();
    const { count } = await shop.context.db
      .selectFrom('callback')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    await sql`update callback set created_at_real = created_at_real - interval '2 hours'`.execute(
      shop.context.db,
    );
    await run('callbacks', 'list');
    expect(notes.splice(0)).toEqual([
      `No callback has failed for good; ${count} are being retried, the oldest for 2 h (callbacks list --state pending).`,
    ]);
    const [one] = await ask('callbacks', 'list', '--state', 'pending');
    expect(one).toMatchObject({ state: 'pending', attempts: 1, answer: expect.any(String) });
    expect(one.next_try).toMatch(/^\d{4}-.*\+00:00$/);
    const [{ resource_id } = { resource_id: '' }] = await shop.context.db
      .selectFrom('callback')
      .select('resource_id')
      .execute();
    notes = [];
    await run('callbacks', 'list', '--resource', resource_id);
    expect(notes[0]).toMatch(/^No callback has failed for good; (1 is|\d are) being retried/);
    // The count is limited, because counting very many takes seconds.
    await sql`
      insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, next_at_real, created_at_real)
      select account_id, gen_random_uuid(), resource, gen_random_uuid(), event, profile_id, url, body, next_at_real, created_at_real
      from (select * from callback limit 1) one, generate_series(1, 1001)`.execute(shop.context.db);
    await run('callbacks', 'list');
    expect(notes.at(-1)).toMatch(
      /^No callback has failed for good; \d+ of more than 1000 pending are being retried, some for 2 h \(/,
    );
    await run('callbacks', 'list', '--state', 'pending');
    expect(notes.at(-1)).toBe('25 of more than 1000');
    await expect(run('callbacks', 'list', '--state', 'pending', '--page', '9999')).rejects.toThrow(
      'page 9999 does not exist',
    );
    await sql`delete from callback where id not in (select callback_id from callback_delivery)`.execute(
      shop.context.db,
    );
    await sql`update callback set attempts = 0, next_at_real = now() where true`.execute(
      shop.context.db,
    );
    await sql`delete from callback_delivery`.execute(shop.context.db);
  });

  it('lists failed callbacks, shows one with its deliveries, and resends it', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await sql`update callback set state = 'failed', url = 'https://gone.example/x'`.execute(
      shop.context.db,
    );
    const failed = await ask('callbacks', 'list');
    expect(failed.length).toBeGreaterThan(0);
    const one = await ask('callbacks', 'show', failed[0].id);
    const body = JSON.parse(one.body);
    expect(body).toMatchObject({ callback_id: failed[0].id, callback_status: failed[0].event });
    const { account_id, callback_token } = await ask('accounts', 'callback-token');
    expect(account_id).toBe(shop.accountId);
    expect(await signCallback(body.callback_id, callback_token, hmacWebCrypto)).toBe(
      body.signature,
    );
    // No network in this test: each callback is attempted and reports its failure.
    await expect(run('--json', 'callbacks', 'resend', '--failed')).rejects.toThrow(
      'At least one receiver did not accept its callback.',
    );
    const results = JSON.parse(out.slice(out.lastIndexOf('[')).join('\n'));
    expect(results.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      failed.map(({ id }: { id: string }) => id).toSorted(),
    );
    expect(new Set(results.map(({ error }: { error: string }) => error))).toEqual(
      new Set(['callback_failed']),
    );
    // Only the operator reads the network's error.
    expect(results[0].message).toMatch(/^It was not delivered: .+\.$/);
    const progress = [...shown];
    await expect(run('callbacks', 'resend', failed[0].id)).rejects.toThrow(
      'At least one receiver did not accept its callback.',
    );
    expect(out.find((line) => line.startsWith('message'))).toMatch(
      /^message +It was not delivered: [^…]+\.$/,
    );
    expect(progress).toEqual([
      ...failed.map((_: unknown, at: number) => `${at + 1} of ${failed.length}`),
      null,
    ]);
  });

  it('rescans a chain from a height and finds missed payments', async () => {
    const { context } = shop;
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await shop.mine('BTC', 3);
    const before = await shop.get(invoice.id);
    // As if the node had not reported it: the payment is on the chain, and not in the database.
    const counts = async () =>
      (await context.db.selectFrom('posting').select('entry_id').execute()).length;
    const entries = await counts();
    const { from, height, tip } = await ask('chains', 'rescan', 'bitcoin', '--from', '1');
    expect([from, height]).toEqual([1, tip]);
    expect(shown.at(0)).toBe(`block ${Math.min(25, tip)} of ${tip}`);
    // Known rows stay unchanged.
    expect([await shop.get(invoice.id), await counts()]).toEqual([before, entries]);
    expect(await verifyBooks(context.db)).toEqual([]);
    await shop.mine('BTC', 3);
    expect((await shop.get(invoice.id)).status).toBe('complete');
  });

  it('shows no simulated chain for one that a node elsewhere reads', async () => {
    const { db } = shop.context;
    const source = async (to: string): Promise<unknown> =>
      sql`update chain_cursor set cursor = jsonb_set(cursor::jsonb, '{extra,source}', ${JSON.stringify(to)}::jsonb)
        where chain = 'litecoin'`.execute(db);
    const litecoin = async (): Promise<unknown> =>
      (await ask('chains', 'list')).find(({ chain }: { chain: string }) => chain === 'litecoin');
    expect(await litecoin()).toMatchObject({ source: 'sandbox', ok: true });
    await source('a node');
    expect(await litecoin()).toMatchObject({
      source: 'node',
      ok: null,
      detail: 'the settings of its node are not set here',
    });
    await source('sandbox');
  });

  it('shows a chain whose node has another chain than the one that was read', async () => {
    const { context } = shop;
    const bitcoin = async (): Promise<unknown> =>
      (await ask('chains', 'list')).find(({ chain }: { chain: string }) => chain === 'bitcoin');
    const error = new ReorganisationTooDeep('bitcoin', 500);
    await raiseTooDeep(context, error);
    expect(await bitcoin()).toMatchObject({ ok: false, detail: error.message });
    await clearTooDeep(context, 'bitcoin');
    expect(await bitcoin()).toMatchObject({ ok: true, detail: null });
  });

  it('books verify reports an inconsistent ledger and fails', async () => {
    await run('books', 'verify');
    expect(notes).toEqual(['The ledger is consistent.']);
    await sql`update balance set amount = amount + 1 where bucket = 'available' and amount > 0`.execute(
      shop.context.db,
    );
    await expect(run('books', 'verify')).rejects.toThrow('The ledger is inconsistent.');
    expect(out.join('\n')).toContain('a balance is the sum of its postings');
    await sql`update balance set amount = amount - 1 where bucket = 'available' and amount > 0`.execute(
      shop.context.db,
    );
    await run('books', 'verify');
  });

  it('copies the whole database, only to an empty one', async () => {
    const other = await testDatabase();
    try {
      await takeLease(shop.context.db, 'scan:bitcoin', 'somebody', 60);
      await expect(run('copy', '--to', other.url)).rejects.toThrow(
        'A service works on this database',
      );
      await endLeases(shop.context.db);
      // A URL for a socket: the host is in the query alone.
      const tables = await ask('copy', '--to', other.url.replace('@localhost/', '@/'));
      expect(
        tables.find(({ table }: { table: string }) => table === 'transaction').rows,
      ).toBeGreaterThan(0);
      const all = (db: typeof other.db) =>
        sql<{ row: string }>`select row(t.*)::text as row from posting t order by 1`
          .execute(db)
          .then(({ rows }) => rows);
      expect(await all(other.db)).toEqual(await all(shop.context.db));
      expect(await verifyBooks(other.db)).toEqual([]);
      // Derivation indexes continue.
      expect(await sql`select number from payout`.execute(other.db)).toBeTruthy();
      await expect(run('copy', '--to', other.url)).rejects.toThrow(
        'The other database is not empty',
      );
    } finally {
      await other.close();
    }
  });

  it('lists and dismisses alarms', async () => {
    await run('alarms', 'list');
    expect(notes).toEqual(['There are no alarms.']);
    await raiseAlarmAbout(shop.context, shop.profileId, 'Look here');
    const [alarm] = await ask('alarms', 'list');
    expect(alarm).toMatchObject({ reason: 'Look here', resource_id: shop.profileId });
    expect(await ask('alarms', 'dismiss', alarm.id)).toEqual(alarm);
    expect(await ask('alarms', 'list')).toEqual([]);
    await expect(run('alarms', 'dismiss', alarm.id)).rejects.toThrow(
      'There is no alarm with this id.',
    );
  });

  it('assigns or dismisses unassigned funds, with a reason', async () => {
    const { db } = shop.context;
    await run('unassigned', 'list');
    expect(notes).toEqual(['There are no unassigned funds.']);
    await sql`insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
      values ('litecoin', 'a:0', 'a', 'LTC', 'somewhere', 1.5, 'no invoice has this address', '2026-11-21T06:00:00Z'),
        ('litecoin', 'b:0', 'b', 'LTC', 'somewhere', 2, 'no invoice has this address', '2026-11-21T06:00:01Z')`.execute(
      db,
    );
    const [second, first] = await ask('unassigned', 'list');
    expect(first).toMatchObject({
      amount: '1.5',
      currency: 'LTC',
      txid: 'a',
      why: 'no invoice has this address',
    });
    const assigned = await ask(
      'unassigned',
      'assign',
      first.id,
      '--reason',
      'The buyer wrote to us',
    );
    expect(assigned).toMatchObject({
      account_id: shop.accountId,
      by: 'command line',
      reason: 'The buyer wrote to us',
    });
    expect(await ask('unassigned', 'assign', first.id, '--reason', 'Again')).toEqual(assigned);
    await expect(run('unassigned', 'dismiss', first.id, '--reason', 'x')).rejects.toThrow(
      'The unassigned funds were settled already: The buyer wrote to us',
    );
    await expect(run('unassigned', 'assign', second.id, '--reason', ' ')).rejects.toThrow(
      '--reason must have 1 to 500 characters',
    );
    await expect(run('unassigned', 'assign', second.id)).rejects.toThrow(
      "required option '--reason <text>' not specified",
    );
    expect(await ask('unassigned', 'dismiss', second.id, '--reason', 'Sent back')).toMatchObject({
      account_id: null,
      wallet_id: null,
    });
    expect(await ask('unassigned', 'list')).toEqual([]);
    expect(
      (await ask('unassigned', 'list', '--settled'))
        .map(({ reason }: { reason: string }) => reason)
        .toSorted(),
    ).toEqual(['Sent back', 'The buyer wrote to us']);
    const wallets = await ask('wallets', 'list');
    expect(wallets.find(({ id }: { id: string }) => id === assigned.wallet_id)).toMatchObject({
      balances: { available: '1.5' },
    });
    await run('books', 'verify');
  });

  it('accepts kinds in lower case; prints empty values as a dash', async () => {
    expect(
      (await ask('profiles', 'create', 'Small', '--kinds', 'btc,eth_cbbtc')).coins.toSorted(),
    ).toEqual(['BTC', 'ETH_cbBTC']);
    await run('keys', 'create', 'Everywhere');
    expect(out.find((line) => line.startsWith('whitelist ip'))).toMatch(/ –$/);
  });

  it('adds a kind to a profile, and keeps the settings of those it has', async () => {
    const { id } = await ask('profiles', 'create', 'Grows', '--kinds', 'BTC,LTC');
    expect(notes).toContain('The profile has no callback URL: its invoices report to nobody.');
    await sql`update profile_currency set min_confirmations = 3 where profile_id = ${id} and kind = 'BTC'`.execute(
      shop.context.db,
    );
    const coins = (profile: { coins: string[] }): string[] => profile.coins.toSorted();
    expect(coins(await ask('profiles', 'update', id, '--add-kinds', 'eth, BTC'))).toEqual([
      'BTC',
      'ETH',
      'LTC',
    ]);
    expect(coins(await ask('profiles', 'update', id, '--kinds', 'BTC,ETH'))).toEqual([
      'BTC',
      'ETH',
    ]);
    const { rows } = await sql`
      select min_confirmations from profile_currency where profile_id = ${id} and kind = 'BTC'`.execute(
      shop.context.db,
    );
    expect(rows).toEqual([{ min_confirmations: 3 }]);
    const url = 'https://soon.example/';
    expect((await ask('profiles', 'update', id, '--callback-url', url)).callback_url).toBe(url);
  });

  it('names the missing wallet of a chain that was set after the last start', async () => {
    const account = await ask('accounts', 'create', 'Without a wallet');
    await sql`delete from profile_currency where account_id = ${account.id} and kind = 'LTC'`.execute(
      shop.context.db,
    );
    await sql`delete from wallet where account_id = ${account.id} and chain = 'litecoin'`.execute(
      shop.context.db,
    );
    await expect(
      run('profiles', 'create', 'P', '--account', account.id, '--kinds', 'LTC'),
    ).rejects.toThrow(
      'The account has no wallet for LTC yet: a start of the gateway with the settings of Litecoin adds it.',
    );
  });

  it('the login link works once', async () => {
    const { url, expires_at } = await ask('login');
    expect(url).toMatch(/\/dashboard\/sign-in\/#[\w-]{43}$/);
    expect(expires_at).toMatch(/^\d{4}-.*\+00:00$/);
    await run('login');
    expect(notes.at(-1)).toMatch(/until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\./);
  });

  it('shows the kind of every balance', async () => {
    await run('wallets', 'list');
    const [names = '', ...rows] = out;
    expect(names).toMatch(/^id +name +kind +currency/);
    const celo = rows
      .filter((row) => row.includes('Celo wallet') && / CELO /.test(row))
      .map((row) => row.split(/ {2,}/)[2]);
    expect(celo).toEqual(['CELO', 'CELO-CELO']);
  });

  it('names a file of signatures that does not exist, and reads them from its input', async () => {
    await expect(run('unsigned', 'import', 'signed.json')).rejects.toThrow(
      `The file ${resolve('signed.json')} does not exist.`,
    );
    await expect(run('unsigned', 'import-psbt', 'x', 'signed.psbt')).rejects.toThrow(
      `The file ${resolve('signed.psbt')} does not exist.`,
    );
    input = '{}';
    await expect(run('unsigned', 'import', '-')).rejects.toThrow(
      '- must be the output of crypto-checkout-signer sign.',
    );
    input = '{"version": 1, "signed": []}';
    await run('unsigned', 'import', '-');
    expect(notes).toEqual(['The service sends them within a minute.']);
  });

  it('sets the address format of a wallet', async () => {
    const wallets = await ask('wallets', 'list');
    const id = (name: string): string =>
      wallets.find((wallet: { name: string }) => wallet.name === name).id;
    expect(
      (await ask('wallets', 'address-format', id('Bitcoin wallet'), 'p2sh')).address_format,
    ).toBe('p2sh');
    expect((await shop.create()).address).toMatch(/^2/);
    await expect(run('wallets', 'address-format', id('Litecoin wallet'), 'p2sh')).rejects.toThrow(
      'only bitcoin wallets',
    );
    await run('wallets', 'address-format', id('Bitcoin wallet'), 'bech32');
  });

  it('quarantines and releases a payment', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    const [{ id } = { id: '' }] = await shop.transactions(invoice.id);
    await run('transactions', 'list');
    expect(notes).toEqual(['There are no quarantined transactions. List all with: --status all']);
    expect((await ask('transactions', 'quarantine', id)).status).toBe('quarantined');
    const [held, ...others] = await ask('transactions', 'list');
    expect([held, others]).toEqual([
      expect.objectContaining({
        id,
        status: 'quarantined',
        kind: 'BTC',
        amount: expect.stringMatching(/^[\d.]+ BTC$/),
        invoice_id: invoice.id,
      }),
      [],
    ]);
    expect((await ask('transactions', 'release', id)).status).toBe('pending');
    const all = await ask('transactions', 'list', '--status', 'all', '--account', shop.accountId);
    expect(all[0]).toMatchObject({ id, status: 'pending' });
    expect(await ask('transactions', 'list', '--status', 'all', '--page', '9999')).toEqual([]);
  });

  it('lists waiting payouts in pages, and rejects one', async () => {
    await run('payouts', 'list');
    expect(notes).toEqual([
      'There are no waiting payouts. Approved ones that wait to be sent: --status new. List all with: --status all',
    ]);
    const scheduled_at = new Date(shop.context.clock.now() + 3_600_000).toISOString();
    const recipients = [{ amount: '0.1', currency: 'BTC', address: ADDRESS.BTC }];
    const order = { kind: 'BTC', profile_id: shop.profileId, recipients, scheduled_at };
    for (let made = 0; made < 26; made += 1)
      await createPayout(shop.context, { accountId: shop.accountId, key: null }, order);
    notes = [];
    const first = await ask('payouts', 'list', '--account', shop.accountId);
    expect([first.length, notes]).toEqual([25, ['Showing 25; see older ones with: --page 2']]);
    const [last] = await ask('payouts', 'list', '--page', '2', '--status', 'scheduled');
    expect(last).toMatchObject({
      status: 'scheduled',
      amount: '0.1 BTC',
      recipients: 1,
      scheduled_at: expect.stringMatching(/\+00:00$/),
    });
    expect(await ask('payouts', 'reject', last.id)).toMatchObject({
      id: last.id,
      status: 'rejected',
    });
    await expect(run('payouts', 'reject', last.id)).rejects.toThrow(
      'The payout is rejected: only a draft, or one that waits',
    );
    expect(
      (await ask('payouts', 'list', '--status', 'rejected')).map(({ id }: { id: string }) => id),
    ).toEqual([last.id]);
    expect(await ask('payouts', 'list', '--page', '2')).toEqual([]);
  });

  it('lists an approved draft as waiting until its date, and rejects it', async () => {
    const recipients = [{ amount: '0.0001', currency: 'BTC', address: ADDRESS.BTC }];
    const order = { kind: 'BTC', profile_id: shop.profileId, recipients };
    const creator = { accountId: shop.accountId, key: null, maxPayout: '1' };
    const approver = { accountId: shop.accountId, username: 'someone', email: null };
    const approved = async (payload: Record<string, unknown>): Promise<string> => {
      const { id } = (await createPayout(shop.context, creator, { ...order, ...payload })).payout;
      await decidePayout(shop.context, approver, id, { approve: true });
      return id;
    };
    await shop.fund('BTC', '1');
    const later = await approved({
      scheduled_at: new Date(shop.context.clock.now() + 3_600_000).toISOString(),
    });
    const now = await approved({ reference_id: 'at once' });
    const waiting = await ask('payouts', 'list');
    expect(waiting[0]).toMatchObject({
      id: later,
      status: 'new',
      scheduled_at: expect.any(String),
    });
    expect(waiting.map(({ id }: { id: string }) => id)).not.toContain(now);
    const { payout: draft } = await createPayout(shop.context, creator, order);
    expect(await ask('payouts', 'approve', draft.id)).toMatchObject({
      id: draft.id,
      status: 'new',
    });
    await expect(run('payouts', 'approve', draft.id)).rejects.toThrow('The payout is new: only a');
    await expect(run('payouts', 'reject', now)).rejects.toThrow(
      'The payout is new: only a draft, or one that waits',
    );
    await expect(run('payouts', 'give-up', now)).rejects.toThrow(
      'The payout is new: only one whose payment the lightning node has no record of can be given up',
    );
    expect(await ask('payouts', 'reject', later)).toMatchObject({ id: later, status: 'rejected' });
  });

  it.each([
    [['accounts', 'create', 'x'.repeat(65)], /^The name /],
    [['accounts', 'create', ''], /^The name must not be empty\.$/],
    [['profiles', 'create', ''], /^The name must not be empty\.$/],
    [['keys', 'create', ''], /^The name must not be empty\.$/],
    [['keys', 'create', 'K', '--max-payout', '-1'], /^--max-payout must be a decimal amount/],
    [
      ['keys', 'create', 'K', '--permissions', 'payouts:write,payouts:approve'],
      /^--permissions must not join payouts:approve/,
    ],
    [
      ['keys', 'update', '00000000-0000-4000-8000-000000000000'],
      /^Give at least one of --name, --permissions/,
    ],
    [
      ['keys', 'rotate', '00000000-0000-4000-8000-000000000000', '--grace', '604801'],
      /at most 604800 \(a week\), not "604801"/,
    ],
    [
      ['wallets', 'address-format', 'nobody', 'p2sh'],
      /No wallet has the id nobody. List them with: wallets list/,
    ],
    [['alarms', 'dismiss', 'nobody'], /There is no alarm with this id/],
    [
      ['callbacks', 'list', '--state', 'all', '--page', '9999'],
      /^--page: page 9999 does not exist; the last page is \d+\.$/,
    ],
    [
      ['profiles', 'create', 'P', '--kinds', 'BTC,NOPE'],
      /^--kinds: "NOPE" is unknown; allowed: BTC/,
    ],
    [['profiles', 'update', 'nobody'], /^No profile has the id nobody\./],
    [['profiles', 'list', '--account', 'nobody'], /not "nobody"/],
    [
      ['profiles', 'list', '--account', '00000000-0000-4000-8000-000000000000'],
      /No account has the id/,
    ],
    [
      ['keys', 'create', 'K', '--permissions', 'invoices:read,everything'],
      /^--permissions: "everything" is unknown; allowed: invoices:read, .*payouts:approve/,
    ],
    [
      ['keys', 'update', 'KEY', '--permissions', 'invoices:reed'],
      /^--permissions: "invoices:reed" is unknown; allowed: invoices:read/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'http://localhost:5173/hook'],
      /^--callback-url must be .* 127\.0\.0\.1 is not public\. To open it, add 127\.0\.0\.1\/32:5173 to OUTBOUND_ALLOW, here and for the service\.$/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'http://[::1]:5173/'],
      /add ::1\/128:5173 to OUTBOUND_ALLOW/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'https://shop.internal/hook'],
      /^--callback-url: shop\.internal resolves to 10\.0\.0\.5, which is not a public address\. To open it, add 10\.0\.0\.5\/32:443 to OUTBOUND_ALLOW, here and for the service\.$/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'http://tricky.example:81/'],
      /resolves to fd00::5, which .* add fd00::5\/128:81 to OUTBOUND_ALLOW/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'http://10.0.0.1/x'],
      /^--callback-url must be .* 10\.0\.0\.1 is not public\. To open it, add 10\.0\.0\.1\/32:80 to OUTBOUND_ALLOW, here and for the service\.$/,
    ],
    [
      ['profiles', 'create', 'P', '--callback-url', 'ftp://shop.example/'],
      /^--callback-url must be .* http or https is needed\.$/,
    ],
    [['profiles', 'create', 'P', '--email', 'anna'], /^--email /],
    [['profiles', 'create', 'P', '--email-kinds', 'all'], /^--email-kinds .*invoice_confirmed/],
    [
      ['keys', 'create', 'K', '--whitelist-ip', '10.0.0'],
      /^--whitelist-ip must be an address or a CIDR.* not "10\.0\.0"\.$/,
    ],
    [['keys', 'rotate', 'nobody'], /No API key has the id nobody/],
    [['keys', 'rotate', '00000000-0000-4000-8000-000000000000', '--grace', 'soon'], /not "soon"/],
    [['callbacks', 'list', '--state', 'lost'], /pending, delivered, failed or all, not "lost"/],
    [['callbacks', 'list', '--page', '0'], /from 1, not "0"/],
    [['callbacks', 'show', 'nobody'], /No callback has the id nobody/],
    [['callbacks', 'resend'], /or --failed/],
    [['callbacks', 'resend', 'x', '--failed'], /or --failed/],
    [['chains', 'rescan', 'nope', '--from', '1'], /Unknown chain nope; available: bitcoin/],
    [['chains', 'rescan', 'bitcoin', '--from', 'x'], /not "x"/],
    [['chains', 'rescan', 'bitcoin', '--from', '999999'], /has no block 999999/],
    [['transactions', 'release', 'nobody'], /No transaction has the id/],
    [
      ['transactions', 'list', '--status', 'lost'],
      /^--status takes pending, .*replaced or all, not "lost"\.$/,
    ],
    [
      ['payouts', 'list', '--status', 'lost'],
      /^--status takes draft, .*all or waiting, not "lost"\.$/,
    ],
    [['payouts', 'list', '--page', '0'], /from 1, not "0"/],
    [['payouts', 'reject', 'nobody'], /No payout has the id nobody/],
    [
      ['accounts', 'create', 'Z', '--parent', 'nope'],
      /^--parent takes an account's id, not "nope"/,
    ],
    [
      ['accounts', 'callback-token', 'nope'],
      /^callback-token takes an account's id, not "nope"\. List them with: accounts list$/,
    ],
    [
      ['accounts', 'callback-token', '00000000-0000-4000-8000-000000000000'],
      /No account has the id/,
    ],
    [
      ['copy', '--to', 'mysql://x'],
      /^--to takes a URL such as postgres:\/\/user:password@host:port\/database or postgres:.*host=.*\.$/,
    ],
    [
      ['copy', '--while-running', '--to', 'postgres://me@/x?host=/nowhere'],
      /other database can't be opened: connect ENOENT \/nowhere/,
    ],
    [['copy', '--to', 'postgres://me@:x/y'], /^--to takes a URL/],
    [
      ['copy', '--while-running', '--to', 'postgres://127.0.0.1:1/x'],
      /other database can't be opened: connect ECONNREFUSED 127.0.0.1:1;/,
    ],
    [
      ['copy', '--while-running', '--to', 'postgres:///x?host=/nowhere'],
      /other database can't be opened: connect ENOENT \/nowhere/,
    ],
    [['login', '--email', 'anna'], /not "anna"/],
    [['login', '--email', 'anna@\u0000'], /--email takes an address/],
    [['callbacks', 'list', '--page', '99999999999999999999'], /from 1, not "9{20}"/],
    [['callbacks', 'list', '--resource', 'nobody'], /not "nobody"/],
  ])('rejects bad input with the allowed values: %j', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
    expect(out).toEqual([]);
  });

  it('prints help, and rejects an unknown command', async () => {
    await expect(run('--help')).rejects.toThrow(CommanderError);
    expect(out.join('\n')).toMatch(/rescan|callbacks[\s\S]*books[\s\S]*copy/);
    await expect(run('frobnicate')).rejects.toThrow(/unknown command/);
  });
});
