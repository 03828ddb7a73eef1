import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { processPayouts } from '../payout/sending/process.ts';
import { sweepDeposits } from '../sweep/sweep.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

const BUYER = '0x52908400098527886E0F7030069857D2E4169EE7';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop({ CONSOLIDATE_AFTER_MINUTES: '0' }, { chains: ['bitcoin', 'ethereum'] });
  await shop.fund('ETH', '1');
});
afterAll(() => shop.close());

describe('another token at the address', () => {
  it('returns in full less the fee, also if the profile does not enable it', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'ETH_USDT', amount: '50' });
    await shop.mine('ETH', 12);
    const [wrong] = await shop.transactions(id);
    expect((await shop.get(id)).status).toBe('new');
    await sql`delete from profile_currency where kind = 'ETH_USDT'`.execute(shop.context.db);
    const { body } = await shop.ask(wrong!.id, { address: BUYER });
    expect(body.result).toMatchObject({
      kind: 'ETH_USDT',
      cause: 'wrong_coin',
      amount: { amount: '50', currency: 'USDT' },
    });
    expect(Number(body.result.received.amount)).toBeLessThan(50);
    expect(Number(body.result.received.amount)).toBeGreaterThan(40);
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
    for (let round = 0; round < 6; round += 1) {
      await sweepDeposits(shop.context);
      await processPayouts(shop.context);
      await shop.mine('ETH', 12);
    }
    const paid = await shop.refund(body.result.id);
    expect(paid.status).toBe('paid');
    expect(await shop.sent(BUYER)).toEqual([
      expect.objectContaining({ asset: 'ETH_USDT', amount: paid.received.amount }),
    ]);
  });
});
