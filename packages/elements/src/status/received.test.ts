import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { expect } from '@open-wc/testing';
import { render } from 'lit';
import type { Fact, Panel } from '../core/panel.ts';
import { loadTrouble } from '../core/lazy-registry.ts';
import '../lazy/lazy-modules.ts';
import { bitcoinWithLightning, checkout, lightning, payment } from '../../test/support/fixture.ts';
import { coinText, paymentRows } from './details.ts';
import { noteText, stageSentence } from './notes.ts';
import { newlyGone } from './trouble.ts';
import { qrLabel } from './qr-label.ts';
import { paymentRate, paymentValue, receivedAmount } from './received.ts';

const [came] = checkout('paid').received;
const order = (amount: string, currency: string) => ({
  order: { order_id: 'A-1', description: null, amount: { amount, currency } },
});

/** An order that a lightning wallet paid. */
const overLightning = (
  own: Partial<CheckoutPayment> = {},
  rest: Partial<Checkout> = {},
): Checkout =>
  checkout('paid', {
    ...order('18.50', 'USD'),
    payment: { ...lightning().payment!, ...own },
    received: [{ ...came!, kind: 'BTC_LIGHTNING', amount: '0.00019271', value: '18.50' }],
    ...rest,
  });

const panelOf = (view: Checkout): Panel => ({ checkout: view, language: 'en' }) as Panel;

/** The text of a row's value. */
function textOf(value: Fact[1]): string {
  const place = document.createElement('div');
  render(value, place);
  return place.textContent;
}

describe('a received amount', () => {
  before(() => loadTrouble());

  it('stays in satoshis over lightning', () => {
    const view = overLightning();
    const [one] = view.received;
    expect(paymentValue(one!, view, 'en')).to.equal('19,271 sats = $18.50');
    expect(receivedAmount(view, 'en')).to.equal('19,271 sats');
    const onChain = { ...view, payment: payment() };
    expect(paymentValue({ ...one!, kind: 'BTC' }, onChain, 'en')).to.equal(
      '0.00019271 BTC = $18.50',
    );
  });

  it('has one unit on the whole screen in trouble, too', () => {
    const view = overLightning({ overpaid: '0.00001' }, { notes: ['overpaid'] });
    expect(receivedAmount(view, 'en')).to.equal('19,271 sats');
    expect(noteText('overpaid', view, 'en')).to.contain('You paid 1,000 sats too much.');
    const [one] = view.received;
    const more = { ...one!, txid: '5e'.repeat(32), amount: '0.0000027' };
    expect(receivedAmount({ ...view, received: [one!, more] }, 'en')).to.equal('19,541 sats');
    const gone = { ...view, received: [{ ...one!, status: 'replaced' }] };
    expect(newlyGone(view, gone, 'en').join()).to.contain('19,271 sats: ');
    const part = overLightning({ remaining: '0.00041234' }, { stage: 'underpaid' });
    expect(stageSentence(part, 'en')).to.equal('19,271 sats received. Send 41,234 sats more.');
    const [, price] = paymentRows(panelOf(part), part.payment!);
    expect(textOf(price![1])).to.contain('81,234 sats');
    expect(qrLabel(part.payment!, 'en')).to.contain('81,234 sats');
  });

  it('is in BTC where BTC was asked for: by an exchange, and beside an address', () => {
    for (const { payment: asked } of [
      overLightning({ from: 'exchange' }),
      bitcoinWithLightning(),
    ]) {
      const view = { ...overLightning(), payment: asked };
      const [one] = view.received;
      expect(paymentValue(one!, view, 'en')).to.equal('0.00019271 BTC = $18.50');
      expect(receivedAmount(view, 'en')).to.equal('0.00019271 BTC');
    }
  });

  it('is not grouped outside the amount to send', () => {
    const one = { ...came!, kind: 'DOGE', symbol: 'DOGE', amount: '123456.5', value: '18.50' };
    const view = checkout('paid', { ...order('18.50', 'USD'), received: [one] });
    expect(paymentValue(one, view, 'en')).to.equal('123456.50 DOGE = $18.50');
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
  expect(coinText('Ethereum', 'ETH', 'Ethereum (ERC20)')).to.equal('Ethereum (ETH)');
  expect(coinText('Ethereum', 'ETH', 'Base')).to.equal('Ethereum (ETH), Base');
  expect(coinText('Tether', 'USDT', 'TRON (TRC20)')).to.equal('Tether (USDT), TRON (TRC20)');
});
