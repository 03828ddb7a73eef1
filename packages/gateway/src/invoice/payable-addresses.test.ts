import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestShop, testShop } from '../../test/support/shop.ts';
import { payableAddresses } from './payable-addresses.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['ethereum', 'bitcoin'] });
});
afterAll(() => shop.close());

const addresses = () => payableAddresses(shop.context.db, shop.context.clock.now());

it('polls an address while its invoice is open, then for the profile’s addresses_expiration', async () => {
  const { context, profileId } = shop;
  await context.db
    .updateTable('profile')
    .set({ addresses_expiration: 3600 })
    .where('id', '=', profileId)
    .execute();
  const reusable = await shop.create({ kind: 'ETH', amount: undefined });
  await shop.advance(1);
  const invoice = await shop.create({ kind: 'ETH', invoice_expiration: 600 });
  await shop.create({ kind: 'BTC' });
  const keyOf = ({ address }: { address: string | null }): string => address!.toLowerCase();
  expect(await addresses()).toEqual([keyOf(invoice), keyOf(reusable)]);

  await shop.advance(601);
  expect((await shop.get(invoice.id)).status).toBe('expired');
  // Open invoices come before expired ones.
  expect(await addresses()).toEqual([keyOf(reusable), keyOf(invoice)]);
  await shop.advance(3598);
  expect(await addresses()).toContain(keyOf(invoice));
  await shop.advance(2);
  expect(await addresses()).toEqual([keyOf(reusable)]);
});
