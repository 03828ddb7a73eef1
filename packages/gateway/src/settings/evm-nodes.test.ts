import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';

const ethereum = (env: Record<string, string>) => loadConfig(env).nodes.ethereum;

describe('the providers of a node', () => {
  it('are a list, with user and password where a provider needs them', () => {
    expect(
      ethereum({ ETH_RPC_URL: 'https://one.example/key, https://user:word@two.example' }),
    ).toMatchObject({
      providers: [
        { url: 'https://one.example/key', headers: {} },
        { url: 'https://user:word@two.example', headers: {} },
      ],
    });
    expect(ethereum({})).toMatchObject({ providers: [] });
  });

  it.each(['ftp://secret.example', 'https://one.example,secret', 'https://'])(
    'refuses %s without its value',
    (ETH_RPC_URL) => {
      expect(() => loadConfig({ ETH_RPC_URL })).toThrow(
        /^ETH_RPC_URL must hold http or https URLs, separated by commas\.$/,
      );
    },
  );

  it('have headers of their own', () => {
    const one = { ETH_RPC_URL: 'https://one.example' };
    expect(ethereum({ ...one, ETH_RPC_HEADERS: '{"x-api-key":"secret"}' })).toMatchObject({
      providers: [{ headers: { 'x-api-key': 'secret' } }],
    });
    const two = { ETH_RPC_URL: 'https://one.example,https://two.example' };
    expect(ethereum({ ...two, ETH_RPC_HEADERS: '[{},{"x-api-key":"secret"}]' })).toMatchObject({
      providers: [{ headers: {} }, { headers: { 'x-api-key': 'secret' } }],
    });
    // The key of one provider must not be sent to another.
    expect(() => loadConfig({ ...two, ETH_RPC_HEADERS: '{"x-api-key":"secret"}' })).toThrow(
      /^ETH_RPC_HEADERS must have one object for each address of ETH_RPC_URL\.$/,
    );
    expect(() => loadConfig({ ...one, ETH_RPC_HEADERS: '{"x-api-key":1}secret' })).toThrow(
      /^ETH_RPC_HEADERS must be JSON, an object of header names and values or a list of them\.$/,
    );
    expect(() => loadConfig({ ...one, ETH_RPC_HEADERS: '{"x-key":"secret\\n"}' })).toThrow(
      /^ETH_RPC_HEADERS must be JSON/,
    );
  });
});

const SAME_NODE =
  /^ETH_RPC_URL and BASE_RPC_URL name the same node; give each chain a node of its own\.$/;

describe('two chains at one node', () => {
  it('are refused, because a development chain would credit a payment in both', () => {
    const ETH_RPC_URL = 'https://one.example,http://127.0.0.1:8545';
    for (const url of [
      'http://127.0.0.1:8545',
      'http://127.0.0.1:8545/#base',
      'http://localhost:8545/',
      'http://localhost.:8545/',
      'http://0.0.0.0:8545',
      'http://[::1]:8545',
      'http://[::]:8545',
      'http://[::ffff:127.0.0.1]:8545',
    ])
      expect(() => loadConfig({ ETH_RPC_URL, BASE_RPC_URL: url }), url).toThrow(SAME_NODE);
  });

  it('are refused with the same headers, in another order and case', () => {
    const url = 'http://127.0.0.1:8545';
    const both = { ETH_RPC_URL: url, BASE_RPC_URL: url };
    const ETH_RPC_HEADERS = '{"x-chain":"base","X-Key":"K"}';
    const BASE_RPC_HEADERS = '{"x-key":"K","X-CHAIN":"base"}';
    expect(() => loadConfig({ ...both, ETH_RPC_HEADERS, BASE_RPC_HEADERS })).toThrow(SAME_NODE);
    const other = '{"x-key":"k","X-CHAIN":"base"}';
    expect(() => loadConfig({ ...both, ETH_RPC_HEADERS, BASE_RPC_HEADERS: other })).not.toThrow();
  });

  it('are two nodes by another port, path or header', () => {
    const ETH_RPC_URL = 'http://127.0.0.1:8545/eth';
    for (const BASE_RPC_URL of [
      'http://127.0.0.2:8545/eth',
      'http://base.localhost:8545/eth',
      'http://127.0.0.1:8546/eth',
      'http://127.0.0.1:8545/base',
    ])
      expect(() => loadConfig({ ETH_RPC_URL, BASE_RPC_URL })).not.toThrow();
    const BASE_RPC_HEADERS = '{"x-chain":"base"}';
    expect(() =>
      loadConfig({ ETH_RPC_URL, BASE_RPC_URL: ETH_RPC_URL, BASE_RPC_HEADERS }),
    ).not.toThrow();
  });
});

describe('RPC_COMPARE_ABOVE', () => {
  it('is an amount of US dollars', () => {
    expect(loadConfig({}).rpcCompareAbove).toBe(1_000n * 10n ** 18n);
    expect(loadConfig({ RPC_COMPARE_ABOVE: '0' }).rpcCompareAbove).toBe(0n);
    expect(() => loadConfig({ RPC_COMPARE_ABOVE: '-1' })).toThrow(/RPC_COMPARE_ABOVE must be/);
  });
});
