import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeOnLitecoind,
  PASSWORD,
  startLitecoind,
  USER,
  type Litecoind,
} from '../../../chains/test/support/litecoind.ts';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import { startEsploraServer } from '../../../chains/test/support/esplora/esplora-server.ts';
import { loadConfig } from '../config.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import { changeKeysAmong } from './coin-store.ts';
import { openChains, type OpenChains } from './open-chains.ts';

describeOnLitecoind('the settings of a Bitcoin-like node', () => {
  let node: Litecoind;
  let database: TestDatabase;
  let dataDir: string;
  beforeAll(async () => {
    node = await startLitecoind();
    database = await testDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'open-'));
  });
  afterAll(async () => {
    await node.stop();
    rmSync(dataDir, { recursive: true });
    await database.close();
  });

  const open = (env: Record<string, string>): Promise<OpenChains> =>
    openChains({
      config: loadConfig({ DATA_DIR: dataDir, ...env }),
      db: database.db,
      log: { info: () => {}, warn: () => {} },
    });
  const login = { BTC_RPC_USER: USER, BTC_RPC_PASSWORD: PASSWORD };
  const litecoinLogin = { LTC_RPC_USER: USER, LTC_RPC_PASSWORD: PASSWORD };

  it('open the chain beside the sandbox of all others, with sender and zero-conf facts', async () => {
    const env = { ...login, BTC_RPC_URL: node.url, BTC_NETWORK: 'regtest' };
    const { chains, senders, network } = await open(env);
    expect(network).toBe('testnet');
    expect(chains.get('bitcoin')).toMatchObject({
      source: 'node',
      kinds: ['BTC', 'BTC_P2SH', 'BTC_BECH32'],
    });
    expect(chains.get('litecoin')?.source).toBe('sandbox');
    expect(senders.get('bitcoin')?.kinds).toContain('BTC');
    expect(await chains.get('bitcoin')?.mempoolFacts?.('0'.repeat(64))).toBeNull();
    const watched = watchKeyOf('bitcoin', senders.get('bitcoin')!.fundingAddress!);
    expect([...(await changeKeysAmong(database.db, [watched]))]).toEqual([[watched, 0]]);
  });

  it('are refused with one sentence when they do not fit the node', async () => {
    await expect(open({ ...login, BTC_RPC_URL: node.url })).rejects.toThrow(
      'BTC_RPC_URL serves the network regtest, but BTC_NETWORK is main; set one to match the other.',
    );
    expect(() => loadConfig({ BTC_RPC_USER: USER })).toThrow(
      'BTC_RPC_USER and BTC_RPC_PASSWORD must be set together.',
    );
    expect(() => loadConfig({ ...login, BTC_RPC_COOKIE: '/x' })).toThrow(
      'Set either BTC_RPC_COOKIE, or BTC_RPC_USER and BTC_RPC_PASSWORD, not both.',
    );
    expect(() => loadConfig({ DOGE_NETWORK: 'signet' })).toThrow(
      'DOGE_NETWORK must be one of main, test, regtest',
    );
  });

  it('are refused when two coins share a node, which would credit a payment twice', () => {
    const { port } = new URL(node.url);
    const own = { BTC_NETWORK: 'regtest', LTC_NETWORK: 'regtest', BTC_RPC_URL: node.url };
    for (const url of [
      node.url,
      `${node.url}/`,
      `http://localhost:${port}`,
      `http://[::1]:${port}`,
      `http://0.0.0.0:${port}`,
    ])
      expect(() => loadConfig({ ...own, LTC_RPC_URL: url })).toThrow(
        'BTC_RPC_URL and LTC_RPC_URL name the same node; in regtest give each coin a node of its own.',
      );
    expect(() => loadConfig({ ...own, LTC_RPC_URL: 'http://127.0.0.1:9' })).not.toThrow();
    const provider = 'https://nodes.example/';
    const both = { BTC_RPC_URL: `${provider}btc`, LTC_RPC_URL: `${provider}ltc` };
    expect(() => loadConfig(both)).not.toThrow();
  });

  it('may share an address outside regtest, where block 0 names the coin', () => {
    // A proxy that chooses the node by the login.
    const url = 'https://nodes.example/';
    const byLogin = { ...login, ...litecoinLogin, BTC_RPC_URL: url, LTC_RPC_URL: url };
    expect(() => loadConfig(byLogin)).not.toThrow();
    expect(() => loadConfig({ ...byLogin, BTC_NETWORK: 'regtest' })).not.toThrow();
    expect(() =>
      loadConfig({ ...byLogin, BTC_NETWORK: 'regtest', LTC_NETWORK: 'regtest' }),
    ).toThrow(
      'BTC_RPC_URL and LTC_RPC_URL name the same node; in regtest give each coin a node of its own.',
    );
  });

  it('are refused when they are no addresses of a service or a publisher', () => {
    expect(() => loadConfig({ BTC_ESPLORA_URL: 'example.com/a-key' })).toThrow(
      /^BTC_ESPLORA_URL must be an http or https URL\.$/,
    );
    for (const url of ['127.0.0.1:28332', 'http://127.0.0.1:28332', 'tcp://127.0.0.1'])
      expect(() => loadConfig({ BTC_RPC_URL: node.url, BTC_ZMQ_URL: url })).toThrow(
        `BTC_ZMQ_URL must hold tcp URLs with a port, separated by commas, not "${url}".`,
      );
    expect(() => loadConfig({ BTC_ZMQ_URL: 'tcp://127.0.0.1:28332' })).toThrow(
      'BTC_ZMQ_URL needs BTC_RPC_URL: it names publishers of that node.',
    );
  });

  it('open a chain with a service alone, and its sender', async () => {
    const service = await startEsploraServer(node, bitcoinNetwork('litecoin', 'regtest'));
    try {
      const env = { LTC_ESPLORA_URL: service.url, LTC_NETWORK: 'regtest' };
      const { chains, senders } = await open(env);
      expect(chains.get('litecoin')).toMatchObject({ source: 'node', kinds: ['LTC'] });
      expect(chains.get('litecoin')?.compareBlock).toBeUndefined();
      expect(senders.get('litecoin')?.kinds).toEqual(['LTC']);
      const both = await open({ ...env, LTC_RPC_URL: node.url, ...litecoinLogin });
      expect(both.chains.get('litecoin')?.compareBlock).toBeDefined();
      await expect(open({ ...env, LTC_NETWORK: 'main' })).rejects.toThrow(
        /^LTC_ESPLORA_URL is no service of Litecoin: /,
      );
    } finally {
      await service.stop();
    }
  });

  it('name the setting when the node refuses the login', async () => {
    const env = { BTC_RPC_USER: USER, BTC_RPC_PASSWORD: 'wrong', BTC_NETWORK: 'regtest' };
    await expect(open({ ...env, BTC_RPC_URL: node.url })).rejects.toThrow(
      /^BTC_RPC_URL: the node refuses the login \(HTTP 401\); correct BTC_RPC_USER and BTC_RPC_PASSWORD, or BTC_RPC_COOKIE\.$/,
    );
    const cookie = { BTC_RPC_COOKIE: join(dataDir, 'none'), BTC_NETWORK: 'regtest' };
    await expect(open({ ...cookie, BTC_RPC_URL: node.url })).rejects.toThrow(
      `BTC_RPC_COOKIE: the file ${join(dataDir, 'none')} is missing or can't be read; set it to the cookie file of the node, or set BTC_RPC_USER and BTC_RPC_PASSWORD in its place.`,
    );
  });
});
