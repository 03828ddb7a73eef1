import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { countRows, saveCount } from './list-count.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin'] });
});
afterAll(() => shop.close());

const count = () => countRows(shop.context.db, 'invoice', shop.accountId, shop.context.clock.now());
const keep = () => saveCount(shop.context.db, 'invoice', shop.accountId, shop.context.clock.now());
const kept = async (): Promise<number | undefined> => {
  const { rows } = await sql<{ count: number }>`select count from list_count`.execute(
    shop.context.db,
  );
  return rows[0]?.count;
};

it('counts every row once, stored or new, however often it is saved', async () => {
  expect(await count()).toBe(0);
  for (let made = 0; made < 3; made += 1) await shop.create();
  expect(await count()).toBe(3);
  await keep();
  // Recent rows may not be complete yet.
  expect([await kept(), await count()]).toEqual([0, 3]);
  shop.context.clock.advance(61_000);
  await shop.create();
  await Promise.all([keep(), keep()]);
  expect([await kept(), await count()]).toEqual([3, 4]);
  await keep();
  expect([await kept(), await count()]).toEqual([3, 4]);
});

it('counts transactions by their number, not by their time', async () => {
  const { context, accountId } = shop;
  const { id } = await shop.create({ amount: undefined });
  for (let paid = 0; paid < 3; paid += 1) await shop.pay(id, { amount: '0.001' });
  await saveCount(context.db, 'transaction', accountId, context.clock.now());
  expect(await countRows(context.db, 'transaction', accountId, context.clock.now())).toBe(3);
});
