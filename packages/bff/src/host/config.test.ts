import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KINDS } from '@crypto-checkout/protocol/kind';
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
  it('are all in docs/run/settings.md, with their defaults', () => {
    const page = readFileSync(new URL('../../../../docs/run/settings.md', import.meta.url), 'utf8');
    for (const [name, { fallback, meaning }] of Object.entries(SETTINGS))
      expect(page).toMatch(
        new RegExp(
          `\\| \`${name}\` +\\| (?:gateway, )?BFF +\\| *${fallback === '' ? '' : `\`${fallback.replaceAll('.', '\\.')}\``} *\\| ${meaning.slice(0, 20).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
        ),
      );
  });

  it('have defaults, and URLs lose trailing slashes', () => {
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

  it('parse lists', () => {
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

  it('report each mistake in a sentence, without secrets', () => {
    const wrong = {
      ...base,
      PORT: 'x',
      EXTENSIONS: 'maybe',
      EMBED_ORIGINS: '*',
      DATABASE_URL: 'mysql://user:hidden@host',
      API_KEYS: 'hidden',
    };
    let message = '';
    try {
      loadConfig(wrong);
    } catch (error) {
      expect(error).toBeInstanceOf(OptionsError);
      message = (error as Error).message;
    }
    expect(message.split('\n')).toHaveLength(5);
    expect(message).not.toContain('hidden');
  });

  it('report the invalid item of a list once', () => {
    expect(() =>
      loadConfig({ ...base, EMBED_ORIGINS: 'https://a.example localhost:5173' }),
    ).toThrow(
      /^EMBED_ORIGINS must hold origins such as https:\/\/shop\.example or http:\/\/localhost:5173, not "localhost:5173"\.$/,
    );
    expect(() => loadConfig({ ...base, TRUSTED_PROXIES: '10.0.0.0/8 all' })).toThrow(
      /^TRUSTED_PROXIES must hold addresses or CIDRs, not "all"\.$/,
    );
  });

  it('report misspelt names, and no other environment variables', () => {
    expect(misspeltSettings({ EMBED_ORIGIN: 'x', SUCESS_ORIGINS: 'x', MERCHANTNAME: 'x' })).toEqual(
      [
        ['EMBED_ORIGIN', 'EMBED_ORIGINS'],
        ['SUCESS_ORIGINS', 'SUCCESS_ORIGINS'],
        ['MERCHANTNAME', 'MERCHANT_NAME'],
      ],
    );
    const usual =
      'HOME HOSTNAME PATH PWD SHELL SHLVL LANG USER TERM LOGNAME LOG PORTS_OPEN NODE_ENV NODE_PATH GATEWAY_PORT GATEWAY_URL SHOP_PORT SHOP_URL RATES SANDBOX CALLBACK_URL ETH_RPC_URL DATABASE_POOL';
    expect(
      misspeltSettings(
        Object.fromEntries(
          [...usual.split(' '), ...Object.keys(SETTINGS)].map((name) => [name, 'x']),
        ),
      ),
    ).toEqual([]);
  });

  it('create the data folder only in an existing parent', () => {
    const folder = newFolder();
    requireDataDir(join(folder, 'data'));
    expect(() => requireDataDir(join(folder, 'mistyped', 'data'))).toThrow(
      /DATA_DIR can't be used: .*mistyped does not exist; create it first/,
    );
  });

  it('for payment options are validated', () => {
    expect(loadConfig(base)).toMatchObject({
      EXCHANGE_EXPIRATION: 3600,
      LATE_PAYMENTS: 'ask',
      ALLOW_CLIENT_PRICES: false,
      ONRAMP_URL: null,
      SUPPORT_URL: null,
    });
    expect(
      loadConfig({
        ...base,
        EXCHANGE_EXPIRATION: '21600',
        LATE_PAYMENTS: 'accept',
        SUPPORT_URL: 'mailto:a@b.test',
      }),
    ).toMatchObject({
      EXCHANGE_EXPIRATION: 21600,
      LATE_PAYMENTS: 'accept',
      SUPPORT_URL: 'mailto:a@b.test',
    });
    for (const [name, value, expected] of [
      [
        'EXCHANGE_EXPIRATION',
        '3601',
        /EXCHANGE_EXPIRATION must be one of 60, 120,.*1209600, not "3601"/,
      ],
      ['EXCHANGE_EXPIRATION', 'x', /EXCHANGE_EXPIRATION must be one of/],
      ['LATE_PAYMENTS', 'refuse', /LATE_PAYMENTS must be ask or accept/],
      ['ALLOW_CLIENT_PRICES', 'yes', /ALLOW_CLIENT_PRICES must be true or false/],
      ['ONRAMP_URL', 'https://sell.test/', /ONRAMP_URL must be an https address with \{address\}/],
      ['SUPPORT_URL', 'http://shop.test/', /SUPPORT_URL must be an https or mailto address/],
    ] as const)
      expect(() => loadConfig({ ...base, [name]: value })).toThrow(expected);
  });

  it('fall back to the files of the gateway, and reject a broken file', () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({
        gateway_url: 'http://127.0.0.1:8081',
        public_url: 'http://localhost:8080/',
        order_secret: 'o',
        account_id: 'x',
      }),
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
    expect(
      loadConfig({ DATA_DIR: folder, API_KEY: 'mine', API_SECRET: 'my secret' }),
    ).toMatchObject({
      API_KEY: 'mine',
      API_SECRET: 'my secret',
      nonceWindow: false,
    });
    writeFileSync(join(folder, 'credentials.json'), '{');
    expect(() => loadConfig({ DATA_DIR: folder })).toThrow(OptionsError);
  });

  describe('for the catalogue', () => {
    const mug = { description: 'Mug', amount: '18.50', currency: 'USD' };
    const loadText = (text: string) => {
      const path = join(newFolder(), 'catalogue.json');
      writeFileSync(path, text);
      return loadConfig({ ...base, CATALOGUE: path }).catalogue;
    };
    const load = (catalogue: unknown) => loadText(JSON.stringify(catalogue));
    const messageOf = (attempt: () => unknown): string => {
      try {
        attempt();
      } catch (error) {
        expect(error).toBeInstanceOf(OptionsError);
        return (error as Error).message;
      }
      throw new Error('no error was thrown');
    };

    it('keep the digits of a number', () => {
      expect(load({ mug })).toEqual({ mug });
      expect(
        loadText(
          '\ufeff{"mug": {"description": "Mug", "amount": 18.50, "currency": "USD", "max_quantity": 5}}',
        ),
      ).toEqual({
        mug: { ...mug, max_quantity: 5 },
      });
    });

    it.each([
      [
        { ...mug, amount: '0' },
        'CATALOGUE: mug.amount must be a decimal string above zero, such as "12.50", not "0".',
      ],
      [
        { ...mug, amount: 'free', max_quantity: 5 },
        'CATALOGUE: mug.amount must be a decimal string above zero, such as "12.50", not "free".',
      ],
      [
        { ...mug, amount: true },
        'CATALOGUE: mug.amount must be a decimal string above zero, such as "12.50", not true.',
      ],
      [
        { ...mug, amount: '1.001' },
        'CATALOGUE: mug.amount must have at most 2 decimals in USD, not "1.001".',
      ],
      [
        { ...mug, currency: 'usd' },
        'CATALOGUE: mug.currency must be "USD", in capitals, not "usd".',
      ],
      [
        { ...mug, kinds: ['GOLD'] },
        `CATALOGUE: mug.kinds.0 must be one of ${KINDS.map(({ kind }) => kind).join(', ')}, not "GOLD".`,
      ],
      [
        { ...mug, max_quantity: 0 },
        'CATALOGUE: mug.max_quantity must be a whole number from 1 to 1000, not 0.',
      ],
      [{ ...mug, maxquantity: 5 }, 'CATALOGUE: mug.maxquantity is unknown; is max_quantity meant?'],
      [
        { amount: '1', currency: 'USD' },
        'CATALOGUE: mug.description is missing, and must be a text.',
      ],
      [
        { ...mug, amount: '999999999999999999', max_quantity: 1000 },
        'CATALOGUE: mug.max_quantity must keep the total within the maximum amount of an order, not 1000.',
      ],
      ['Mug', 'CATALOGUE: mug must be an object, not "Mug".'],
    ])('report the mistake of an item: %j', (item, sentence) => {
      expect(messageOf(() => load({ mug: item }))).toBe(sentence);
    });

    it('list the members of an item for an unknown name', () => {
      expect(messageOf(() => load({ mug: { ...mug, extra: 1 } }))).toMatch(
        /^CATALOGUE: mug\.extra is unknown; an item has description, amount, currency, .*max_quantity\.$/,
      );
      expect(messageOf(() => load({ 'a b': mug }))).toBe(
        'CATALOGUE: the id "a b" must have up to 64 letters, digits, ".", "_" and "-".',
      );
      expect(messageOf(() => load([mug]))).toMatch(
        /^CATALOGUE must hold an object of items, such as \{"mug":/,
      );
    });

    it('report up to ten mistakes', () => {
      const wrong = (count: number) =>
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`i${index}`, { ...mug, amount: '0' }]),
        );
      expect(
        messageOf(() =>
          load({ ...wrong(2), mug, hat: { ...mug, currency: 'XXX', colour: 'red' } }),
        ).split('\n'),
      ).toEqual([
        expect.stringMatching(/^CATALOGUE: i0\.amount/),
        expect.stringMatching(/^CATALOGUE: i1\.amount/),
        expect.stringMatching(/^CATALOGUE: hat\.colour is unknown/),
        expect.stringMatching(/^CATALOGUE: hat\.currency must be one of USD, EUR, /),
      ]);
      const many = messageOf(() => load(wrong(13))).split('\n');
      expect(many).toHaveLength(11);
      expect(many.at(-1)).toBe('CATALOGUE: 3 more mistakes.');
    });

    it('distinguish a missing file from invalid JSON, and report the place without the content', () => {
      const folder = newFolder();
      const none = join(folder, 'none.json');
      expect(messageOf(() => loadConfig({ ...base, CATALOGUE: none }))).toBe(
        `CATALOGUE must name a JSON file; "${none}" does not exist.`,
      );
      expect(messageOf(() => loadConfig({ ...base, CATALOGUE: folder }))).toBe(
        `CATALOGUE must name a JSON file; "${folder}" is a folder.`,
      );
      const broken = messageOf(() =>
        loadText('{\n  "mug": {"description": "Mug",\n    "amount": secret-thing}\n}'),
      );
      expect(broken).toMatch(
        /^CATALOGUE must name a JSON file; ".*catalogue\.json" is not JSON: look at line 3, column 15\.$/,
      );
      expect(messageOf(() => loadText(''))).toMatch(/is not JSON: look at line 1, column 1\.$/);
    });
  });
});
