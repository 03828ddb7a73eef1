import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { approveDueRefunds } from './automatic.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop({
    REFUNDS: 'auto',
    REFUND_AUTO_MAX: '150',
    REFUND_AUTO_DAILY_MAX: '500',
  });
});
afterAll(() => shop.close());

/** Lets the worker decide once, with the price of BTC in USD; null for none. */
async function decideAt(price: string | null): Promise<void> {
  const set = await shop.context.rates.current();
  const usd = new Map(set.usd);
  if (price === null) usd.delete('BTC');
  else usd.set('BTC', BigInt(price) * 10n ** 18n);
  const rates = { ...shop.context.rates, current: () => Promise.resolve({ ...set, usd }) };
  await approveDueRefunds({ ...shop.context, rates });
}

async function askProven(): Promise<string> {
  const { transaction } = await shop.late();
  return (await shop.ask(transaction.id, { is_proven: true })).body.result.id;
}

describe('REFUNDS=auto', () => {
  it('waits for an exchange rate, which the limit of a day needs', async () => {
    const id = await askProven();
    await decideAt(null);
    expect((await shop.refund(id)).status).toBe('requested');
    await shop.settle();
    expect((await shop.refund(id)).status).toBe('approved');
  });

  it('leaves a refund to the shop whose value rose above REFUND_AUTO_MAX', async () => {
    const id = await askProven();
    await decideAt('100000');
    expect((await shop.refund(id)).status).toBe('requested');
    expect((await shop.decide(id, true)).status).toBe(200);
  });
});

describe('the address of a refund', () => {
  it('is never a deposit address of this service', async () => {
    const { transaction, invoice } = await shop.late();
    const { address } = invoice as unknown as { address: string };
    for (const own of [address, address.toUpperCase()]) {
      const { status, body } = await shop.ask(transaction.id, { address: own });
      expect([status, body.reason, body.errors?.[0].field]).toEqual([
        400,
        'ShopAddress',
        'address',
      ]);
    }
  });
});

describe('a draft', () => {
  it('is not approved while its money is frozen', async () => {
    const { transaction } = await shop.late();
    await sql`update api_key set max_payout = 1 where id = ${shop.account.api_key_id}`.execute(
      shop.context.db,
    );
    const { id, status } = (await shop.ask(transaction.id, {}, shop.account.api)).body.result;
    expect(status).toBe('draft');
    await shop.reorganise('BTC', 8, true);
    const decided = await shop.decide(id, true);
    expect([decided.status, decided.body.reason]).toEqual([409, 'InvalidState']);
    expect((await shop.refund(id)).status).toBe('draft');
    const { payout_id } = await shop.refund(id);
    const path = `/v1/payouts/${payout_id}/`;
    const direct = await shop.send('PUT', path, { approve: true }, shop.account.approve);
    expect([direct.status, direct.body.reason]).toEqual([409, 'InvalidState']);
    expect((await shop.decide(id, false)).body.result.status).toBe('rejected');
  });
});

describe('an approval', () => {
  it('is refused while less came than is asked for', async () => {
    const { transaction } = await shop.late();
    const { id } = (await shop.ask(transaction.id)).body.result;
    const correct = (amount: string) =>
      sql`update transaction set amount = ${amount} where id = ${transaction.id}`.execute(
        shop.context.db,
      );
    await correct('0.0019');
    const decided = await shop.decide(id, true);
    expect([decided.status, decided.body.reason]).toEqual([409, 'InvalidState']);
    await correct('0.002');
    expect((await shop.decide(id, true)).status).toBe(200);
  });
});

describe('a reference', () => {
  it('that two transactions get at once is refused for one', async () => {
    const [one, two] = [await shop.late(), await shop.late()];
    const answers = await Promise.all(
      [one, two].map(({ transaction }) =>
        shop.ask(transaction.id, { reference_id: 'return-both' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.reason).toBe('DuplicateReference');
  });

  it('is proven by the same request with the proof', async () => {
    const { transaction } = await shop.late();
    const more = { reference_id: 'return-proven', address: OTHER_BUYER };
    const first = (await shop.ask(transaction.id, more)).body.result;
    const { status, body } = await shop.ask(transaction.id, { ...more, is_proven: true });
    expect([status, body.result.id, body.result.is_proven]).toEqual([200, first.id, true]);
  });
});
