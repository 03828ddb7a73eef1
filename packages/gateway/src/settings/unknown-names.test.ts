import { expect, it } from 'vitest';
import { loadConfig, SETTINGS } from '../config.ts';
import { settingsWithoutEffect } from './unknown-names.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const warnings = (env: Record<string, string>): string[] =>
  settingsWithoutEffect(env, Object.keys(SETTINGS));

it('a cold address under an unknown name ends the start: deposits would go to the hot address', () => {
  expect(() => loadConfig({ SWEEP_TO_ETHEREUM: COLD })).toThrow(
    /^SWEEP_TO_ETHEREUM is unknown; is SWEEP_TO_ETH meant\?$/,
  );
  expect(() => loadConfig({ SWEEP_TO_BTC: 'bc1q' })).toThrow(
    /^SWEEP_TO_BTC is unknown: a cold address can have the name SWEEP_TO_ETH, .*\.$/,
  );
  expect(loadConfig({ SWEEP_TO_ETHEREUM: '', SWEEP_TO_BASE: COLD }).sweepTo).toEqual({
    base: COLD,
  });
});

it('the whole name of a chain in place of its short one is noticed', () => {
  expect(
    warnings({ ETHEREUM_RPC_URL: 'x', BITCOIN_NETWORK: 'test', LITECOIN_RPC_USER: 'me' }),
  ).toEqual([
    'The setting ETHEREUM_RPC_URL is unknown; is ETH_RPC_URL meant?',
    'The setting BITCOIN_NETWORK is unknown; is BTC_NETWORK meant?',
    'The setting LITECOIN_RPC_USER is unknown; is LTC_RPC_USER meant?',
  ]);
  expect(warnings({ EMBED_ORIGINS: 'x', BASE_RPC_URL: 'x', DOCKER_NETWORK: 'x' })).toEqual([]);
});

it('a setting of a node has no effect without the address of the node', () => {
  expect(warnings({ BTC_NETWORK: 'test', ETH_TOKENS: '{}', SWEEP_TO_ETH: COLD })).toEqual([
    'The setting ETH_TOKENS has no effect without ETH_RPC_URL.',
    'The setting BTC_NETWORK has no effect without BTC_RPC_URL.',
  ]);
  expect(warnings({ BTC_NETWORK: 'test', BTC_RPC_URL: 'x', LTC_NETWORK: ' ' })).toEqual([]);
});

it('a misspelled DATABASE_URL ends the start: an empty database would be started in its place', () => {
  const url = 'postgres://localhost/gateway';
  expect(() => loadConfig({ DATABSE_URL: url })).toThrow(
    /^The setting DATABSE_URL is unknown; is DATABASE_URL meant\?$/,
  );
  expect(loadConfig({ DATABASE_URLS: url, DATABASE_URL: url }).databaseUrl).toBe(url);
});
