import { expect } from '@open-wc/testing';
import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { loadTrouble } from '../src/core/lazy-registry.ts';
import '../src/lazy/lazy-modules.ts';
import { headOf, leftText } from '../src/status/trouble.ts';
import { isLate, receivedAmount } from '../src/status/received.ts';
import { noteText, paymentMark, shownStage, stageSentence } from '../src/status/notes.ts';
import { REFUNDABLE, checkout, payment } from './support/fixture.ts';
import { type FakeServer, deep, heading, open, serveEach, textOf } from './support/fake-server.ts';

const TXID = '387a2e9e74f6b160f8f01cf0a04a208cc0867060f1f813c0f3126f4af2f5953d';
const CAME = '2026-11-21T12:01:00.000000+00:00';
const BEFORE = '2026-11-21T12:00:00.000000+00:00';
const AFTER = '2026-11-21T12:02:00.000000+00:00';
const SHOP = { name: 'Quay & Co.', contact: 'https://shop.example/help', logo: null, legal: null };

const [came] = checkout('seen').received as [CheckoutReceived];

/** Money that came in another coin, at an order for bitcoin. */
const WRONG: CheckoutReceived = {
  ...came,
  txid: TXID,
  created_at: CAME,
  symbol: 'USDT',
  name: 'Tether',
  network: 'Ethereum (ERC20)',
  kind: 'ETH_USDT',
  amount: '18.5',
  rate: null,
  value: null,
  asked: { symbol: 'BTC', network: 'Bitcoin' },
};

const refundOf = (one: CheckoutReceived, status: string) => [
  {
    transaction: one.txid,
    amount: one.refunded ?? one.amount,
    received: one.refunded ?? one.amount,
    kind: one.kind,
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    status,
    txid: status === 'paid' ? 'ab'.repeat(32) : null,
    explorer_url: null,
  },
];

const wrongCoin = (rest: Partial<Checkout> = {}, quotedAt = BEFORE, stage = 'pay'): Checkout => ({
  ...checkout(stage, { notes: ['wrong_coin'], received: [WRONG], ...rest }),
  merchant: SHOP,
  payment: { ...payment(), quoted_at: quotedAt, renewable: stage === 'expired' },
});

/** A refund of it that was asked for. */
const returning = (status: string, quotedAt = BEFORE, stage = 'pay'): Checkout => {
  const back = { ...WRONG, refunded: WRONG.amount };
  return wrongCoin({ received: [back], refunds: refundOf(back, status) }, quotedAt, stage);
};

const place = (element: Element, selector: string): number =>
  deep(element, selector)[0]!.getBoundingClientRect().top;

describe('after a trouble', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  before(() => loadTrouble());

  it('a new price puts the payment on top, and what happened below it as a calm note', async () => {
    server.state = wrongCoin({}, AFTER);
    const { element } = await open();
    expect(heading(element)).to.equal('Send exactly');
    expect(deep(element, 'crypto-countdown')).to.have.length(1);
    const [note] = deep(element, '[part=note]');
    expect(note!.className).to.contain('wait');
    expect(note!.textContent).to.contain('You sent 18.50\u00a0USDT, not BTC.');
    expect(place(element, '[part=note]')).to.be.above(place(element, 'crypto-qr'));
    expect(textOf(element)).to.not.contain('still unpaid');
  });

  it('a refund stands above a new price, which it comes with, and below the trouble without one', async () => {
    for (const [quotedAt, shown] of [
      [AFTER, 'Send exactly'],
      [BEFORE, 'You sent 18.50\u00a0USDT, not BTC'],
    ] as const) {
      server.state = returning('requested', quotedAt);
      const { element } = await open();
      expect(heading(element)).to.equal(shown);
      expect(textOf(element)).to.contain('Refund requested.');
      // The buyer comes to see the refund, and can pay below it.
      if (quotedAt === AFTER)
        expect(place(element, '[part=refund]')).to.be.below(place(element, 'crypto-amount'));
      element.remove();
    }
  });

  for (const note of ['dropped', 'replaced'])
    it(`a new price puts a payment that was ${note} below`, () => {
      const gone = { ...came, created_at: CAME, status: note, value: null };
      const view = wrongCoin({ notes: [note], received: [gone] });
      expect(headOf(view, false, 'en')).to.include({ stage: note, past: false, folded: true });
      const anew = { ...view, payment: { ...view.payment!, quoted_at: AFTER } };
      expect(headOf(anew, false, 'en')).to.include({ stage: 'pay', past: true, folded: false });
    });

  it('a time that is none changes nothing', () => {
    for (const quotedAt of ['', 'soon', '9'.repeat(400), '<b>'])
      for (const view of [wrongCoin({}, quotedAt), returning('requested', quotedAt)])
        expect(headOf({ ...view }, false, 'en').stage, quotedAt).to.equal('wrong_coin');
  });

  it('late money that is open stays above the payment', () => {
    const [late] = checkout('late').received as [CheckoutReceived];
    const view = wrongCoin({ notes: [], received: [{ ...late, created_at: CAME }] }, AFTER);
    expect(isLate(view.received[0]!)).to.equal(true);
    expect(headOf(view, false, 'en').past).to.equal(false);
  });

  it('a refund that was sent stands above the payment, or below the price that has expired', async () => {
    expect(headOf(returning('paid'), false, 'en')).to.include({ stage: 'pay', past: false });
    server.state = returning('paid', BEFORE, 'expired');
    const { element } = await open();
    expect(heading(element)).to.equal('This price has expired');
    expect(textOf(element)).to.contain('Refund sent.').and.to.not.contain('count');
    expect(deep(element, '.primary').map(({ textContent }) => textContent.trim())).to.deep.equal([
      'Get a new price',
    ]);
  });

  it('late money that went back no longer hides that the price has expired', () => {
    const [late] = checkout('late').received as [CheckoutReceived];
    const back = { ...late, refunded: late.amount };
    const at = (status: string): Checkout => ({
      ...checkout('expired', { received: [back], refunds: refundOf(back, status) }),
    });
    expect(shownStage(at('requested'))).to.equal('late');
    expect(shownStage(at('paid'))).to.equal('expired');
  });
});

describe('a wrong coin', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  before(() => loadTrouble());

  it('says that the order is unpaid, and sends to the shop only without a refund', () => {
    expect(headOf(wrongCoin(), false, 'en').text).to.equal(
      'It doesn’t count towards this order. Your order is still unpaid. Ask the shop how to get it back.',
    );
    const back = wrongCoin({ refundable: [REFUNDABLE] });
    expect(headOf(back, false, 'en').text).to.equal(
      'It doesn’t count towards this order. Your order is still unpaid.',
    );
    expect(headOf(wrongCoin({}, BEFORE, 'expired'), false, 'en').text).to.contain(
      'This price has expired.',
    );
  });

  it('is no warning once the order is paid', () => {
    const paid = wrongCoin({ refundable: [REFUNDABLE] }, BEFORE, 'paid');
    expect(noteText('wrong_coin', paid, 'en')).to.equal('You sent 18.50\u00a0USDT, not BTC.');
    const shop = wrongCoin({}, BEFORE, 'paid');
    expect(noteText('wrong_coin', shop, 'en')).to.equal(
      'You sent 18.50\u00a0USDT, not BTC. Ask the shop how to get it back.',
    );
  });

  it('names the coin that was asked for when it came', () => {
    const view = wrongCoin();
    const other = {
      ...view,
      payment: payment({ symbol: 'TRX', name: 'TRON', network: 'TRON', invoice_id: 'other' }),
    };
    expect(headOf(other, false, 'en').heading).to.equal('You sent 18.50\u00a0USDT, not BTC');
    // A checkout server of an earlier version does not say it.
    const { asked: _, ...unknown } = WRONG;
    const old = { ...other, received: [unknown] };
    expect(headOf(old, false, 'en').heading).to.not.contain('not TRX');
    expect(paymentMark(unknown, old, 'en')).to.contain('It doesn’t count towards this order.');
  });

  for (const ready of [false, true])
    it(`has one main action on the first screen: ${ready ? 'the refund' : 'to contact the shop'}`, async () => {
      server.state = wrongCoin({ refundable: [{ ...REFUNDABLE, transaction: TXID, ready }] });
      const { element } = await open();
      element.style.inlineSize = '328px';
      const main = deep(element, '.primary').filter((one) => one.checkVisibility());
      expect(main.map(({ textContent }) => textContent.trim())).to.deep.equal([
        ready ? 'Get a refund' : 'Contact the shop',
      ]);
      const { bottom, height } = main[0]!.getBoundingClientRect();
      expect(height).to.be.at.least(44);
      expect(bottom - element.getBoundingClientRect().top).to.be.below(640);
      expect(place(element, '[part=contact-link]')).to.be.below(place(element, '[part=again]'));
      expect(deep(element, 'crypto-qr').filter((one) => one.checkVisibility())).to.deep.equal([]);
    });
});

describe('a requested refund', () => {
  before(() => loadTrouble());

  const half = { ...came, amount: '0.0004', value: '24.57' };
  const received = (...own: CheckoutReceived[]): string =>
    receivedAmount({ ...checkout('paid', { notes: ['paid_twice'] }), received: own }, 'en');

  it('does not change what was received', () => {
    const twice = [half, { ...half, txid: 'b' }] as const;
    expect(received(...twice)).to.equal('0.0008 BTC');
    const back = { ...twice[1], value: null, rate: null, refunded: '0.0004' };
    expect(received(twice[0], back)).to.equal('0.0008 BTC');
    expect(received(twice[0], { ...twice[1], refunded: '0.0001' })).to.equal('0.0008 BTC');
  });

  it('of late money or another coin adds nothing to it', () => {
    const late = { ...half, txid: 'c', late: true, value: null, rate: null };
    expect(received(half, late)).to.equal('0.0004 BTC');
    expect(received(half, { ...late, refunded: '0.0004' })).to.equal('0.0004 BTC');
    expect(receivedAmount(returning('requested', BEFORE, 'paid'), 'en'), 'another coin').to.equal(
      '',
    );
  });

  it('leaves the rest to pay as it is', () => {
    const view = checkout('underpaid', {
      received: [half, { ...half, txid: 'b', value: null, rate: null, refunded: '0.0004' }],
    });
    expect(receivedAmount(view, 'en')).to.equal('0.0008 BTC');
    expect(stageSentence(view, 'en')).to.equal('0.0004 BTC received. Send 0.00041234 BTC more.');
    expect(leftText(view, 'en')).to.equal('$25.33 left of $49.90');
  });
});
