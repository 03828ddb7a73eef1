import { mkdtempSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { type ChainId, KINDS } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { createApp } from '../app.ts';
import { call, testAccount } from '../../test/support/call.ts';
import { testContext, testIds, type TestContext } from '../../test/support/context.ts';
import { kindsWithoutProfile } from '../engine/served-chains.ts';
import { createAccount } from './create.ts';
import { writeCredentials } from './credentials.ts';
import { ensureFirstStart } from './first-start.ts';
import { createSecrets, loadSecretsKey } from './secrets.ts';

let shared: TestContext;
let context: TestContext;
let dataDir: string;
beforeAll(async () => {
  shared = await testContext();
});
afterAll(() => shared.close());
beforeEach(async () => {
  // Equivalent to a new database, and faster to create.
  await sql`truncate account, setting cascade`.execute(shared.db);
  dataDir = mkdtempSync(join(tmpdir(), 'cc-first-'));
  const config = loadConfig({
    DATA_DIR: dataDir,
    CALLBACK_URL: 'http://127.0.0.1:9/callbacks',
    OUTBOUND_ALLOW: '127.0.0.1/32:9,10',
  });
  context = { ...shared, config, secrets: createSecrets(loadSecretsKey(config)) };
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const read = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as Record<string, string>;
const chain = (id: ChainId): ChainAdapter => context.chains.get(id)!;
const start = async (own: Context = context): Promise<void> =>
  writeCredentials(own, await ensureFirstStart(own), 'http://127.0.0.1:8081');

describe('the first start', () => {
  it('writes credentials.json, readable by the owner only', async () => {
    await start();
    expect(Object.keys(read('credentials.json')).toSorted()).toEqual(
      [
        'gateway_url',
        'public_url',
        'shop_url',
        'api_key',
        'api_secret',
        'approve_key',
        'approve_secret',
        'callback_token',
        'profile_id',
        'account_id',
        'proof_key',
        'order_secret',
        'shop_secret',
      ].toSorted(),
    );
    expect(Object.keys(read('bff.json'))).toEqual(['api_key', 'api_secret']);
    for (const name of ['credentials.json', 'bff.json', 'secrets.key'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    const secrets = Object.entries(read('credentials.json')).filter(([name]) =>
      /secret|token|key/.test(name),
    );
    expect(new Set(secrets.map(([, value]) => value)).size).toBe(secrets.length);
  });

  it('creates a profile with every receivable kind, each with its chain’s wallet', async () => {
    await start();
    const account = await testAccount(context);
    const app = createApp(context);
    const { body: profiles } = await call(app, account.api, 'GET', '/v1/profiles/');
    expect(profiles.result).toHaveLength(1);
    const [profile] = profiles.result;
    expect(profile).toMatchObject({
      id: account.profile_id,
      account_id: account.account_id,
      invoice_expiration: 900,
      callback_url: 'http://127.0.0.1:9/callbacks',
      acceptance_range: { positive_difference: '0.5000', negative_difference: '0.5000' },
      stablecoin_precision: 2,
      notification_email_kinds: [],
      reserve_wallet: null,
    });
    expect(
      (await call(app, account.api, 'GET', `/v1/profiles/${account.profile_id}/`)).body.result,
    ).toEqual(profile);
    const kinds = profile.currencies.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(KINDS.map(({ kind }) => kind).filter((kind) => kind !== 'JAMBO-SOL'));
    for (const currency of profile.currencies)
      expect(currency).toEqual({
        kind: expect.any(String),
        network: 'testnet',
        wallet_id: expect.any(String),
        custom_fee: null,
        min_confirmations: 1,
      });
    const walletOf = (kind: string) =>
      profile.currencies.find((currency: { kind: string }) => currency.kind === kind)
        .wallet_id as string;
    expect(walletOf('BTC_LIGHTNING')).toBe(walletOf('BTC'));
    expect(walletOf('ETH_USDT')).toBe(walletOf('ETH'));
    expect(walletOf('ETH-BASE')).not.toBe(walletOf('ETH'));
  });

  it('offers a chain whose node does not answer yet: its kinds are those of the settings', async () => {
    const closed = { ...chain('litecoin'), kinds: [], configuredKinds: ['LTC'] };
    const chains = new Map([
      ['bitcoin', chain('bitcoin')],
      ['litecoin', closed],
    ] as const);
    await ensureFirstStart({ ...context, chains });
    const rows = await context.db.selectFrom('profile_currency').select('kind').execute();
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(
      new Set([...chain('bitcoin').kinds, 'LTC']),
    );
  });

  it('creates wallets whose single read has no `result` wrapper', async () => {
    const account = await testAccount(context);
    const app = createApp(context);
    const { body } = await call(app, account.api, 'GET', '/v1/wallets/');
    const wallets = new Map<string, Record<string, unknown>>(
      body.result.map((wallet: { name: string }) => [wallet.name.replace(' wallet', ''), wallet]),
    );
    const zero = { available: '0', pending: '0' };
    const [id, name] = [expect.any(String), expect.any(String)];
    expect(wallets.get('Bitcoin')).toEqual({
      id,
      name,
      balances: { ...zero, zero_confirmed: '0', currency: 'BTC' },
      address_format: 'bech32',
    });
    expect(wallets.get('Ethereum (ERC20)')).toMatchObject({
      balances: { ...zero, to_consolidate: '0', currency: 'ETH' },
    });
    expect(wallets.get('Ethereum (ERC20)')?.['token_balances']).toContainEqual({
      ...zero,
      to_consolidate: '0',
      currency: 'USDT',
    });
    expect(wallets.get('XRP Ledger')).toEqual({
      id,
      name,
      balances: { ...zero, to_consolidate: '0', currency: 'XRP' },
    });
    const alone = await call(
      app,
      account.api,
      'GET',
      `/v1/wallets/${String(wallets.get('Bitcoin')?.['id'])}/`,
    );
    expect(alone.body).toEqual(wallets.get('Bitcoin'));
  });

  it('creates three keys with their permissions', async () => {
    const account = await testAccount(context);
    const rows = await context.db.selectFrom('api_key').selectAll().execute();
    const of = (id: string) => rows.find((row) => row.id === id)!;
    expect(of(account.api_key_id)).toMatchObject({ nonce_window: false, is_integrator_key: false });
    expect(of(account.api_key_id).permissions).not.toContain('payouts:approve');
    expect(of(account.api_key_id).permissions).toHaveLength(26);
    expect(of(account.approve_key_id).permissions).toEqual([
      'payouts:read',
      'payouts:approve',
      'refunds:read',
    ]);
    expect(of(account.bff_key_id)).toMatchObject({ nonce_window: true });
    expect(of(account.bff_key_id).permissions).toEqual(
      expect.arrayContaining(['refunds:read', 'refunds:write']),
    );
    expect(of(account.bff_key_id).permissions).not.toContain('payouts:read');
    expect(JSON.stringify(rows)).not.toContain(account.api.secret);
  });
});

describe('a later start', () => {
  it('finds the same account, keys and secrets', async () => {
    await start();
    const before = [read('credentials.json'), read('bff.json')];
    await start({ ...context, ids: testIds('other') });
    expect([read('credentials.json'), read('bff.json')]).toEqual(before);
    expect(await context.db.selectFrom('account').select('id').execute()).toHaveLength(1);
  });

  it('at the same time as the first still makes one account', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, number) =>
        ensureFirstStart({ ...context, ids: testIds(String(number)) }),
      ),
    );
    expect(await context.db.selectFrom('account').select('id').execute()).toHaveLength(1);
    expect(await context.db.selectFrom('api_key').select('id').execute()).toHaveLength(3);
  });

  it('completes an interrupted first start', async () => {
    // Killed before the commit: nothing exists. Killed after it: the files are missing.
    const failing = {
      ...context,
      secrets: {
        ...context.secrets,
        seal: () => {
          throw new Error('killed');
        },
      },
    };
    await expect(ensureFirstStart(failing)).rejects.toThrow('killed');
    expect(await context.db.selectFrom('setting').select('name').execute()).toEqual([]);
    await start();
    const before = read('credentials.json');
    unlinkSync(join(dataDir, 'credentials.json'));
    await start();
    expect(read('credentials.json')).toEqual(before);
  });

  it('with another CALLBACK_URL updates the profile, unless it was changed over the API', async () => {
    await start();
    const url = async () =>
      (await context.db.selectFrom('profile').select('callback_url').executeTakeFirstOrThrow())
        .callback_url;
    await start({
      ...context,
      config: { ...context.config, callbackUrl: 'http://127.0.0.1:10/callbacks' },
    });
    expect(await url()).toBe('http://127.0.0.1:10/callbacks');
    await context.db
      .updateTable('profile')
      .set({ callback_url: 'https://shop.example/hook' })
      .execute();
    await start({
      ...context,
      config: { ...context.config, callbackUrl: 'http://127.0.0.1:11/callbacks' },
    });
    expect(await url()).toBe('https://shop.example/hook');
  });

  it.each([
    [
      'http://10.0.0.1/x',
      /^CALLBACK_URL must be .* 10\.0\.0\.1 is not public\. To open it, add 10\.0\.0\.1\/32:80 to OUTBOUND_ALLOW\.$/,
    ],
    ['http://localhost:5173/x', /add 127\.0\.0\.1\/32:5173 to OUTBOUND_ALLOW\.$/],
  ])('with a CALLBACK_URL of %s is refused, as over the API', async (callbackUrl, message) => {
    const private_ = { ...context, config: { ...context.config, callbackUrl } };
    await expect(ensureFirstStart(private_)).rejects.toThrow(message);
    await expect(ensureFirstStart(private_)).rejects.toThrow(ConfigError);
    expect(await context.db.selectFrom('account').select('id').execute()).toEqual([]);
    await start();
    await expect(ensureFirstStart(private_)).rejects.toThrow(message);
    const profile = await context.db
      .selectFrom('profile')
      .select('callback_url')
      .executeTakeFirstOrThrow();
    expect(profile.callback_url).toBe('http://127.0.0.1:9/callbacks');
  });

  it('adds the wallet of a chain that was set later, to every account, once', async () => {
    const before = { ...context, chains: new Map([['bitcoin', chain('bitcoin')]] as const) };
    await ensureFirstStart(before);
    await createAccount(before, {}, { name: 'Second shop' });
    const wallets = async () =>
      (await context.db.selectFrom('wallet').select(['account_id', 'chain']).execute()).toSorted(
        (a, b) => a.chain.localeCompare(b.chain),
      );
    expect((await wallets()).map(({ chain }) => chain)).toEqual(['bitcoin', 'bitcoin']);
    expect(await kindsWithoutProfile(before)).toEqual([]);
    const after = {
      ...context,
      chains: new Map([...before.chains, ['base', chain('base')] as const]),
    };
    await ensureFirstStart(after);
    await ensureFirstStart(after);
    const all = await wallets();
    expect(all.map(({ chain: of }) => of)).toEqual(['base', 'base', 'bitcoin', 'bitcoin']);
    expect(new Set(all.map(({ account_id }) => account_id)).size).toBe(2);
    expect(await kindsWithoutProfile(after)).toEqual(chain('base').kinds);
  });

  it('works without a reachable callback URL, unless one was set', async () => {
    const { callbackUrl } = loadConfig({});
    await start({ ...context, config: { ...context.config, callbackUrl } });
    expect(read('credentials.json')['callback_token']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('with another sealing key, or for another network, fails with one sentence', async () => {
    await start();
    const other = { ...context, secrets: createSecrets(new Uint8Array(32).fill(7)) };
    await expect(ensureFirstStart(other)).rejects.toThrow(ConfigError);
    await expect(ensureFirstStart(other)).rejects.toThrow(/SECRETS_KEY/);
    const bitcoin = { ...context.chains.get('bitcoin')!, network: 'mainnet' as const };
    await expect(
      ensureFirstStart({ ...context, chains: new Map([['bitcoin', bitcoin]]) }),
    ).rejects.toThrow(/belongs to a test network/);
  });
});

describe('secrets', () => {
  it('decrypt only in their own row', () => {
    const secrets = createSecrets(new Uint8Array(32).fill(1));
    const sealed = secrets.seal('ü secret', 'key-1');
    expect(secrets.unseal(sealed, 'key-1')).toBe('ü secret');
    expect(secrets.seal('ü secret', 'key-1')).not.toBe(sealed);
    expect(() => secrets.unseal(sealed, 'key-2')).toThrow(ConfigError);
    const spoiled = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    expect(() => secrets.unseal(spoiled, 'key-1')).toThrow(ConfigError);
  });

  it('have one key, also when two processes create it at once', () => {
    const keys = Array.from({ length: 3 }, () =>
      loadSecretsKey({ secretsKey: null, dataDir }).toString('hex'),
    );
    expect(new Set(keys).size).toBe(1);
    expect(loadSecretsKey({ secretsKey: 'AB'.repeat(32), dataDir }).toString('hex')).toBe(
      'ab'.repeat(32),
    );
  });
});
