import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testContext } from '../../test/support/context.ts';
import { testAccount } from '../../test/support/call.ts';
import { migrate } from '../database/migrate.ts';

it.each([
  [true, null],
  [false, 1],
])('an upgrade of a test network (%s) leaves %s confirmations of 1', async (isTestnet, left) => {
  const context = await testContext();
  try {
    await testAccount(context);
    const { db } = context;
    await sql`update account set is_testnet = ${isTestnet}`.execute(db);
    await sql`update profile_currency set min_confirmations = case kind when 'LTC' then 4 else 1 end`.execute(
      db,
    );
    await sql`delete from migration where name = '085-default-confirmations'`.execute(db);
    await migrate(db);
    const { rows } = await sql<{ kind: string; min_confirmations: number | null }>`
      select kind, min_confirmations from profile_currency where kind in ('BTC', 'LTC') order by kind`.execute(
      db,
    );
    expect(rows.map(({ min_confirmations }) => min_confirmations)).toEqual([left, 4]);
  } finally {
    await context.close();
  }
});
