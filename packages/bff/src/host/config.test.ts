import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OptionsError } from '../options.ts';
import { SETTINGS, loadConfig, misspeltSettings } from './config.ts';
import { requireDataDir } from './data-dir.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'bff-config-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const base = { DATA_DIR: '/does/not/exist', SERVICE_URL: 'https://service.example/' };

describe('the settings', () => {
  it('are all in the README, with their defaults', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    for (const [name, { fallback, meaning }] of Object.entries(SETTINGS))
      expect(readme).toMatch(
        new RegExp(
          `\\| \`${name}\` +\\| *${fallback === '' ? '' : `\`${fallback.replaceAll('.', '\\.')}\``} *\\| ${meaning.slice(0, 20).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
        ),
      );
  });

  it('have defaults, and lose slashes at their end', () => {
    const config = loadConfig(base);
    expect(config).toMatchObject({
      SERVICE_URL: 'https://service.example',
      PORT: 8080,
      HOST: '127.0.0.1',
      EXTENSIONS: true,
      RATE_LIMIT_RPS: 20,
      RATE_LIMIT_BURST: 60,
      nonceWindow: false,
    });
  });

  it('read lists', () => {
    const config = loadConfig({
      ...base,
      EMBED_ORIGINS: 'https://a.example, http://localhost:8082/',
      API_KEYS: 'k1:s1 k2:s2',
      TRUSTED_PROXIES: '10.0.0.0/8',
    });
    expect(config.EMBED_ORIGINS).toEqual(['https://a.example', 'http://localhost:8082']);
    expect(config.API_KEYS).toEqual([
      { key: 'k1', secret: 's1' },
      { key: 'k2', secret: 's2' },
    ]);
    expect(config.TRUSTED_PROXIES).toHaveLength(1);
  });

  it('say every mistake in a sentence, and never a secret', () => {
    const wrong = {
      ...base,
      PORT: 'x',
      EXTENSIONS: 'maybe',
      EMBED_ORIGINS: '*',
      DATABASE_URL: 'mysql://user:hidden@host',
      API_KEYS: 'hidden',
    };
    let said = '';
    try {
      loadConfig(wrong);
    } catch (error) {
      expect(error).toBeInstanceOf(OptionsError);
      said = (error as Error).message;
    }
    expect(said.split('\n')).toHaveLength(5);
    expect(said).not.toContain('hidden');
  });

  it('say once which item of a list is wrong', () => {
    expect(() => loadConfig({ ...base, EMBED_ORIGINS: 'https://a.example localhost:5173' })).toThrow(
      /^EMBED_ORIGINS must hold origins such as https:\/\/shop\.example or http:\/\/localhost:5173, not "localhost:5173"\.$/,
    );
    expect(() => loadConfig({ ...base, TRUSTED_PROXIES: '10.0.0.0/8 all' })).toThrow(
      /^TRUSTED_PROXIES must hold addresses or CIDRs, not "all"\.$/,
    );
  });

  it('that are nearly ours are named, and what else stands in an environment is not', () => {
    expect(misspeltSettings({ EMBED_ORIGIN: 'x', SUCESS_ORIGINS: 'x', MERCHANTNAME: 'x' })).toEqual([
      ['EMBED_ORIGIN', 'EMBED_ORIGINS'],
      ['SUCESS_ORIGINS', 'SUCCESS_ORIGINS'],
      ['MERCHANTNAME', 'MERCHANT_NAME'],
    ]);
    const usual =
      'HOME HOSTNAME PATH PWD SHELL SHLVL LANG USER TERM LOGNAME LOG PORTS_OPEN NODE_ENV NODE_PATH GATEWAY_PORT GATEWAY_URL SHOP_PORT SHOP_URL RATES SANDBOX CALLBACK_URL ETH_RPC_URL DATABASE_POOL';
    expect(misspeltSettings(Object.fromEntries([...usual.split(' '), ...Object.keys(SETTINGS)].map((name) => [name, 'x'])))).toEqual([]);
  });

  it('name a folder that can be made in one that is there', () => {
    const folder = newFolder();
    requireDataDir(join(folder, 'data'));
    expect(() => requireDataDir(join(folder, 'mistyped', 'data'))).toThrow(
      /DATA_DIR can't be used: .*mistyped does not exist; make it first/,
    );
  });

  it('for what buyers are offered are checked too', () => {
    expect(loadConfig(base)).toMatchObject({
      EXCHANGE_EXPIRATION: 3600,
      LATE_PAYMENTS: 'ask',
      ALLOW_CLIENT_PRICES: false,
      ONRAMP_URL: null,
      SUPPORT_URL: null,
    });
    expect(loadConfig({ ...base, EXCHANGE_EXPIRATION: '21600', LATE_PAYMENTS: 'accept', SUPPORT_URL: 'mailto:a@b.test' })).toMatchObject({
      EXCHANGE_EXPIRATION: 21600,
      LATE_PAYMENTS: 'accept',
      SUPPORT_URL: 'mailto:a@b.test',
    });
    for (const [name, value, said] of [
      ['EXCHANGE_EXPIRATION', '3601', /EXCHANGE_EXPIRATION must be one of 60, 120,.*1209600, not "3601"/],
      ['EXCHANGE_EXPIRATION', 'x', /EXCHANGE_EXPIRATION must be one of/],
      ['LATE_PAYMENTS', 'refuse', /LATE_PAYMENTS must be ask or accept/],
      ['ALLOW_CLIENT_PRICES', 'yes', /ALLOW_CLIENT_PRICES must be true or false/],
      ['ONRAMP_URL', 'https://sell.test/', /ONRAMP_URL must be an https address with \{address\}/],
      ['SUPPORT_URL', 'http://shop.test/', /SUPPORT_URL must be an https or mailto address/],
    ] as const)
      expect(() => loadConfig({ ...base, [name]: value })).toThrow(said);
  });

  it('take the rest from what the gateway wrote, and nothing from a broken file', () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ gateway_url: 'http://127.0.0.1:8081', public_url: 'http://localhost:8080/', order_secret: 'o', account_id: 'x' }),
    );
    writeFileSync(join(folder, 'bff.json'), JSON.stringify({ api_key: 'k', api_secret: 's' }));
    expect(loadConfig({ DATA_DIR: folder })).toMatchObject({
      SERVICE_URL: 'http://127.0.0.1:8081',
      PUBLIC_URL: 'http://localhost:8080',
      API_KEY: 'k',
      API_SECRET: 's',
      ORDER_SECRET: 'o',
      nonceWindow: true,
    });
    expect(loadConfig({ DATA_DIR: folder, API_KEY: 'mine', API_SECRET: 'my secret' })).toMatchObject({
      API_KEY: 'mine',
      API_SECRET: 'my secret',
      nonceWindow: false,
    });
    writeFileSync(join(folder, 'credentials.json'), '{');
    expect(() => loadConfig({ DATA_DIR: folder })).toThrow(OptionsError);
  });

  it('check the catalogue', () => {
    const folder = newFolder();
    const path = join(folder, 'catalogue.json');
    const load = (catalogue: unknown) => {
      writeFileSync(path, JSON.stringify(catalogue));
      return loadConfig({ ...base, CATALOGUE: path }).catalogue;
    };
    const mug = { description: 'Mug', amount: '18.50', currency: 'USD' };
    expect(load({ mug })).toEqual({ mug });
    for (const item of [
      { ...mug, amount: '0' },
      { ...mug, amount: 5 },
      { ...mug, currency: 'XXX' },
      { ...mug, amount: '1.001' },
      { ...mug, extra: 1 },
      { ...mug, kinds: ['GOLD'] },
      { ...mug, max_quantity: 0 },
    ])
      expect(() => load({ item })).toThrow(/CATALOGUE/);
    expect(() => load({ 'a b': mug })).toThrow(OptionsError);
  });
});
