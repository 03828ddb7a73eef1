import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../account/create.ts';
import { loadConfig } from '../../config.ts';
import { testContext, type TestContext } from '../../../test/support/context.ts';
import { startWorker } from '../../worker/worker.ts';
import { copyDatabase } from './copy-database.ts';
import { testDatabase, type TestDatabase } from '../../../test/support/database.ts';

let context: TestContext;
let other: TestDatabase;
beforeEach(async () => {
  // Chains are read once only: a short lease now and then does not prove that a service runs.
  context = await testContext({
    config: loadConfig({ SCAN_INTERVAL_MS: '60000' }),
    log: pino({ level: 'silent' }),
  });
  other = await testDatabase();
});
afterEach(async () => {
  await other.close();
  await context.close();
});

const copy = (whileRunning = false) => copyDatabase(context, { to: other.url, whileRunning });
const leases = async () =>
  (await sql`select 1 from lease where until > clock_timestamp()`.execute(context.db)).rows.length;

describe('a copy of the database', () => {
  it('is refused while a service runs', async () => {
    const workers = [startWorker(context), startWorker(context)];
    await expect.poll(leases).toBe(2);
    for (let time = 0; time < 5; time++)
      await expect(copy()).rejects.toThrow('A service works on this database');
    await workers[0]!.stop();
    await expect(copy()).rejects.toThrow('A service works on this database');
    await workers[1]!.stop();
    expect((await copy()).length).toBeGreaterThan(0);
  });

  it('is made beside a running service on request', async () => {
    const worker = startWorker(context);
    await expect.poll(leases).toBeGreaterThan(0);
    expect((await copy(true)).length).toBeGreaterThan(0);
    await worker.stop();
  });

  it('is refused in a database with other tables, which stay unchanged', async () => {
    await sql`drop schema public cascade`.execute(other.db);
    await sql`create schema public`.execute(other.db);
    await sql`create table customer (id int)`.execute(other.db);
    await sql`create table "order" (id int)`.execute(other.db);
    await expect(copy()).rejects.toThrow(
      'The other database is not empty: there are tables that are not ours: customer, order.',
    );
    const { rows } = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(
      other.db,
    );
    expect(rows.map(({ name }) => name)).toEqual(['customer', 'order']);
    await sql`drop table customer, "order"`.execute(other.db);
    expect((await copy()).length).toBeGreaterThan(0);
  });

  it('is refused where a service has been', async () => {
    await sql`insert into setting (name, value) values ('keys_fingerprint', '"x"')`.execute(
      other.db,
    );
    await expect(copy()).rejects.toThrow(
      'The other database is not empty: there are rows in setting.',
    );
    await sql`delete from setting`.execute(other.db);
    await createAccount({ ...context, db: other.db }, { parentId: null }, { name: 'Theirs' });
    await expect(copy()).rejects.toThrow(
      'The other database is not empty: there are rows in account, profile, profile_currency, proof_key, wallet.',
    );
  });
});
