import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

let shop: SweepShop;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['tron'] });
});
afterAll(() => shop.close());

it('a sweep that ran out before a block took it is sent again under its own id', async () => {
  const invoice = await shop.deposit('TRX', '100');
  await shop.advance(600);
  await shop.sweep();
  const { rows } = await sql<{ txid: string }>`
    select txid from outgoing_attempt`.execute(shop.context.db);
  await shop.world.drop(rows[0]!.txid);
  // Valid for 20 blocks; then its end becomes final.
  await shop.mine('TRX', 100);
  await shop.sweep();
  await shop.mine('TRX', 20);
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
  expect(await shop.onChain(invoice, 'TRX')).toBe('0');
  const attempts = await sql`select from outgoing_attempt`.execute(shop.context.db);
  expect(attempts.rows).toHaveLength(2);
});
