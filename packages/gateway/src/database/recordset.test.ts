import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordset, type ColumnType } from './recordset.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** The values as PostgreSQL read them. */
async function read(type: ColumnType, values: readonly unknown[]): Promise<unknown[]> {
  const rows = values.map((value, number) => ({ number, value }));
  const sent = recordset({ number: 'integer', value: type })(rows);
  const { rows: found } = await sql<{
    value: unknown;
  }>`select value from ${sent} as r order by number`.execute(database.db);
  return found.map(({ value }) => value);
}

describe('recordset', () => {
  const words = [
    '',
    'a',
    'NULL',
    'null',
    '"',
    '\\',
    '\\"',
    "'",
    '{a,b}',
    ' a ',
    '\n\t\r\b',
    '\u0001',
    'é€😀',
    '∞'.repeat(70_000),
    '$1',
    ',',
  ];

  it('sends any text, empty and long ones too', async () => {
    expect(await read('text', words)).toEqual(words);
    expect(await read('text', [null, 'a', null])).toEqual([null, 'a', null]);
  });

  it('sends lists of any text', async () => {
    const lists = [[], words, [''], ['a'], ['', '']];
    expect(await read('text[]', lists)).toEqual(lists);
  });

  it('sends any JSON', async () => {
    const values = [
      {},
      [],
      { a: { b: words.filter((word) => word !== '\u0000') } },
      'text',
      1.5,
      true,
      { '"': '\\' },
    ];
    expect(await read('jsonb', values)).toEqual(values);
  });

  it('sends amounts exactly', async () => {
    const amounts = [
      '0',
      '0.000000000000000001',
      '-123456789012345678.123456789012345678',
      '999999999999999999999',
    ];
    expect(await read('numeric', [...amounts, null])).toEqual([...amounts, null]);
  });

  it('sends everything else', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(await read('uuid', [id, null])).toEqual([id, null]);
    expect(await read('boolean', [true, false, null])).toEqual([true, false, null]);
    expect(await read('integer', [0, -1, 2_147_483_647, null])).toEqual([
      0,
      -1,
      2_147_483_647,
      null,
    ]);
    expect(await read('bigint', [0, Number.MAX_SAFE_INTEGER, null])).toEqual([
      0,
      Number.MAX_SAFE_INTEGER,
      null,
    ]);
    const at = '2026-11-21T06:15:51.291110+00:00';
    expect(await read('timestamptz', [at, null])).toEqual([at, null]);
  });

  it('is empty for no rows', async () => {
    expect(await read('text', [])).toEqual([]);
  });

  it('stays valid when the next one is created before it is sent', async () => {
    const of = recordset({ word: 'text' });
    const first = sql<{ word: string }>`select word from ${of([{ word: 'first' }])} as r`;
    const second = sql<{ word: string }>`select word from ${of([{ word: 'other' }])} as r`;
    const found = await Promise.all([first, second].map((query) => query.execute(database.db)));
    expect(found.map(({ rows }) => rows)).toEqual([[{ word: 'first' }], [{ word: 'other' }]]);
  });
});
