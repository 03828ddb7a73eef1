import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { processPayouts } from '../payout/sending/process.ts';
import { sweepDeposits } from '../sweep/sweep.ts';
import type { TestShopOptions } from '../../test/support/shop.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

const BUYER = '0x52908400098527886E0F7030069857D2E4169EE7';

const SETTINGS = { CONSOLIDATE_AFTER_MINUTES: '0' };
const OPTIONS = { chains: ['bitcoin', 'ethereum'] } satisfies TestShopOptions;

let shop: RefundShop;
/** Sweeps and pays out until nothing is on its way. */
async function work(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await sweepDeposits(shop.context);
    await processPayouts(shop.context);
    await shop.mine('ETH', 12);
  }
}

describe('another token at the address', () => {
  beforeAll(async () => {
    shop = await refundShop(SETTINGS, OPTIONS);
    await shop.fund('ETH', '1');
  });
  afterAll(() => shop.close());

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
    await work();
    const paid = await shop.refund(body.result.id);
    expect(paid.status).toBe('paid');
    expect(await shop.sent(BUYER)).toEqual([
      expect.objectContaining({ asset: 'ETH_USDT', amount: paid.received.amount }),
    ]);
  });
});

describe("the chain's coin at the address of a token, in an empty wallet", () => {
  beforeEach(async () => {
    shop = await refundShop(SETTINGS, OPTIONS);
  });
  afterEach(() => shop.close());

  /** A payment in ETH for an order in USDT, final. */
  async function pay(amount: string): Promise<string> {
    const { id } = await shop.create({ kind: 'ETH_USDT' });
    await shop.pay(id, { kind: 'ETH', amount });
    await shop.mine('ETH', 12);
    return (await shop.transactions(id)).at(-1)!.id;
  }

  it('returns as promised: the fee of its own sweep is deducted', async () => {
    const transaction = await pay('1');
    const { invoice_id: invoice } = await shop.context.db
      .selectFrom('transaction')
      .select('invoice_id')
      .where('id', '=', transaction)
      .executeTakeFirstOrThrow();
    const offered = await shop.send('GET', `/v1/invoices/${invoice}/refundable/`);
    const promised = await shop.ask(transaction, { address: BUYER, estimate_only: true });
    const { body } = await shop.ask(transaction, { address: BUYER });
    // Before an address is known, a buyer reads the same figure.
    expect(offered.body.result).toMatchObject([
      { amount: { amount: '1' }, network_fee: { amount: '0.00063', currency: 'ETH' } },
    ]);
    // The network fee, and twice the fee of the sweep as the margin of all payouts.
    expect(body.result.received).toEqual({ amount: '0.99937', currency: 'ETH' });
    expect(promised.body.result.received).toEqual(body.result.received);
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
    await work();
    const paid = await shop.refund(body.result.id);
    expect(paid).toMatchObject({ status: 'paid', received: body.result.received });
    expect(await shop.sent(BUYER)).toEqual([
      expect.objectContaining({ asset: 'ETH', amount: '0.99937' }),
    ]);
    // The margin remains.
    expect(await shop.holdings('ETH')).toEqual({ available: '0.00021', reserved: '0' });
  });

  it('can be approved after the sweep, too', async () => {
    const transaction = await pay('0.01');
    const { body } = await shop.ask(transaction, { address: BUYER });
    shop.context.clock.advance(600_000);
    await work();
    expect((await shop.holdings('ETH')).available).toBe('0.00979');
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
    await work();
    expect(await shop.sent(BUYER)).toEqual([
      expect.objectContaining({ asset: 'ETH', amount: body.result.received.amount }),
    ]);
  });

  it('is refused with the remedy if the sweep of another coin costs more', async () => {
    const transaction = await pay('1');
    const { body } = await shop.ask(transaction, { address: BUYER });
    const { id } = await shop.create({ kind: 'ETH_USDT' });
    await shop.pay(id);
    await shop.mine('ETH', 12);
    const refused = await shop.decide(body.result.id, true);
    expect([refused.body.reason, refused.body.message]).toEqual([
      'InsufficientFunds',
      'The wallet has less available than the 0.99958 ETH that this payout needs and the 0.00214 ETH that sweeping its deposit addresses costs. Add 0.00172 ETH to the wallet.',
    ]);
    await shop.fund('ETH', '0.00172');
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
  });

  it('pays the sweep from what stays of the payment', async () => {
    const transaction = await pay('1');
    const terms = { address: BUYER, amount: '0.5' };
    const { body } = await shop.ask(transaction, terms, shop.account.api);
    expect(body.result.received).toEqual({ amount: '0.49979', currency: 'ETH' });
  });

  it('is refused with the figure if the fees take all of it', async () => {
    const { body } = await shop.ask(await pay('0.0006'), { address: BUYER });
    expect(body).toMatchObject({
      reason: 'PayoutNetworkFeeTooHigh',
      message: expect.stringContaining('The network fee of 0.00063 ETH leaves nothing'),
    });
  });
});
