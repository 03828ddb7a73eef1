import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { DEPOSIT_CHAINS } from './deposit-chains.ts';

it('each chain whose deposits are swept is in the index of payments that are not collected', async () => {
  const database = await testDatabase();
  try {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where indexname = 'transaction_uncollected'`.execute(
      database.db,
    );
    const missing = DEPOSIT_CHAINS.filter((chain) => !rows[0]?.indexdef.includes(`'${chain}'`));
    expect(missing, 'a migration has to rebuild the index with these chains').toEqual([]);
  } finally {
    await database.close();
  }
});
