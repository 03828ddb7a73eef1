import { parseAmount } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import type { Observation } from '@crypto-checkout/chains/adapter';
import { findReplaced, sharesInput } from './replacement.ts';
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

const find = (observation: Observation, row: Partial<TransactionRow> = {}) =>
  findReplaced(observation, [{ ...earlier, ...row }]);

describe('findReplaced', () => {
  it('returns a payment of the invoice with a shared input and no smaller amount', () => {
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
  ])('ignores a payment that %s', (_, observation, row) => {
    expect(find(seen(observation), row)).toBeNull();
  });
});

describe('sharesInput', () => {
  it('detects a replacement regardless of recipient and status', () => {
    for (const row of [
      earlier,
      { ...earlier, status: 'replaced' as const },
      { ...earlier, asset: 'L-BTC', late: true },
    ])
      expect(sharesInput(seen({ amount: parseAmount('0.50000001') }), row)).toBe(true);
  });

  it('ignores other outputs of the same transaction and other inputs', () => {
    expect(sharesInput(seen({ txid: 'first' }), earlier)).toBe(false);
    expect(sharesInput(seen({ conflicts: ['coin:7'] }), earlier)).toBe(false);
  });
});
