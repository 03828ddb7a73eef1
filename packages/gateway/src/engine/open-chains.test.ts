import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { startAnvil, withoutMethods } from '../../../chains/test/support/anvil.ts';
import { loadConfig } from '../config.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { openRates } from '../rate/open-rates.ts';
import { testClock } from '../../test/support/context.ts';
import { openChains, type OpenChains } from './open-chains.ts';

const log: Pick<Logger, 'info' | 'warn'> = { info: () => {}, warn: () => {} };
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

function open(env: Record<string, string> = {}, logger = log): Promise<OpenChains> {
  return openChains({
    config: loadConfig({ DATA_DIR: dataDir, ...env }),
    db: database.db,
    log: logger,
  });
}

const sourcesOf = ({ chains }: OpenChains): string[] => [
  ...new Set([...chains.values()].map(({ source }) => source)),
];

describe('openChains', () => {
  it('simulates every chain without a node', async () => {
    const opened = await open();
    expect(opened.network).toBe('testnet');
    expect(opened.chains.size).toBe(Object.keys(CHAINS).length);
    expect(sourcesOf(opened)).toEqual(['sandbox']);
  });

  it('requires at least one chain', async () => {
    await expect(open({ SANDBOX: 'false' })).rejects.toThrow(/no chain to offer/);
  });

  it('simulates the other chains beside a node of a test network', async () => {
    const anvil = await startAnvil();
    const opened = await open({ ETH_RPC_URL: anvil.url });
    expect(opened.chains.size).toBe(Object.keys(CHAINS).length);
    expect(opened.chains.get('ethereum')).toMatchObject({ source: 'node', kinds: ['ETH'] });
    expect((await open({ ETH_RPC_URL: anvil.url, SANDBOX: 'false' })).chains.size).toBe(1);
    const proxy = await withoutMethods(anvil.url, /^debug_/);
    expect((await open({ ETH_RPC_URL: proxy.url })).chains.get('ethereum')).toMatchObject({
      source: 'node',
    });
    await proxy.stop();
    await anvil.stop();
    await expect(open({ ETH_RPC_URL: anvil.url })).rejects.toThrow(/does not respond/);
  });

  it('refuses a cold address of its own keys', async () => {
    const { keys } = await open();
    const own = evmSendingAddress(keys);
    await expect(open({ SWEEP_TO_ETH: own })).rejects.toThrow(
      `SWEEP_TO of ethereum is ${own}, an address of this service's own keys: name a cold address.`,
    );
  });

  it('simulates nothing beside a main network, and refuses a published mnemonic there', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    const node = { ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}' };
    const opened = await open(node);
    expect(opened).toMatchObject({ network: 'mainnet', keys: { network: 'mainnet' } });
    expect([...opened.chains.keys()]).toEqual(['ethereum']);
    const mnemonic =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    await expect(open({ ...node, TEST_MNEMONIC: mnemonic })).rejects.toThrow(
      /TEST_MNEMONIC must not be set/,
    );
    // The token contracts of the table do not exist on this empty chain.
    await expect(open({ ETH_RPC_URL: anvil.url })).rejects.toThrow(
      /no token contract for ETH_USDT/,
    );
    await anvil.stop();
  });

  it('compares the networks of the nodes before their tokens', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    const base = await startAnvil('--chain-id', '84532');
    // Neither chain has the contracts of the table.
    await expect(open({ ETH_RPC_URL: anvil.url, BASE_RPC_URL: base.url })).rejects.toThrow(
      'All nodes must be on main networks, or all on test networks: ETH_RPC_URL is on a main network, BASE_RPC_URL is on a test network.',
    );
    await base.stop();
    await anvil.stop();
  });
});

describe('keys', () => {
  it('are sealed with a passphrase, and stay the same', async () => {
    const before = await open();
    const file = join(dataDir, 'passphrase');
    writeFileSync(file, 'a passphrase for tests', { mode: 0o600 });
    const sealed = await open({ KEYS_PASSPHRASE_FILE: file });
    expect(sealed.keys.fingerprint).toBe(before.keys.fingerprint);
    expect(readFileSync(join(dataDir, 'keys.json'), 'utf8')).not.toContain('mnemonic');
    await expect(open()).rejects.toThrow(/is sealed: set KEYS_PASSPHRASE_FILE/);
    rmSync(join(dataDir, 'keys.json'));
  });

  it('on a main network are announced at start', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    const lines: [object, string][] = [];
    const logger = {
      info: () => {},
      warn: (...line: unknown[]) => void lines.push(line as [object, string]),
    };
    const env = { ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}' };
    const hot = () =>
      lines
        .splice(0)
        .filter(([{ event }]: [{ event?: string }, string]) => event === 'keys_are_hot');
    await open(env, logger);
    expect(hot()).toEqual([
      [
        expect.objectContaining({ sealed: false }),
        expect.stringContaining('in clear: set KEYS_PASSPHRASE_FILE'),
      ],
    ]);
    await open({ ...env, KEYS_PASSPHRASE_FILE: join(dataDir, 'passphrase') }, logger);
    expect(hot()).toEqual([[expect.objectContaining({ sealed: true }), expect.any(String)]]);
    await anvil.stop();
    await open({ KEYS_PASSPHRASE_FILE: join(dataDir, 'passphrase') }, logger);
    expect(hot()).toEqual([]);
  });
});

describe('openRates', () => {
  const clock = testClock();

  it('refuses fixed rates on a main network', () => {
    expect(() => openRates({ config: { rates: 'fixed' }, network: 'mainnet', clock, log })).toThrow(
      /must be live/,
    );
    expect(
      openRates({ config: { rates: 'live' }, network: 'mainnet', clock, log }).refresh,
    ).toBeDefined();
    expect(
      openRates({ config: { rates: 'fixed' }, network: 'testnet', clock, log }).refresh,
    ).toBeUndefined();
  });
});
