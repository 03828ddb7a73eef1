import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { transact } from '../database/database.ts';
import { walletsWith } from './consolidation-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.close());

it('the fee is shared by the hundred wallets with the most', async () => {
  const { db } = database;
  const account_id = crypto.randomUUID();
  const rows = Array.from({ length: 130 }, (_, at) => ({
    account_id,
    wallet_id: crypto.randomUUID(),
    currency: 'BTC',
    bucket: 'available' as const,
    amount: String(at + 1),
  }));
  await db.insertInto('balance').values(rows).execute();
  const wallets = await transact(db, (trx) => walletsWith(trx, 'BTC'));
  const wanted = rows.slice(30).map(({ wallet_id }) => wallet_id);
  // In the order in which entries lock balances.
  expect(wallets.map(({ wallet_id }) => wallet_id)).toEqual(wanted.toSorted());
});
