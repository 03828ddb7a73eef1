import { expect, it } from 'vitest';
import { changesOf, payloadOf, valuesOfRule } from './rule-form.ts';

const rule = {
  id: 'r',
  wallet_name: 'Bitcoin wallet',
  kind: 'BTC',
  keep_amount: '0.5',
  min_amount: '0',
  every_minutes: 60,
  is_enabled: true,
  last_at: null,
  next_at: null,
  last: null,
  error: null,
};

it('makes the payload of a new rule', () => {
  const amounts = { keep_amount: '0.5', min_amount: '0' };
  const values = { coin: 'w1 BTC', recipient_address: 'tb1q', interval: '15', ...amounts };
  expect(payloadOf('payout', values)).toEqual({
    wallet: 'w1',
    kind: 'BTC',
    recipient_address: 'tb1q',
    interval: 15,
    is_enabled: false,
    ...amounts,
  });
  const traded = { from: 'w1 BTC', to: 'w2 LTC', max_amount: '2', is_enabled: 'on', ...amounts };
  expect(payloadOf('conversion', traded)).toEqual({
    from_wallet: 'w1',
    from_kind: 'BTC',
    to_wallet: 'w2',
    to_kind: 'LTC',
    max_amount: '2',
    is_enabled: true,
    ...amounts,
  });
});

it('sends what was changed, and nothing else', () => {
  const before = valuesOfRule({ ...rule, recipient_address: 'tb1q' });
  expect(changesOf(before, before)).toEqual({});
  const { is_enabled: _off, ...off } = before;
  expect(changesOf(before, { ...off, interval: '30', keep_amount: '0.50' })).toEqual({
    interval: 30,
    keep_amount: '0.50',
    is_enabled: false,
  });
  expect(valuesOfRule({ ...rule, is_enabled: false, to_kind: 'LTC', max_amount: '1' })).toEqual({
    keep_amount: '0.5',
    min_amount: '0',
    max_amount: '1',
  });
});
