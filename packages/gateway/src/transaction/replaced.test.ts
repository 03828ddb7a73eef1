import { parseAmount } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../chain/adapter.ts';
import { findReplaced, spendsAgain } from './replaced.ts';
import type { TransactionRow } from './store.ts';

const earlier = {
  chain: 'bitcoin',
  asset: 'BTC',
  txid: 'first',
  counted: true,
  late: false,
  quote_number: 1,
  status: 'pending',
  amount: '0.5',
  conflicts: ['coin:0', 'coin:1'],
} as unknown as TransactionRow;

const seen = (change: Partial<Observation> = {}): Observation => ({
  key: 'second:0',
  txid: 'second',
  asset: 'BTC',
  watchKey: 'btc:address',
  amount: parseAmount('0.5'),
  block: null,
  conflicts: ['coin:1', 'coin:7'],
  ...change,
});

const find = (observation: Observation, row: Partial<TransactionRow> = {}) => findReplaced(observation, [{ ...earlier, ...row }]);

describe('the payment that another replaces', () => {
  it('spends one of the same inputs and pays the same invoice no less', () => {
    expect(find(seen())).toEqual(earlier);
    expect(find(seen({ amount: parseAmount('0.4') }))).toEqual(earlier);
  });

  it.each<[string, Partial<Observation>, Partial<TransactionRow>]>([
    ['paid less: what is more has the price of now', { amount: parseAmount('0.50000001') }, {}],
    ['spends other inputs', { conflicts: ['coin:7'] }, {}],
    ['is the same transaction', { txid: 'first' }, {}],
    ['paid another coin', { asset: 'L-BTC' }, {}],
    ['came too late itself', {}, { late: true }],
    ['never counted', {}, { counted: false }],
    ['has no price', {}, { quote_number: null }],
    ['was replaced by another one', {}, { status: 'replaced' }],
    ['failed', {}, { status: 'failed' }],
    ['is final', {}, { status: 'complete' }],
  ])('is not one that %s', (_, observation, row) => {
    expect(find(seen(observation), row)).toBeNull();
  });
});

describe('an input that is spent again', () => {
  it('tells a replacement, whatever it pays and whatever became of the first one', () => {
    for (const row of [earlier, { ...earlier, status: 'replaced' as const }, { ...earlier, asset: 'L-BTC', late: true }])
      expect(spendsAgain(seen({ amount: parseAmount('0.50000001') }), row)).toBe(true);
  });

  it('is none of another output of the same transaction, nor of other inputs', () => {
    expect(spendsAgain(seen({ txid: 'first' }), earlier)).toBe(false);
    expect(spendsAgain(seen({ conflicts: ['coin:7'] }), earlier)).toBe(false);
  });
});
