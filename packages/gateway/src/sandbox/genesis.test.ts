import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addMissingChains } from './genesis.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

describe('addMissingChains', () => {
  it('adds a chain with its genesis block, and leaves existing chains unchanged', async () => {
    const { db } = database;
    const genesis = async () => {
      const { rows } = await sql<{ chain: string }>`
        select c.chain, c.height, c.hash, b.hash as genesis, b.parent from sandbox_chain c
        join sandbox_block b on b.chain = c.chain and b.height = 0 order by c.chain`.execute(db);
      return rows;
    };
    const before = await genesis();
    expect(before.map(({ chain }) => chain)).toContain('celo');
    await sql`delete from sandbox_block where chain = 'celo'`.execute(db);
    await sql`delete from sandbox_chain where chain = 'celo'`.execute(db);
    await addMissingChains(db, ['bitcoin', 'celo']);
    expect(await genesis()).toEqual(before);
    await sql`update sandbox_chain set height = 7 where chain = 'bitcoin'`.execute(db);
    await addMissingChains(db, ['bitcoin', 'celo']);
    expect((await genesis()).filter(({ chain }) => chain !== 'bitcoin')).toEqual(
      before.filter(({ chain }) => chain !== 'bitcoin'),
    );
    expect((await genesis()).find(({ chain }) => chain === 'bitcoin')).toMatchObject({ height: 7 });
  });
});
