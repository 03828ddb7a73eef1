import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestShop, testShop } from '../../test/support/shop.ts';
import { payableKeys } from './payable-keys.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['ethereum', 'bitcoin'] });
});
afterAll(() => shop.close());

const keys = (group = 'evm') => payableKeys(shop.context.db, shop.context.clock.now(), group);

it('a key can be paid while its invoice is open, then for the profile’s addresses_expiration', async () => {
  const { context, profileId } = shop;
  await context.db
    .updateTable('profile')
    .set({ addresses_expiration: 3600 })
    .where('id', '=', profileId)
    .execute();
  const reusable = await shop.create({ kind: 'ETH', amount: undefined });
  await shop.advance(1);
  const invoice = await shop.create({ kind: 'ETH', invoice_expiration: 600 });
  const other = await shop.create({ kind: 'BTC' });
  const keyOf = ({ address }: { address: string | null }): string =>
    `evm:${address!.toLowerCase()}`;
  expect(await keys('bitcoin')).toEqual([`bitcoin:${other.address}`]);
  expect(await keys()).toEqual([keyOf(invoice), keyOf(reusable)]);

  await shop.advance(601);
  expect((await shop.get(invoice.id)).status).toBe('expired');
  // Open invoices come before expired ones.
  expect(await keys()).toEqual([keyOf(reusable), keyOf(invoice)]);
  await shop.advance(3598);
  expect(await keys()).toContain(keyOf(invoice));
  await shop.advance(2);
  expect(await keys()).toEqual([keyOf(reusable)]);
});
