import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isDuplicate,
  isUnreachable,
  milliseconds,
  timestamp,
  transact,
  type Db,
  type Trx,
} from './database.ts';
import { FencedOffError, guardLease, releaseLease, takeLease } from './lease.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { timestampFromDatabase } from './timestamp.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  ({ db } = database);
});
afterAll(() => database.close());

describe('values', () => {
  it('are returned as decimal text, numbers, and UTC timestamps', async () => {
    const { rows } = await sql`
      select 123456789012345678.123456789012345678::numeric(60,18) as money, 42::int8 as height, count(*) as count,
        array[1763704000123456789, 0.5]::numeric[] as nonces, timestamptz '2026-11-21 06:15:51.29111+00' as at,
        '{"a":1.5}'::jsonb as json, null::timestamptz as nothing from (select 1) as one`.execute(
      db,
    );
    expect(rows).toEqual([
      {
        money: '123456789012345678.123456789012345678',
        height: 42,
        count: 1,
        nonces: ['1763704000123456789', '0.5'],
        at: '2026-11-21T06:15:51.291110+00:00',
        json: { a: 1.5 },
        nothing: null,
      },
    ]);
  });

  it('beyond 2^53 are refused instead of rounded', async () => {
    await expect(sql`select 9007199254740993::int8 as big`.execute(db)).rejects.toThrow(
      'beyond 2^53',
    );
  });

  it('of time survive a round trip', async () => {
    const now = Date.UTC(2026, 10, 21, 6, 0, 0, 123);
    expect(timestamp(now)).toBe('2026-11-21T06:00:00.123000+00:00');
    expect(milliseconds(timestamp(now))).toBe(now);
    const { rows } = await sql<{ at: string }>`select ${timestamp(now)}::timestamptz as at`.execute(
      db,
    );
    expect(rows[0]?.at).toBe(timestamp(now));
    expect(() => milliseconds('soon')).toThrow(RangeError);
    expect(() => timestampFromDatabase('infinity')).toThrow(RangeError);
  });
});

describe('transact', () => {
  it('retries serialization failures and deadlocks', async () => {
    for (const code of ['40001', '40P01']) {
      let attempts = 0;
      const result = await transact(db, async (trx) => {
        attempts += 1;
        await sql`insert into setting (name, value) values (${`retry-${code}`}, '1')`.execute(trx);
        if (attempts < 3) throw Object.assign(new Error('conflict'), { code });
        return attempts;
      });
      expect(result).toBe(3);
    }
  });

  it('gives up after six attempts', async () => {
    let attempts = 0;
    const failing = transact(db, async () => {
      attempts += 1;
      throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    await expect(failing).rejects.toThrow('conflict');
    expect(attempts).toBe(6);
  });

  it('resolves real deadlocks', async () => {
    await sql`insert into setting (name, value) values ('a', '0'), ('b', '0')`.execute(db);
    const add = (first: string, second: string) =>
      transact(db, async (trx) => {
        for (const name of [first, second]) {
          await sql`update setting set value = to_jsonb((value::text)::int + 1) where name = ${name}`.execute(
            trx,
          );
          await sql`select pg_sleep(0.05)`.execute(trx);
        }
      });
    await Promise.all([add('a', 'b'), add('b', 'a'), add('a', 'b'), add('b', 'a')]);
    const { rows } =
      await sql`select name, value from setting where name in ('a', 'b') order by name`.execute(db);
    expect(rows).toEqual([
      { name: 'a', value: 4 },
      { name: 'b', value: 4 },
    ]);
  });

  it('rolls back completely on an error', async () => {
    const failing = transact(db, async (trx) => {
      await sql`insert into setting (name, value) values ('half', '1')`.execute(trx);
      await sql`insert into setting (name, value) values ('half', '1')`.execute(trx);
    });
    const error = await failing.catch((caught: unknown) => caught);
    expect([
      isDuplicate(error),
      isDuplicate(error, 'setting_pkey'),
      isDuplicate(error, 'other'),
    ]).toEqual([true, true, false]);
    expect((await sql`select 1 from setting where name = 'half'`.execute(db)).rows).toEqual([]);
  });
});

describe('a connection that ends', () => {
  it('is never used again, and the next one works', async () => {
    const kill = sql`select pg_terminate_backend(pid) from pg_stat_activity where pid = pg_backend_pid()`;
    for (let turn = 0; turn < 12; turn++) {
      const error = await kill.execute(db).catch((caught: unknown) => caught);
      expect(isUnreachable(error)).toBe(true);
    }
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it('in a transaction fails it with its own error', async () => {
    const failing = transact(db, (trx) =>
      sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx),
    );
    expect(isUnreachable(await failing.catch((caught: unknown) => caught))).toBe(true);
  });

  it('differs from a refused statement', async () => {
    const refused = await sql`select 1 / 0`.execute(db).catch((caught: unknown) => caught);
    expect(isUnreachable(refused)).toBe(false);
    const client = new pg.Client({ host: '127.0.0.1', port: 1 });
    expect(isUnreachable(await client.connect().catch((caught: unknown) => caught))).toBe(true);
  });
});

describe('a table that another process changes', () => {
  const all = (on: Db | Trx) => sql`select * from changing where n > ${0}`.execute(on);
  const many = <T>(work: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 30 }, work));
  beforeAll(() => sql`create table changing (n int)`.execute(db));

  it('is read in its new form on every open connection', async () => {
    await many(() => all(db));
    await sql`alter table changing add column more int`.execute(db);
    await sql`insert into changing values (1, 2)`.execute(db);
    for (const { rows } of await many(() => all(db))) expect(rows).toEqual([{ n: 1, more: 2 }]);
  });

  it('fails no transaction, and repeats no work', async () => {
    await many(() => transact(db, all));
    await sql`alter table changing add column most int`.execute(db);
    await many(() =>
      transact(db, async (trx) => {
        await sql`insert into changing values (${5}, 5, 5)`.execute(trx);
        return all(trx);
      }),
    );
    expect((await all(db)).rows).toHaveLength(31);
  });
});

describe('migrate', () => {
  it('has a list with every file of its folder, the newest number last', () => {
    const files = readdirSync(new URL('migrations/', import.meta.url))
      .filter((file) => file.endsWith('.sql.ts'))
      .map((file) => file.replace('.sql.ts', ''))
      .toSorted();
    const listed = migrations.map(({ name }) => name);
    const hint = 'the list in packages/gateway/src/database/migrations/index.ts';
    expect(listed.toSorted(), `${hint} and the files beside it differ`).toEqual(files);
    expect(listed.at(-1), `${hint} ends with another migration`).toBe(files.at(-1));
  });

  it('does nothing the second time', async () => {
    const applied = async () =>
      (await db.selectFrom('migration').selectAll().orderBy('name').execute()).map(
        ({ name }) => name,
      );
    const before = await applied();
    expect(before).toEqual(expect.arrayContaining(migrations.map(({ name }) => name)));
    await migrate(db);
    expect(await applied()).toEqual(before);
  });

  it('runs once when several processes start together', async () => {
    await sql`create table counted (n int)`.execute(db);
    const counting = [
      { name: '999-count', sql: 'insert into counted values (1); select pg_sleep(0.1)' },
    ];
    await Promise.all(Array.from({ length: 5 }, () => migrate(db, counting)));
    expect((await sql`select count(*) as count from counted`.execute(db)).rows).toEqual([
      { count: 1 },
    ]);
    await sql`delete from migration where name = '999-count'`.execute(db);
  });

  it('refuses a schema that a newer version has changed', async () => {
    await sql`insert into migration (name, applied_at_real) values ('997-of-a-newer-version', now())`.execute(
      db,
    );
    await expect(migrate(db)).rejects.toThrow(
      'The database has the migration 997-of-a-newer-version, which this version does not know: it was written by a newer version. Start that version, or restore the backup from before the upgrade.',
    );
    await sql`delete from migration where name = '997-of-a-newer-version'`.execute(db);
    await migrate(db);
  });

  it('rolls back a failed migration', async () => {
    const failing = [{ name: '998-bad', sql: 'create table half_made (n int); select 1/0' }];
    await expect(migrate(db, failing)).rejects.toThrow('division by zero');
    expect((await sql`select to_regclass('half_made') as found`.execute(db)).rows).toEqual([
      { found: null },
    ]);
  });
});

describe('a lease', () => {
  it('has one holder, which may renew it', async () => {
    const mine = await takeLease(db, 'one', 'me', 30);
    expect(mine).toMatchObject({ fence: 1 });
    expect(await takeLease(db, 'one', 'you', 30)).toBeNull();
    expect(await takeLease(db, 'one', 'me', 30)).toMatchObject({ fence: 1 });
    await releaseLease(db, mine!);
    expect(await takeLease(db, 'one', 'you', 30)).toMatchObject({ fence: 2 });
  });

  it('refuses writes of a paused holder after another took over', async () => {
    const slept = (await takeLease(db, 'two', 'me', 0.05))!;
    await expect.poll(() => takeLease(db, 'two', 'you', 30)).toMatchObject({ fence: 2 });
    await expect(transact(db, (trx) => guardLease(trx, slept))).rejects.toThrow(FencedOffError);
    await transact(db, (trx) => guardLease(trx, { ...slept, holder: 'you', fence: 2 }));
  });

  it('is acquired by exactly one of many', async () => {
    const takers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => takeLease(db, 'three', `holder-${number}`, 30)),
    );
    expect(takers.filter((lease) => lease !== null)).toHaveLength(1);
  });
});
