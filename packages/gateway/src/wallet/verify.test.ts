import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepShop, type SweepShop } from '../consolidation/test-sweeps.ts';
import { verifyBooks } from './verify.ts';

let shop: SweepShop;

beforeAll(async () => {
  shop = await sweepShop({ chains: ['bitcoin', 'ethereum'] });
  await shop.deposit('ETH', '2');
  await shop.advance(600);
  await shop.consolidate();
  const invoice = await shop.create();
  await shop.pay(invoice.id);
  await shop.mine('BTC', 6);
  await shop.fund('BTC', '1');
  await shop.payOut();
});
afterAll(() => shop.close());

describe('the books', () => {
  it('of a service at work are in order', async () => {
    expect(await verifyBooks(shop.context.db)).toEqual([]);
  });

  // Each is what a bug, or a hand in the database, could do.
  it.each([
    [
      'a balance that was changed by hand',
      `update balance set amount = amount + 1 where bucket = 'available'`,
      ['balance_is_its_postings'],
    ],
    ['a posting that is gone', `delete from posting where reason = 'test_funds' and book = 'chain'`, ['entry_balances']],
    [
      'a payment that was credited twice',
      `insert into posting select account_id, '6f9619ff-8b86-4011-b42d-00cf4fc964ff', line, book, wallet_id, bucket, currency, amount, reason,
        resource_id, created_at from posting where reason = 'transaction_pending' and currency = 'BTC'`,
      ['balance_is_its_postings', 'credit_is_its_transaction'],
    ],
    [
      'a credit without an observation',
      `update posting set resource_id = gen_random_uuid() where reason like 'transaction%'`,
      ['credit_is_its_transaction', 'credit_has_an_observation'],
    ],
    [
      'an available amount that is in no block',
      `update transaction set block_height = null, block_hash = null`,
      ['credit_is_its_transaction'],
    ],
    [
      'money that is also nobody’s',
      `insert into unassigned select chain, observation_key, txid, asset, 'x', amount, 'test', created_at from transaction`,
      ['observation_credited_once'],
    ],
    ['a hold that was forgotten', `update payout set hold = 'released'`, ['reserved_is_held']],
    ['a deposit that nobody made', `update deposit set amount = amount + 1`, ['deposit_is_its_movements']],
    ['a payment that was counted twice', `update transaction set collected = true`, ['deposit_is_its_movements']],
    ['a sweep that ended and holds', `update sweep set status = 'failed'`, ['ended_sweep_holds_nothing']],
    ['a payout that ended and took nothing', `update payout set hold = 'spent'`, ['reserved_is_held', 'outcome_is_posted']],
    [
      'a sweep that ended and paid no fee',
      `update sweep set status = 'complete', hold = 'spent', fee = fee_reserve`,
      ['reserved_is_held', 'outcome_is_posted', 'deposit_is_its_movements'],
    ],
    ['an ended payout that holds', `update payout set status = 'rejected'`, ['ended_payout_holds_nothing']],
  ])('show %s', async (_, damage, rules) => {
    const found = await damaged(damage);
    expect([...new Set(found.map(({ rule }) => rule))]).toEqual(rules);
    expect(found.every(({ says, row }) => says.length > 0 && Object.keys(row).length > 0)).toBe(true);
  });
});

/** What is found after a change, which is then undone. */
async function damaged(damage: string): ReturnType<typeof verifyBooks> {
  const undo = new Error('undo');
  let found: Awaited<ReturnType<typeof verifyBooks>> = [];
  await shop.context.db
    .transaction()
    .execute(async (trx) => {
      await sql.raw(damage).execute(trx);
      found = await verifyBooks(trx);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}
