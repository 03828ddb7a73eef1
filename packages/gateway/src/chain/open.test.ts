import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { startAnvil, withoutMethods } from '../../test/anvil.ts';
import { loadConfig } from '../config.ts';
import { testDatabase, type TestDatabase } from '../database/test-database.ts';
import { openRates } from '../rate/open-rates.ts';
import { testClock } from '../test-context.ts';
import { openChains, type OpenChains } from './open.ts';

const log = { info: () => {}, warn: () => {} };
let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await testDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'open-'));
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true });
  await database.close();
});

function open(env: Record<string, string> = {}): Promise<OpenChains> {
  return openChains({ config: loadConfig({ DATA_DIR: dataDir, ...env }), db: database.db, log });
}

const sourcesOf = ({ chains }: OpenChains): string[] => [...new Set([...chains.values()].map(({ source }) => source))];

describe('openChains', () => {
  it('simulates every chain without a node', async () => {
    const opened = await open();
    expect(opened.network).toBe('testnet');
    expect(opened.chains.size).toBe(Object.keys(CHAINS).length);
    expect(sourcesOf(opened)).toEqual(['sandbox']);
  });

  it('refuses to offer nothing', async () => {
    await expect(open({ SANDBOX: 'false' })).rejects.toThrow(/no chain to offer/);
  });

  it('puts the other chains into the sandbox beside a test network’s node', async () => {
    const anvil = await startAnvil();
    const opened = await open({ ETH_RPC_URL: anvil.url });
    expect(opened.chains.size).toBe(Object.keys(CHAINS).length);
    expect(opened.chains.get('ethereum')).toMatchObject({ source: 'node', kinds: ['ETH'] });
    expect((await open({ ETH_RPC_URL: anvil.url, SANDBOX: 'false' })).chains.size).toBe(1);
    const door = await withoutMethods(anvil.url, /^debug_/);
    expect((await open({ ETH_RPC_URL: door.url })).chains.get('ethereum')).toMatchObject({ source: 'node' });
    await door.stop();
    await anvil.stop();
    await expect(open({ ETH_RPC_URL: anvil.url })).rejects.toThrow(/does not answer/);
  });

  it('simulates nothing beside a main network, and uses no published key there', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    const node = { ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}' };
    const opened = await open(node);
    expect(opened).toMatchObject({ network: 'mainnet', keys: { network: 'mainnet' } });
    expect([...opened.chains.keys()]).toEqual(['ethereum']);
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    await expect(open({ ...node, TEST_MNEMONIC: mnemonic })).rejects.toThrow(/TEST_MNEMONIC must not be set/);
    // The table's contracts are looked for, and this empty chain has none of them.
    await expect(open({ ETH_RPC_URL: anvil.url })).rejects.toThrow(/no token contract of ETH_USDT/);
    await anvil.stop();
  });
});

describe('openRates', () => {
  const clock = testClock();

  it('refuses invented prices on a main network', () => {
    expect(() => openRates({ config: { rates: 'fixed' }, network: 'mainnet', clock, log })).toThrow(/must be live/);
    expect(openRates({ config: { rates: 'live' }, network: 'mainnet', clock, log }).refresh).toBeDefined();
    expect(openRates({ config: { rates: 'fixed' }, network: 'testnet', clock, log }).refresh).toBeUndefined();
  });
});
