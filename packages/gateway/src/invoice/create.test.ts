import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testShop, type TestShop } from './test-shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop();
});
afterAll(() => shop.close());

describe('creating an invoice', () => {
  it('shows every field of §2.4', async () => {
    const invoice = await shop.create({ notes: 'two shirts', passthrough: '{"order": 1.0}' });
    expect(invoice).toMatchInlineSnapshot(`
      {
        "address": "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl",
        "amount": {
          "invoiced": {
            "amount": "0.002",
            "currency": "BTC",
            "rate_usd": "50000",
          },
          "paid": null,
          "requested": {
            "amount": "100",
            "currency": "USD",
          },
        },
        "created_at": "2026-11-21T06:00:00.000000+00:00",
        "custom_fee": null,
        "expires_at": "2026-11-21T06:15:00.000000+00:00",
        "id": "96c7345c-3221-4996-8f32-8692f3ea7f7a",
        "kind": "BTC",
        "lightning": null,
        "min_confirmations": 1,
        "network": "testnet",
        "notes": "two shirts",
        "passthrough": "{"order": 1.0}",
        "profile_id": "4f32a713-eb87-4e5d-8525-8738f81707bf",
        "status": "new",
        "transactions": [],
        "zero_conf_enabled": false,
      }
    `);
    expect(await shop.get(invoice.id)).toEqual(invoice);
  });
});
