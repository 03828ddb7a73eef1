import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../account/keys/create-key.ts';
import {
  ADDRESS,
  payoutShop,
  type PayoutShop,
  type ShownPayout,
} from '../../../test/support/payouts.ts';
import { tradeShop } from '../../../test/support/exchange.ts';
import { decidePayout } from './decide.ts';

let shop: PayoutShop;
let keys = 0;

beforeAll(async () => {
  shop = await payoutShop();
  await shop.fund('BTC', '10');
});
afterAll(() => shop.close());

/** A key that may pay out 100 USD within 24 hours. */
async function limitedKey(limit: string | null = '100'): Promise<{ id: string }> {
  keys += 1;
  return createKey(
    shop.context,
    { accountId: shop.accountId, createdBy: 'test' },
    { name: `key ${keys}`, permissions: ['payouts:write'], max_payout_daily: limit },
  );
}

/** Pays out an amount in USD with a key. */
const pay = ({ id }: { id: string }, usd: string, limit: string | null = '100') =>
  shop.payOut(
    { recipients: [{ amount: usd, currency: 'USD', address: ADDRESS.BTC }] },
    { accountId: shop.accountId, key: { id, maxPayout: null, maxPayoutDaily: limit } },
  );
const statuses = (payouts: readonly ShownPayout[]): string[] => payouts.map(({ status }) => status);
const approver = () => ({ accountId: shop.accountId, username: 'approver', email: null });

it('many payouts below the limit of one cannot exceed the limit of a day', async () => {
  const key = await limitedKey();
  expect(statuses([await pay(key, '60'), await pay(key, '40'), await pay(key, '5')])).toEqual([
    'new',
    'new',
    'draft',
  ]);
  expect((await pay(await limitedKey(), '101')).status).toBe('draft');
});

it('a day later the key can pay out again', async () => {
  const key = await limitedKey();
  await pay(key, '100');
  shop.context.clock.advance(86_399_000);
  expect((await pay(key, '1')).status).toBe('draft');
  shop.context.clock.advance(1_000);
  expect((await pay(key, '1')).status).toBe('new');
});

it('approved, rejected and waiting payouts do not count', async () => {
  const key = await limitedKey();
  const [approved, waiting] = [await pay(key, '500'), await pay(key, '500')];
  await decidePayout(shop.context, approver(), approved.id, { approve: true });
  expect((await shop.payout(waiting.id)).status).toBe('draft');
  expect((await pay(key, '100')).status).toBe('new');
  expect((await pay(key, '1')).status).toBe('draft');
});

it('parallel payouts cannot pass together', async () => {
  const key = await limitedKey();
  const paid = await Promise.all(Array.from({ length: 6 }, () => pay(key, '40')));
  expect(statuses(paid).filter((status) => status !== 'draft')).toHaveLength(2);
});

it('parallel payouts that wait for the reserve wallet cannot pass together either', async () => {
  const own = await tradeShop();
  try {
    await own.fund('BTC', '10');
    const reserve_wallet = JSON.stringify({ kind: 'BTC', wallet_id: own.wallet('BTC') });
    await own.context.db.updateTable('profile').set({ reserve_wallet }).execute();
    const { id } = await createKey(
      own.context,
      { accountId: own.accountId, createdBy: 'test' },
      { name: 'key', permissions: ['payouts:write'], max_payout_daily: '100' },
    );
    const key = { id, maxPayout: null, maxPayoutDaily: '100' };
    const recipients = [{ amount: '40', currency: 'USD', address: ADDRESS.LTC }];
    const order = { kind: 'LTC', recipients };
    const paid = await Promise.all(
      Array.from({ length: 6 }, () => own.payOut(order, { accountId: own.accountId, key })),
    );
    expect(statuses(paid).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'awaiting_funds'),
      ...Array.from({ length: 4 }, () => 'draft'),
    ]);
  } finally {
    await own.close();
  }
});

it('a key without the limit pays out what it wants', async () => {
  expect((await pay(await limitedKey(null), '5000', null)).status).toBe('new');
});
