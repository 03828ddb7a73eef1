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

it('names a network only where it is not the name of the coin', () => {
  const { name, symbol, network } = payment();
  expect(coinText(name, symbol, network)).to.equal('Bitcoin (BTC)');
  expect(coinText('Tether', 'USDT', 'TRON (TRC20)')).to.equal('Tether (USDT), TRON (TRC20)');
});
