import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAutomaticPayout } from '../automation/payout/create.ts';
import { updateAutomaticPayout } from '../automation/payout/update.ts';
import { createConversion } from '../conversion/create.ts';
import { createRule } from '../automation/rule.ts';
import { tradeShop, type TradeShop } from '../../test/support/exchange.ts';

let shop: TradeShop;
const caller = () => ({ accountId: shop.accountId, name: 'a key', overApi: true });
const RULE = { keep_amount: '1', min_amount: '0', max_amount: '2' };
const PAYEE = {
  recipient_address: 'So11111111111111111111111111111111111111112',
  keep_amount: '1',
};
const refusal = (field: string) => ({
  reason: 'ValidationError',
  errors: [
    {
      field,
      message: expect.stringContaining('JAMBO-SOL stays disabled until an operator sets its mint'),
    },
  ],
});

beforeAll(async () => {
  shop = await tradeShop({ chains: ['bitcoin', 'solana'] });
});
afterAll(() => shop.close());

// Otherwise it could be bought, but never paid out.
it.each([
  ['bought', 'BTC', 'JAMBO-SOL', 'to_kind'],
  ['sold', 'JAMBO-SOL', 'BTC', 'from_kind'],
])('a disabled coin cannot be %s', async (_what, from, to, field) => {
  const { context } = shop;
  const pair = shop.pair(from, to);
  await expect(createConversion(context, caller(), { ...pair, amount: '1' })).rejects.toMatchObject(
    refusal(field),
  );
  for (const type of ['conversion', 'funding'] as const)
    await expect(createRule(context, type, caller(), { ...pair, ...RULE })).rejects.toMatchObject(
      refusal(field),
    );
});

it('a disabled coin cannot be paid out by a rule, and an existing rule can still be disabled', async () => {
  const { context } = shop;
  const terms = { ...PAYEE, wallet: shop.wallet('SOL') };
  await expect(
    createAutomaticPayout(context, caller(), { ...terms, kind: 'JAMBO-SOL' }),
  ).rejects.toMatchObject(refusal('kind'));
  const { id } = await createAutomaticPayout(context, caller(), {
    ...terms,
    kind: 'SOL',
    is_enabled: true,
  });
  await expect(
    updateAutomaticPayout(context, caller(), id, { kind: 'JAMBO-SOL' }),
  ).rejects.toMatchObject(refusal('kind'));
  await context.db
    .updateTable('automatic_payout')
    .set({ kind: 'JAMBO-SOL', asset: 'JAMBO-SOL' })
    .where('id', '=', id)
    .execute();
  expect(await updateAutomaticPayout(context, caller(), id, { is_enabled: false })).toMatchObject({
    kind: 'JAMBO-SOL',
    is_enabled: false,
  });
});
