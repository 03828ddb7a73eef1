import { expect } from '@open-wc/testing';
import {
  bitcoinWithLightning,
  checkout,
  lightning,
  REFUNDABLE,
} from '../../../test/support/fixture.ts';
import {
  deep,
  FakeStream,
  type FakeServer,
  open,
  serveEach,
  textOf,
  until,
} from '../../../test/support/fake-server.ts';

describe('money that goes back', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('is in the unit of the page: satoshis over lightning, BTC where BTC was asked for', async () => {
    const back = {
      ...REFUNDABLE,
      kind: 'BTC_LIGHTNING',
      network: 'Lightning',
      fee: '0',
      received: REFUNDABLE.amount,
    };
    const sent = {
      transaction: 'e5',
      amount: '0.00081234',
      received: '0.0008',
      kind: 'BTC_LIGHTNING',
      address: 'someone@wallet.example',
      status: 'paid',
      txid: null,
      explorer_url: null,
    };
    const [one] = checkout('late').received;
    const view = checkout('late', {
      payment: lightning().payment,
      received: [{ ...one!, kind: 'BTC_LIGHTNING' }],
      refundable: [back, { ...back, transaction: 'c3', cause: 'excess', amount: '0.0001' }],
      refunds: [sent],
    });
    server.state = view;
    const { element } = await open();
    await until(() => deep(element, '[part=refund-link]').length);
    await until(() => FakeStream.all.length, 'a live stream');
    const list = deep(element, '[part=refund]')[0]!.textContent;
    expect(list).to.contain('80,000 sats').and.contain('1,234 sats fee').and.not.contain('BTC');
    deep(element, '[part=refund-link]')[0]!.click();
    await until(() => deep(element, '[name=address]').length);
    const text = textOf(element);
    expect(text).to.contain('You receive 81,234 sats');
    expect(text).to.contain('Refund 81,234 sats on Lightning');
    expect(text).to.contain('an invoice for 81,234 sats');
    expect(deep(element, '[part=refund-payment]')[1]!.textContent).to.contain('10,000 sats');
    expect(text).to.not.contain('BTC');
    element.remove();
    server.state = { ...view, payment: bitcoinWithLightning().payment };
    const both = await open();
    await until(() => deep(both.element, '[part=refund]').length);
    const beside = deep(both.element, '[part=refund]')[0]!.textContent;
    expect(beside).to.contain('0.0008 BTC').and.not.contain('sats');
  });
});
