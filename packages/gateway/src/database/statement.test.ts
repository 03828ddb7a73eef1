import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statement } from './statement.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';

describe('statement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  const double = statement<
    { word: string; number: number },
    { word: string; sum: number; again: string }
  >`
    select ${'word'}::text as word, ${'number'}::int + ${'number'}::int as sum, ${'word'}::text || '!' as again`;

  it('sends the referenced members, wherever they are referenced', async () => {
    const { rows } = await double(database.db, { word: 'two', number: 1 });
    expect(rows).toEqual([{ word: 'two', sum: 2, again: 'two!' }]);
  });

  it('never interprets a value as SQL', async () => {
    const word = "'; drop table account; --";
    const { rows } = await double(database.db, { word, number: 2 });
    expect(rows[0]?.again).toBe(`${word}!`);
  });

  it('runs inside the given transaction', async () => {
    const insert = statement<{
      name: string;
    }>`insert into setting (name, value) values (${'name'}, '1')`;
    const find = statement<
      { name: string },
      { name: string }
    >`select name from setting where name = ${'name'}`;
    const failed = database.db.transaction().execute(async (trx) => {
      await insert(trx, { name: 'taken back' });
      expect((await find(trx, { name: 'taken back' })).rows).toHaveLength(1);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect((await find(database.db, { name: 'taken back' })).rows).toEqual([]);
  });

  it('returns the number of changed rows', async () => {
    const update = statement<{
      name: string;
    }>`update setting set value = '2' where name = ${'name'}`;
    expect((await update(database.db, { name: 'not there' })).numAffectedRows).toBe(0n);
  });
});
