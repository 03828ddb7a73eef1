import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../database/migrate.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop();
});
afterAll(() => shop.close());

it('an upgrade gives the keys of a BFF and of payouts the permissions of refunds', async () => {
  const { db } = shop.context;
  const { api_key_id, approve_key_id, bff_key_id } = shop.account;
  for (const statement of [
    "update api_key set permissions = array_remove(array_remove(permissions, 'refunds:read'), 'refunds:write')",
    'drop table refund',
    'alter table transaction drop column refunded, drop column refund_offer, drop column late_accepted',
    "delete from migration where name = '083-refunds'",
  ])
    await sql.raw(statement).execute(db);
  await migrate(db);
  const { rows } = await sql<{ id: string; permissions: string[] }>`
    select id, permissions from api_key`.execute(db);
  const of = (id: string) =>
    rows
      .find((row) => row.id === id)!
      .permissions.filter((permission) => permission.startsWith('refunds:'));
  expect(of(bff_key_id)).toEqual(['refunds:read', 'refunds:write']);
  expect(of(api_key_id)).toEqual(['refunds:read', 'refunds:write']);
  expect(of(approve_key_id)).toEqual(['refunds:read']);
  const { transaction } = await shop.late();
  expect((await shop.ask(transaction.id)).status).toBe(201);
});
