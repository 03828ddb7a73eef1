import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  claimsTable,
  ORDER_PAGE,
  orderFields,
  VIEW_PAGE,
  viewFields,
  viewTable,
} from './checkout-fields.ts';

it('every member of the buyer view and of an order has a description', () => {
  const fields = [...viewFields(), ...orderFields()];
  expect(fields.filter(({ description }) => !description)).toEqual([]);
  expect(viewFields().map(({ path }) => path)).toEqual(
    expect.arrayContaining(['stage', 'coins[].kind', 'payment.strings.qr', 'merchant.legal.asked']),
  );
});

it("docs/reference/checkout.md lists the members of the buyer's view (`npm run docs` writes it)", () => {
  expect(readFileSync(VIEW_PAGE, 'utf8')).toContain(viewTable());
});

it('docs/shop/orders.md lists the claims of an order (`npm run docs` writes the table)', () => {
  expect(readFileSync(ORDER_PAGE, 'utf8')).toContain(claimsTable());
});
