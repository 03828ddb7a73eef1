import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Setting } from '@crypto-checkout/protocol/schema/setting';
import { ConfigError, loadConfig, SETTINGS } from './config.ts';

describe('loadConfig', () => {
  it('needs nothing', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8081,
      publicUrl: 'http://localhost:8080',
      callbackUrl: 'http://localhost:8080/callbacks',
      lnurlBaseUrl: 'http://localhost:8080',
      databaseUrl: null,
      sandbox: true,
      outboundAllow: [],
    });
  });

  it('takes an empty variable for none', () => {
    expect(loadConfig({ DATABASE_URL: '', PORT: ' ' })).toEqual(loadConfig({}));
  });

  it('takes a database over its socket, with a user and no host', () => {
    expect(
      loadConfig({ DATABASE_URL: 'postgres://me@/shop?host=/run/postgresql' }).databaseUrl,
    ).toContain('/run/postgresql');
  });

  it('lets GATEWAY_PORT win over PORT', () => {
    expect(loadConfig({ PORT: '1', GATEWAY_PORT: '2' }).port).toBe(2);
    expect(loadConfig({ PORT: '1' }).port).toBe(1);
  });

  it('reads networks and openings', () => {
    const { trustedProxies, outboundAllow } = loadConfig({
      TRUSTED_PROXIES: '10.0.0.1, fd00::/8',
      OUTBOUND_ALLOW: '127.0.0.0/8:80 10.0.0.0/8:*',
    });
    expect(trustedProxies.map(([address, bits]) => `${address.toString()}/${bits}`)).toEqual([
      '10.0.0.1/32',
      'fd00::/8',
    ]);
    expect(outboundAllow.map(({ ports }) => ports)).toEqual([[80], []]);
  });

  it.each([
    ['10.0.0.0/8:443,8443', [['10.0.0.0', [443, 8443]]]],
    [
      '10.0.0.0/8:443,8443 ::1/128:80, fd00::/8',
      [
        ['10.0.0.0', [443, 8443]],
        ['::1', [80]],
        ['fd00::', []],
      ],
    ],
    [
      '127.0.0.0/8:1,10.0.0.0/8:*',
      [
        ['127.0.0.0', [1]],
        ['10.0.0.0', []],
      ],
    ],
  ])('reads the openings %s', (value, openings) => {
    const { outboundAllow } = loadConfig({ OUTBOUND_ALLOW: value });
    expect(
      outboundAllow.map(({ network: [address], ports }) => [address.toString(), ports]),
    ).toEqual(openings);
  });

  it.each([
    ['PORT', '80a'],
    ['PORT', '70000'],
    ['GATEWAY_PORT', 'abc'],
    ['GATEWAY_PORT', '70000'],
    ['DATABASE_URL', 'postgres://localhost:99999/x'],
    ['PUBLIC_URL', 'localhost:8080'],
    ['PUBLIC_URL', 'ftp://x'],
    ['CALLBACK_URL', 'javascript:alert(1)'],
    ['GATEWAY_URL', 'http://user:pass@host'],
    ['DATABASE_URL', 'mysql://x'],
    ['SECRETS_KEY', 'short'],
    ['OUTBOUND_ALLOW', '127.0.0.1:80'],
    ['OUTBOUND_ALLOW', '127.0.0.0/99:80'],
    ['OUTBOUND_ALLOW', '127.0.0.0/8:0'],
    ['OUTBOUND_ALLOW', '127.0.0.0/8:99999'],
    ['OUTBOUND_ALLOW', '127.0.0.0/8:80-90'],
    ['OUTBOUND_ALLOW', '127.0.0.0/8:*,80'],
    ['OUTBOUND_ALLOW', '127.0.0.0/8 80'],
    ['OUTBOUND_ALLOW', '443'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['TRUSTED_PROXIES', 'everyone'],
    ['RATE_LIMIT_RPS', '0'],
    ['RATE_LIMIT_RPS', '-1'],
    ['SANDBOX', 'yes'],
    ['ETH_TOKENS', '{"ETH_USDT":"0x1"}'],
    ['ETH_TOKENS', 'not json'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s with one sentence that names it', (name, value) => {
    const error = catching(() => loadConfig({ [name]: value }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(new RegExp(`^${name} must [^\\n]*\\.$`));
    expect(error.message.split(', not "').length).toBeLessThanOrEqual(2);
    expect(error.message).not.toContain('is not, not');
  });

  it('refuses scans that are rarer than the alarm about a missing one', () => {
    const read = (interval: string) => () =>
      loadConfig({ SCAN_INTERVAL_MS: interval, SCAN_ALARM_MINUTES: '5' });
    expect(catching(read('300000'))).toEqual(
      new ConfigError(
        'SCAN_INTERVAL_MS must be less than SCAN_ALARM_MINUTES, 300000 milliseconds.',
      ),
    );
    expect(read('299999')().scanIntervalMs).toBe(299_999);
  });

  it('lists every mistake at once, and never a secret', () => {
    const { message } = catching(() =>
      loadConfig({
        PORT: 'x',
        HOST: ' ',
        SECRETS_KEY: 'hunter2',
        DATABASE_URL: 'mysql://me:hunter2@x',
      }),
    );
    expect(message.split('\n')).toHaveLength(3);
    expect(message).not.toContain('hunter2');
  });
});

describe('the settings', () => {
  it('stand in docs/run/settings.md, each with its default and meaning', () => {
    const page = readFileSync(new URL('../../../docs/run/settings.md', import.meta.url), 'utf8');
    // The table is of both servers; a row that both share names both.
    const rows = new Set(
      page
        .split('\n')
        .map((line) =>
          line.replace(/\s+/g, ' ').replace(' | gateway, BFF |', ' | gateway |').trim(),
        ),
    );
    for (const [name, { fallback, meaning }] of Object.entries<Setting<unknown>>(SETTINGS)) {
      expect(rows).toContain(
        `| \`${name}\` | gateway | ${fallback === '' ? '' : `\`${fallback}\` `}| ${meaning.replaceAll('|', '\\|')} |`,
      );
    }
  });
});

function catching(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown');
}
