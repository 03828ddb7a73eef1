import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAnvil } from '../../chains/test/support/anvil.ts';
import { ensureFirstStart } from './account/first-start.ts';
import { createContext, requireSameKeys } from './compose.ts';
import { ConfigError, loadConfig } from './config.ts';
import { testDatabase, type TestDatabase } from '../test/support/database.ts';

const log = pino({ level: 'silent' });
let dataDir: string;
let database: TestDatabase;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cc-compose-'));
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a database that can not be used', () => {
  const start = (url: string): Promise<unknown> =>
    createContext(loadConfig({ DATA_DIR: dataDir, DATABASE_URL: url }), log);
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };

  it.each([
    [
      'has no such name',
      () => changed((url) => (url.pathname = '/nowhere')),
      /"nowhere" does not exist/,
    ],
    [
      'the user is unknown',
      () => changed((url) => (url.username = 'nobody_known')),
      /nobody_known/,
    ],
  ])('one sentence when %s', async (_, url, message) => {
    const error: unknown = await start(url()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(
      /^The database of DATABASE_URL can't be used: [^\n]*\.$/,
    );
    expect((error as Error).message).toMatch(message);
  });
});

describe('the keys of a database', () => {
  it('are the same for two processes that start at once', async () => {
    const { db } = database;
    const first = await db.startTransaction().execute();
    await sql`insert into setting (name, value) values ('keys_fingerprint', '"one"')`.execute(
      first,
    );
    const second = requireSameKeys(db, 'one');
    await expect
      .poll(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        return rows[0]?.count;
      })
      .toBeGreaterThan(0);
    await first.commit().execute();
    await expect(second).resolves.toBeUndefined();
    await expect(requireSameKeys(db, 'two')).rejects.toThrow(ConfigError);
  });
});

describe('the files of a database', () => {
  let folder: string;
  let own: TestDatabase;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cc-files-'));
    own = await testDatabase();
  });
  afterEach(async () => {
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const has = (name: string): boolean => existsSync(join(folder, name));
  const start = async (env: Record<string, string> = {}): Promise<string | null> => {
    const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: own.url, ...env });
    try {
      const { context, close } = await createContext(config, log);
      await ensureFirstStart(context);
      await close();
      return null;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.message;
    }
  };

  it.each(['keys.json', 'secrets.key'])('%s is made for an empty one only', async (name) => {
    expect(await start()).toBeNull();
    const text = readFileSync(join(folder, name), 'utf8');
    rmSync(join(folder, name));
    expect(await start()).toContain(`${join(folder, name)} is missing, and the database was used`);
    expect(has(name)).toBe(false);
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    expect(await start()).toBeNull();
  });

  it('another secrets.key ends every start, also one beside the service', async () => {
    expect(await start()).toBeNull();
    writeFileSync(join(folder, 'secrets.key'), 'ab'.repeat(32), { mode: 0o600 });
    const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: own.url });
    await expect(createContext(config, log, { beside: true })).rejects.toThrow(
      /sealed with another key/,
    );
    chmodSync(join(folder, 'secrets.key'), 0o644);
    await expect(createContext(config, log)).rejects.toThrow(
      /secrets\.key must be readable by its owner only: run chmod 600 /,
    );
  });

  it('are not made by a start that a setting ends', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    const node = { ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}', SANDBOX: 'false' };
    expect(await start(node)).toBe('RATES must be live on a main network.');
    await anvil.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a used folder with an empty database ends the start: addresses would be given out again', async () => {
    const sentence = `DATA_DIR ${folder} was used with another database: set DATABASE_URL to it, or use another DATA_DIR.`;
    writeFileSync(join(folder, 'credentials.json'), '{}');
    expect(await start()).toBe(sentence);
    expect(await start({ DATABASE_URL: '' })).toBe(sentence);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('other public keys are named by their setting', async () => {
    await requireSameKeys(own.db, 'one');
    await expect(requireSameKeys(own.db, 'two', 'signer')).rejects.toThrow(
      /other keys than PUBLIC_KEYS_FILE has: put its keys\.json into the signer's folder/,
    );
  });
});

describe('on a main network', () => {
  it('buyers reach the service by https only, except on this machine', async () => {
    const anvil = await startAnvil('--chain-id', '1');
    await sql`truncate account, setting cascade`.execute(database.db);
    const node = { ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}', RATES: 'live' };
    const start = async (env: Record<string, string>): Promise<unknown> => {
      const config = loadConfig({
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        ...node,
        ...env,
      });
      return createContext(config, log).then(
        ({ close }) => close(),
        (reason: unknown) => reason,
      );
    };
    for (const name of ['PUBLIC_URL', 'GATEWAY_URL', 'LNURL_BASE_URL'])
      expect(await start({ [name]: 'http://pay.example' })).toEqual(
        new ConfigError(
          `${name} must be https on a main network, not "http://pay.example"; http is for this machine alone.`,
        ),
      );
    expect(await start({ PUBLIC_URL: 'http://10.0.0.5' })).toBeInstanceOf(ConfigError);
    expect(await start({ PUBLIC_URL: 'http://localhost.pay.example' })).toBeInstanceOf(ConfigError);
    const own = { PUBLIC_URL: 'http://localhost:8080', GATEWAY_URL: 'http://[::1]:8081' };
    expect(await start(own)).toBeUndefined();
    expect(await start({ PUBLIC_URL: 'https://pay.example' })).toBeUndefined();
    await anvil.stop();
  });
});

describe('a database of another network', () => {
  const start = async (env: Record<string, string> = {}): Promise<unknown> => {
    const config = loadConfig({ DATA_DIR: dataDir, DATABASE_URL: database.url, ...env });
    return createContext(config, log).catch((reason: unknown) => reason);
  };
  const belongTo = async (network: 'main' | 'test'): Promise<void> => {
    const { db } = database;
    await sql`truncate account, setting, chain_cursor cascade`.execute(db);
    await sql`insert into setting (name, value) values ('keys_fingerprint', '"other"')`.execute(db);
    const { rows } = await sql<{ id: string }>`
      insert into account (id, name, slug, is_testnet, callback_token_sealed, created_at)
      values (gen_random_uuid(), 'Shop', 'shop', ${network === 'test'}, '', now()) returning id`.execute(
      db,
    );
    await sql`insert into setting (name, value)
      values ('first_start', ${JSON.stringify({ account_id: rows[0]!.id })})`.execute(db);
  };

  it('a main one, without a node: the settings of the gateway are missing', async () => {
    await belongTo('main');
    const sentence =
      "The database belongs to a main network, but no node is set: run this with all of the gateway's settings, those of its nodes included (such as ETH_RPC_URL).";
    expect(await start()).toEqual(new ConfigError(sentence));
    expect(await start({ SANDBOX: 'false', KEYS_MODE: 'watch' })).toEqual(
      new ConfigError(sentence),
    );
  });

  it('a test one with a main node, or a main one with a test node', async () => {
    const chains = async (chainId: string): Promise<unknown> => {
      const anvil = await startAnvil('--chain-id', chainId);
      const refused = await start({ ETH_RPC_URL: anvil.url, ETH_TOKENS: '{}', RATES: 'live' });
      await anvil.stop();
      return refused;
    };
    await belongTo('test');
    expect(await chains('1')).toEqual(
      new ConfigError(
        'The database belongs to a test network, but the chains are configured for a main network; use another DATA_DIR or DATABASE_URL.',
      ),
    );
    await belongTo('main');
    expect(await chains('11155111')).toEqual(
      new ConfigError(
        'The database belongs to a main network, but the chains are configured for a test network; use another DATA_DIR or DATABASE_URL.',
      ),
    );
  });
});
