import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testShop, type TestShop } from '../invoice/test-shop.ts';
import { countRows, keepCount } from './list-count.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin'] });
});
afterAll(() => shop.close());

const count = () => countRows(shop.context.db, 'invoice', shop.accountId, shop.context.clock.now());
const keep = () => keepCount(shop.context.db, 'invoice', shop.accountId, shop.context.clock.now());
const kept = async (): Promise<number | undefined> => {
  const { rows } = await sql<{ count: number }>`select count from list_count`.execute(shop.context.db);
  return rows[0]?.count;
};

it('counts every row once, kept or new, however often it is kept', async () => {
  expect(await count()).toBe(0);
  for (let made = 0; made < 3; made += 1) await shop.create();
  expect(await count()).toBe(3);
  await keep();
  // What is young may not be all there yet.
  expect([await kept(), await count()]).toEqual([0, 3]);
  shop.context.clock.advance(61_000);
  await shop.create();
  await Promise.all([keep(), keep()]);
  expect([await kept(), await count()]).toEqual([3, 4]);
  await keep();
  expect([await kept(), await count()]).toEqual([3, 4]);
});

it('counts transactions by the number in which they came, whatever time they carry', async () => {
  const { context, accountId } = shop;
  const { id } = await shop.create({ amount: undefined });
  for (let paid = 0; paid < 3; paid += 1) await shop.pay(id, { amount: '0.001' });
  await keepCount(context.db, 'transaction', accountId, context.clock.now());
  expect(await countRows(context.db, 'transaction', accountId, context.clock.now())).toBe(3);
});
