import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { inDepositChains } from './deposit-chains.ts';

/** PostgreSQL keeps the order of a list, which has no meaning. */
const withSortedChains = (definition: string): string =>
  definition.replace(/ARRAY\[(.*?)\]/, (_, chains: string) =>
    chains.split(', ').toSorted().join(' '),
  );

it('the index of payments that are not collected has exactly the chains whose deposits are swept', async () => {
  const database = await testDatabase();
  const definitionOf = async (name: string): Promise<string> => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where indexname = ${name}`.execute(database.db);
    return withSortedChains(rows[0]?.indexdef ?? 'none');
  };
  try {
    await sql`create index wanted on transaction(wallet_id, chain)
      where credit = 'available' and not collected and chain ${inDepositChains}`.execute(
      database.db,
    );
    expect(
      await definitionOf('transaction_uncollected'),
      'a migration has to build the index again: see "Add a migration" in CONTRIBUTING.md',
    ).toBe((await definitionOf('wanted')).replace('wanted', 'transaction_uncollected'));
  } finally {
    await database.close();
  }
});
