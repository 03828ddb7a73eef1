import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { verifyBooks } from './verify.ts';

let shop: SweepShop;

beforeAll(async () => {
  shop = await sweepShop({ chains: ['bitcoin', 'ethereum'] });
  await shop.deposit('ETH', '2');
  await shop.advance(600);
  await shop.sweep();
  const invoice = await shop.create();
  await shop.pay(invoice.id);
  await shop.mine('BTC', 6);
  await shop.fund('BTC', '1');
  await shop.payOut();
});
afterAll(() => shop.close());

describe('verifyBooks', () => {
  it('finds nothing in a running service', async () => {
    expect(await verifyBooks(shop.context.db)).toEqual([]);
  });

  // Damage that a bug or a manual change could cause.
  it.each([
    [
      'a manually changed balance',
      `update balance set amount = amount + 1 where bucket = 'available'`,
      ['balance_is_its_postings'],
    ],
    [
      'a posting that is gone',
      `delete from posting where reason = 'test_funds' and book = 'chain'`,
      ['entry_balances'],
    ],
    [
      'a payment credited twice',
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
      'an available amount without a block',
      `update transaction set block_height = null, block_hash = null`,
      ['credit_is_its_transaction'],
    ],
    [
      'a transaction that is also unassigned',
      `insert into unassigned select chain, observation_key, txid, asset, 'x', amount, 'test', created_at from transaction`,
      ['observation_credited_once'],
    ],
    ['a hold that was forgotten', `update payout set hold = 'released'`, ['reserved_is_held']],
    [
      'a deposit without a movement',
      `update deposit set amount = amount + 1`,
      ['deposit_is_its_movements'],
    ],
    [
      'a payment that was counted twice',
      `update transaction set collected = true`,
      ['deposit_is_its_movements'],
    ],
    [
      'a sweep that ended and holds',
      `update sweep set status = 'failed'`,
      ['ended_sweep_holds_nothing'],
    ],
    [
      'a payout that ended and took nothing',
      `update payout set hold = 'spent'`,
      ['reserved_is_held', 'outcome_is_posted'],
    ],
    [
      'a complete sweep without its fee',
      `update sweep set status = 'complete', hold = 'spent', fee = fee_reserve`,
      ['reserved_is_held', 'outcome_is_posted', 'deposit_is_its_movements'],
    ],
    [
      'an ended payout that holds',
      `update payout set status = 'rejected'`,
      ['ended_payout_holds_nothing'],
    ],
  ])('finds %s', async (_, damage, rules) => {
    const found = await damaged(damage);
    expect([...new Set(found.map(({ rule }) => rule))]).toEqual(rules);
    expect(found.every(({ says, row }) => says.length > 0 && Object.keys(row).length > 0)).toBe(
      true,
    );
  });
});

/** Findings after a change, which is then rolled back. */
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
