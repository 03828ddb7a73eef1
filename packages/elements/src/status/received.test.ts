import { expect } from '@open-wc/testing';
import { checkout, payment } from '../../test/support/fixture.ts';
import { coinText } from './details.ts';
import { paymentRate, paymentValue, receivedAmount } from './received.ts';

const [came] = checkout('paid').received;
const order = (amount: string, currency: string) => ({
  order: { order_id: 'A-1', description: null, amount: { amount, currency } },
});

describe('a received amount', () => {
  it('stays in satoshis over lightning', () => {
    const one = { ...came!, kind: 'BTC_LIGHTNING', amount: '0.00019271', value: '18.50' };
    const view = checkout('paid', { ...order('18.50', 'USD'), received: [one] });
    expect(paymentValue(one, view, 'en')).to.equal('19,271 sats = $18.50');
    expect(receivedAmount(view, 'en')).to.equal('19,271 sats');
    expect(paymentValue({ ...one, kind: 'BTC' }, view, 'en')).to.equal('0.00019271 BTC = $18.50');
  });

  it('has no price in its own coin', () => {
    const one = {
      ...came!,
      kind: 'LTC',
      symbol: 'LTC',
      amount: '0.00996',
      value: '0.00996',
      rate: '1',
    };
    const view = checkout('paid', { ...order('0.00996', 'LTC'), received: [one] });
    expect(paymentValue(one, view, 'en')).to.equal('0.00996 LTC');
    expect(paymentRate(one, view, 'en')).to.equal('');
  });
});

it('writes a rate no more exactly than it is', () => {
  const rateOf = (rate: string, currency: string): string =>
    paymentRate({ rate, symbol: 'LTC' }, order('18.50', currency), 'en');
  expect(rateOf('91.9999', 'USD')).to.equal('1 LTC = $92.00');
  expect(rateOf('61427.48', 'USD')).to.equal('1 LTC = $61,427.48');
  expect(rateOf('0.9996', 'USD')).to.equal('1 LTC = $0.9996');
  expect(rateOf('0.0000123456789', 'USD')).to.equal('1 LTC = $0.000012346');
  expect(rateOf('13801.2345', 'JPY')).to.equal('1 LTC = ¥13,801');
  expect(rateOf('0.00123456', 'BTC')).to.equal('1 LTC = BTC\u00a00.0012346');
  expect(rateOf('1.5', 'USDT')).to.equal('1 LTC = 1.50 USDT');
});

it('names a network only where it is not the name of the coin', () => {
  const { name, symbol, network } = payment();
  expect(coinText(name, symbol, network)).to.equal('Bitcoin (BTC)');
  expect(coinText('Tether', 'USDT', 'TRON (TRC20)')).to.equal('Tether (USDT), TRON (TRC20)');
});
