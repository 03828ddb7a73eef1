import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { runConcurrently, transact } from './transact.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

describe('works side by side in one transaction', () => {
  it('fail with the first error, after all have ended', async () => {
    const sent: string[] = [];
    const first = transact(database.db, async (trx) => {
      const fails = async (): Promise<void> => {
        await sql`select 1 / 0`.execute(trx);
      };
      const goesOn = async (): Promise<void> => {
        for (const statement of ['one', 'two', 'three']) {
          await sql`select ${statement}::text`.execute(trx).finally(() => sent.push(statement));
        }
      };
      await runConcurrently(goesOn(), fails()).finally(() => sent.push('given up'));
    });
    await expect(first).rejects.toThrow('division by zero');
    expect(sent.at(-1)).toBe('given up');
    const before = [...sent];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(before);
  });

  it('have all ended when it returns', async () => {
    const name = (part: string) => `side by side ${part}`;
    await transact(database.db, (trx) =>
      runConcurrently(
        ...['a', 'b'].map(async (part) => {
          await sql`insert into setting (name, value) values (${name(part)}, '1')`.execute(trx);
          await sql`update setting set value = '2' where name = ${name(part)}`.execute(trx);
        }),
      ),
    );
    const { rows } = await sql`select value from setting where name like 'side by side %'`.execute(
      database.db,
    );
    expect(rows).toEqual([{ value: 2 }, { value: 2 }]);
  });
});
