import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
