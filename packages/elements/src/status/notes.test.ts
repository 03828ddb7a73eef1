import { loadTrouble } from '../core/lazy-registry.ts';
import '../lazy/lazy-modules.ts';
import { expect } from '@open-wc/testing';
import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { changeAnnouncement } from './announcement.ts';
import { lateNote, noteText, stageSentence } from './notes.ts';
import { headOf } from './trouble.ts';
import { loadStatus } from '../core/lazy-registry.ts';
import { inLocale, loadLocale } from '../i18n/locale.ts';
import { REFUNDABLE, checkout, inTwoCoins, lightning, xrp } from '../../test/support/fixture.ts';
import {
  type FakeServer,
  FakeStream,
  deep,
  open,
  listen,
  pause,
  settled,
  spoken,
  textOf,
  until,
  serveEach,
} from '../../test/support/fake-server.ts';
import { tether } from '../../test/support/situations.ts';

const said = (now: Checkout, next: Checkout, language = 'en'): string =>
  inLocale(language, () => changeAnnouncement(now, next, language));

/** A view with changed payment members. */
const but = (view: Checkout, own: Partial<CheckoutPayment>): Checkout => ({
  ...view,
  payment: { ...view.payment!, ...own },
});

/** Half of the amount has arrived, then half of the remainder. */
function parts(): [Checkout, Checkout] {
  const first = checkout('underpaid');
  const [one] = first.received;
  const second = { ...one!, txid: '5e'.repeat(32), amount: '0.0002', value: '12.29' };
  return [
    first,
    { ...but(first, { paid: '0.0006', remaining: '0.00021234' }), received: [one!, second] },
  ];
}

const overpaid = (stage: string, rest: Partial<Checkout> = {}): Checkout =>
  but(checkout(stage, { notes: ['overpaid'], ...rest }), { overpaid: '0.0001' });

describe('change announcements', () => {
  before(() => loadTrouble());

  before(loadStatus);

  it('include each partial payment and the missing amount', () => {
    const [first, second] = parts();
    expect(said(first, second)).to.equal('0.0006 BTC received. Send 0.00021234 BTC more.');
    expect(said(second, second)).to.equal('');
  });

  it('omit confirmations while a part is missing', () => {
    const [first] = parts();
    expect(said(first, but(first, { confirmations: { have: 2, need: 2, final: 6 } }))).to.equal('');
  });

  it('repeat open questions for the shop at the end, in place of "nothing more is needed"', () => {
    const news = said(overpaid('seen'), overpaid('paid'));
    expect(news)
      .to.contain('Payment complete.')
      .and.to.contain('You paid 0.0001 BTC too much. Ask the shop to refund the difference.');
    expect(news).to.not.contain('all set');
  });

  for (const view of [
    overpaid('paid'),
    checkout('complete', { notes: ['paid_twice'] }),
    checkout('paid', { notes: ['wrong_coin'] }),
    checkout('paid', { received: [...checkout('paid').received, ...checkout('late').received] }),
  ])
    it(`omit "nothing more is needed" beside ${view.notes.join() || 'a late sum'}`, () => {
      expect(stageSentence(view, 'en')).to.equal('Received: 0.00081234 BTC.');
    });

  it('include the received part and the expired price', () => {
    const view = but(checkout('underpaid'), {
      renewable: true,
      expires_at: '2026-11-21T11:59:00.000000+00:00',
    });
    expect(stageSentence(view, 'en')).to.match(
      /^Received: 0.0004 BTC. This price has expired. Don’t send the old amount/,
    );
  });

  /** The remainder was sent in another coin and then failed. */
  const lostRest = (status: string, stage = 'underpaid'): [Checkout, Checkout] => {
    const seen = inTwoCoins('seen');
    const [part, rest] = seen.received;
    const next = stage === 'underpaid' ? inTwoCoins(stage) : seen;
    const gone = { ...rest!, status, value: null, rate: null };
    const successor = stage === 'underpaid' ? [] : [{ ...rest!, txid: '7c'.repeat(32) }];
    return [seen, { ...next, version: 2, received: [part!, gone, ...successor] }];
  };

  it('include a failed part before the resulting stage', () => {
    expect(said(...lostRest('failed'))).to.equal(
      '25.34 USDT: The payment did not go through. Partly paid. ' +
        '0.0004 BTC received. Send 25.34 USDT more.',
    );
    const [, next] = lostRest('failed');
    expect(said(next, next)).to.equal('');
  });

  it('include a replaced payment and its successor', () => {
    expect(said(...lostRest('replaced', 'seen'))).to.equal(
      '25.34 USDT: Your wallet replaced this transaction, so it doesn’t count. Payment detected. ' +
        'Received: 0.0004 BTC + 25.34 USDT. Waiting for the network to confirm it. You can close this page.',
    );
  });

  it('advise to check the wallet after a dropped payment, unless the order is paid', () => {
    const [seen, next] = lostRest('dropped', 'seen');
    const gone = '25.34 USDT: The network dropped your transaction. It may still go through.';
    expect(said(seen, next)).to.contain(`${gone} Check your wallet before paying again.`);
    const paid = { ...inTwoCoins('complete'), version: 2, received: next.received };
    expect(said(seen, paid)).to.contain(gone);
    expect(said(seen, paid)).to.not.contain('wallet');
  });

  it('include the amount when the payment is seen and when it is paid', () => {
    expect(said(checkout('pay'), checkout('seen'))).to.match(
      /^Payment detected[.] Received: 0[.]00081234 BTC[.] Waiting for the network/,
    );
    expect(said(checkout('seen'), checkout('paid'))).to.match(
      /^Payment complete[.] Received: 0[.]00081234 BTC[.] Thanks/,
    );
  });

  it('mention late money once, and again before another payment is requested', () => {
    const late = checkout('late');
    expect(said(checkout('expired'), late)).to.equal(
      'Your payment arrived late. Received: 0.00081234 BTC. It arrived after the price expired. ' +
        'The shop can accept or refund it.',
    );
    const other = { ...tether(), received: late.received };
    const ask =
      '0.00081234 BTC arrived after the price expired. It may already be enough. Ask the shop before paying again.';
    expect(said(late, other)).to.match(
      new RegExp(`^${ask.replaceAll('.', '[.]')} Send your payment[.] 49[.]93 USDT`),
    );
    expect(lateNote(other, 'en')).to.equal(ask);
  });

  it('include payments in another coin', () => {
    const [one] = checkout('paid').received;
    const wrongCoinAmount = { ...one!, symbol: 'USDT', amount: '18.5', value: null, rate: null };
    expect(
      said(
        checkout('pay'),
        checkout('pay', { notes: ['wrong_coin'], received: [wrongCoinAmount] }),
      ),
    ).to.equal(
      'You sent 18.50\u00a0USDT, not BTC. It doesn’t count towards this order. ' +
        'Your order is still unpaid. Ask the shop how to get it back.',
    );
  });

  it('do not send a buyer to the shop for money that can be asked for here', () => {
    const back = { refundable: [REFUNDABLE] };
    const [one] = checkout('paid').received;
    const wrong = { ...one!, symbol: 'USDT', amount: '18.5', value: null, rate: null };
    const views = {
      'You paid 0.0001\u00a0BTC too much': overpaid('paid', back),
      'You paid twice': checkout('paid', { notes: ['paid_twice'], ...back }),
      'You sent 18.50\u00a0USDT, not BTC': checkout('pay', {
        notes: ['wrong_coin'],
        received: [wrong],
        ...back,
      }),
    };
    for (const [title, view] of Object.entries(views)) {
      const unpaid = view.stage === 'pay';
      expect(noteText(view.notes[0]!, view, 'en')).to.equal(
        unpaid
          ? `${title}. It doesn’t count towards this order. Your order is still unpaid.`
          : title,
      );
      expect(headOf(view, false, 'en').heading).to.equal(title);
      expect(headOf(view, false, 'en').text).to.not.contain('shop');
      const news = said(checkout('pay'), view);
      expect(news.split(title), news).to.have.length(2);
      expect(news).to.not.contain('shop');
    }
  });

  it('name both networks where the same coin came on another one', () => {
    const [one] = checkout('paid').received;
    const asked = { symbol: 'DAI', network: 'BNB Smart Chain (BEP20)' };
    const wrong = { ...one!, symbol: 'DAI', amount: '18.5', value: null, rate: null, asked };
    const onEthereum = { ...wrong, network: 'Ethereum (ERC20)' };
    const view = checkout('pay', { notes: ['wrong_coin'], received: [onEthereum] });
    expect(headOf(view, false, 'en').heading).to.equal(
      'You sent 18.50\u00a0DAI on Ethereum (ERC20), not DAI on BNB Smart Chain (BEP20)',
    );
  });

  it('do not send a buyer to the shop for money that its fee would use up', () => {
    const [one] = checkout('paid').received;
    const wrong = { ...one!, symbol: 'USDT', amount: '0.5', value: null, rate: null };
    const view = checkout('pay', { notes: ['wrong_coin', 'small_refund'], received: [wrong] });
    expect(noteText('small_refund', view, 'en')).to.equal(
      'This amount is smaller than the network fee, so it can’t be sent back.',
    );
    expect(headOf(view, false, 'en').text).to.equal(
      'It doesn’t count towards this order. Your order is still unpaid.',
    );
  });

  it('mention a single failed payment once', () => {
    const [seen, failed] = [checkout('seen'), checkout('failed')];
    expect(said(seen, failed)).to.match(/^The payment did not go through[.] The network refused/);
    const replaced = {
      ...failed,
      notes: ['replaced'],
      received: failed.received.map((one) => ({ ...one, status: 'replaced' })),
    };
    expect(said(seen, replaced).match(/replaced this transaction/g)).to.have.length(1);
    expect(said(seen, replaced)).to.match(/^0[.]00081234 BTC: Your wallet replaced/);
  });

  it('include coin and amount after a choice or a new price', () => {
    const bitcoin = /^Send your payment[.] 0[.]00081234 BTC, Bitcoin[.] Scan with/;
    expect(said(checkout('choose'), checkout('pay'))).to.match(bitcoin);
    expect(said(checkout('expired'), checkout('pay'))).to.match(bitcoin);
    const other = tether();
    const chosen = { ...other, payment: { ...other.payment!, invoice_id: 'another' } };
    expect(said(checkout('pay'), chosen)).to.match(
      /^Send your payment[.] 49[.]93 USDT, Tether, TRON [(]TRC20[)][.] Scan/,
    );
    expect(said(checkout('pay'), lightning())).to.equal('');
    expect(said(chosen, lightning())).to.match(/ 81,234 sats, Bitcoin, Lightning[.] /);
    expect(said(checkout('underpaid'), inTwoCoins('underpaid'))).to.equal(
      'Partly paid. Coin: Tether, TRON (TRC20). 0.0004 BTC received. Send 25.34 USDT more.',
    );
    const anything = but(checkout('pay'), {
      due: null,
      remaining: null,
      strings: { ...checkout('pay').payment!.strings, amount: null },
    });
    expect(said(checkout('choose'), anything)).to.match(/^Send your payment[.] Bitcoin[.] Scan/);
  });

  it('warn about amounts below the minimum of exchanges instead of asking to copy', () => {
    const exchange = tether({ from: 'exchange', minimum_withdrawal: '60' });
    const news = said(tether(), exchange);
    expect(news)
      .to.contain('Most exchanges won’t send less than 60 USDT.')
      .and.to.not.contain('withdrawal form');
    expect(stageSentence(exchange, 'en').trim()).to.equal('');
    expect(said(tether(), tether({ from: 'exchange' }))).to.contain('withdrawal form');
  });

  it('put received and missing amounts before the exchange warning', () => {
    const exchange = tether({ from: 'exchange' });
    const part = {
      ...checkout('underpaid').received[0]!,
      amount: '41.42',
      symbol: 'USDT',
      kind: 'USDT-TRX',
    };
    const next = {
      ...but(exchange, { paid: '41.42', remaining: '8.51', minimum_withdrawal: '10' }),
      stage: 'underpaid',
      received: [part],
    };
    const figures = '41.42 USDT received. Send 8.51 USDT more.';
    const warning = 'Most exchanges won’t send less than 10 USDT. Use a wallet or another coin.';
    expect(said(exchange, next)).to.equal(`Partly paid. ${figures} ${warning}`);
    // The same after a second part that leaves too small a remainder.
    const first = { ...part, amount: '20' };
    const now = {
      ...but(next, { paid: '20', remaining: '29.93', minimum_withdrawal: null }),
      received: [first],
    };
    expect(
      said(now, {
        ...next,
        received: [first, { ...part, txid: '5e'.repeat(32), amount: '21.42' }],
      }),
    ).to.equal(`${figures} ${warning}`);
  });

  it('ask for the tag besides amount and address', async () => {
    const exchange = but(xrp(), { from: 'exchange' });
    const asked =
      'Paste these into your exchange’s withdrawal form. Destination tag: Without this tag, your payment can’t be matched to your order.';
    expect(stageSentence(exchange, 'en')).to.equal(asked);
    expect(said(xrp(), exchange)).to.contain(asked);
    expect(stageSentence(xrp(), 'en')).to.equal('');
    await loadLocale('ja');
    expect(inLocale('ja', () => stageSentence(exchange, 'ja')))
      .to.match(/。[^。 ]+/)
      .and.to.not.match(/[.] /);
  });

  it('end sentences with the punctuation of the language', async () => {
    await loadLocale('ja');
    expect(said(checkout('pay'), checkout('seen'), 'ja'))
      .to.match(/。/)
      .and.to.not.match(/[.] /);
  });
});

describe('the return to the shop', () => {
  serveEach();

  it('is not automatic while a question for the shop is open', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      overpaid('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => deep(element, '[part=success-link]').length);
    await until(() => spoken(element).includes('Ask the shop to refund the difference'));
    await pause(700);
    expect(events.map(({ type }) => type)).to.not.contain('checkout-close');
    expect(textOf(element)).to.not.contain('Taking you back').and.to.not.contain('all set');
  });

  it('is cancelled when such a question arises', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => deep(element, '[part=stay-button]').length);
    FakeStream.all[0]!.send(
      overpaid('paid', { version: 3, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => !deep(element, '[part=stay-button]').length);
    await pause(700);
    expect(events.map(({ type }) => type)).to.not.contain('checkout-close');
  });

  it('announces the number of seconds', async () => {
    const { element } = await open();
    element.addEventListener('checkout-close', (event) => event.preventDefault());
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => /Taking you back to the shop… \(\d+ seconds\)/.test(textOf(element)));
    await until(() => spoken(element).includes('(20 seconds)'));
  });
});

describe('live announcements', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  const THANKS = 'https://shop.example/thanks';

  it('contain the current state when two changes coincide', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length);
    const said = listen(element);
    FakeStream.all[0]!.send(checkout('seen', { version: 2, notes: ['wrong_coin'] }));
    FakeStream.all[0]!.send(checkout('paid', { version: 3, notes: ['wrong_coin'] }));
    await until(() => said.length);
    expect(said[0])
      .to.match(/^Payment complete[.]/)
      .and.to.contain('It doesn’t count towards this order.');
    FakeStream.all[0]!.send(checkout('complete', { version: 4, notes: ['wrong_coin'] }));
    await until(() => said.at(-1)!.startsWith('Payment complete'), 'what comes later');
    expect(said.join()).to.not.contain('Payment detected');
  });

  it('drop the redirect once it is cancelled', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(checkout('paid', { version: 2, success_url: THANKS }));
    await until(() => spoken(element).includes('Taking you back'));
    await until(() => deep(element, '[part=stay-button]').length);
    deep(element, '[part=stay-button]')[0]!.click();
    expect(spoken(element)).to.not.contain('Taking you back');
    await until(() => spoken(element) === 'You stay on this page.');
  });

  it('drop the redirect when the payment is reversed at once', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length);
    const said = listen(element);
    // Before the announcement is spoken.
    const { setTimeout: later } = window;
    window.setTimeout = ((run: TimerHandler, ms = 0) => later(run, ms * 40)) as typeof setTimeout;
    FakeStream.all[0]!.send(checkout('paid', { version: 2, success_url: THANKS }));
    await until(() => deep(element, '[part=stay-button]').length);
    FakeStream.all[0]!.send(checkout('seen', { version: 3, notes: ['reversed'] }));
    await until(() => said.some((text) => text.includes('took a confirmation back')));
    expect(said.join()).to.not.contain('Taking you back');
  });
});

describe('amounts in German', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const view of [
    checkout('underpaid'),
    overpaid('paid'),
    checkout('late'),
    checkout('expired'),
  ])
    it(`have a decimal comma everywhere: ${view.stage}`, async () => {
      server.state = view;
      for (const show of ['stage', 'receipt']) {
        const { element, events } = await open({ locale: 'de', show });
        await settled(element);
        await until(() => /\d,\d/.test(textOf(element)));
        expect(textOf(element)).to.not.match(/\b0\.\d/);
        for (const code of deep(element, 'svg[role=img]'))
          expect(code.ariaLabel).to.not.match(/\b0\.\d/);
        await pause(400);
        expect(events.filter(({ type }) => type === 'checkout-error')).to.deep.equal([]);
        element.remove();
      }
    });

  it('are copied with a decimal point, also from a manual selection', async () => {
    server.state = checkout('pay');
    const { element } = await open({ locale: 'de' });
    const [value] = deep(element, '[part=value]');
    await until(() => value!.textContent === '0,00081234 BTC');
    await until(() => {
      getSelection()!.selectAllChildren(value!);
      const event = new ClipboardEvent('copy', {
        clipboardData: new DataTransfer(),
        bubbles: true,
        composed: true,
        cancelable: true,
      });
      value!.dispatchEvent(event);
      return event.clipboardData!.getData('text/plain') === '0.00081234 BTC';
    });
  });
});

describe('received payments', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('keep price and date apart in right-to-left text', async () => {
    server.state = checkout('paid');
    for (const locale of ['ar', 'he', 'fa']) {
      const { element } = await open({ locale });
      await settled(element);
      const facts = deep(element, '[part=details] dd bdi bdi').map(
        ({ textContent }) => textContent,
      );
      expect(facts[0], locale)
        .to.contain('BTC')
        .and.to.not.match(/USD|[$]/);
      expect(facts[1], locale).to.match(/^1 BTC = .*[\d.,٬٫]+.*$/);
      const times = deep(element, '[part=transaction] small > bdi').map(
        ({ textContent }) => textContent,
      );
      expect(times, locale).to.have.length(1);
      expect(times[0], locale)
        .to.contain('12:01')
        .and.to.not.match(/USD|[$]/);
      element.remove();
    }
  });

  for (const [status, words] of [
    ['replaced', 'replaced this transaction'],
    ['failed', 'did not go through'],
  ] as const)
    it(`show ${status} as text`, async () => {
      const [one] = checkout('seen').received;
      server.state = checkout('seen', {
        received: [one!, { ...one!, txid: 'ab'.repeat(32), status, value: null }],
      });
      const { element } = await open();
      await until(() => deep(element, '[part=transaction]').length === 2);
      const [good, gone] = deep(element, '[part=transaction]');
      expect(gone!.textContent).to.contain(words);
      expect(good!.textContent).to.not.contain(words);
    });

  it('mark a late payment, also on the receipt', async () => {
    const [good] = checkout('paid').received;
    const [late] = checkout('late').received;
    server.state = checkout('paid', {
      received: [good!, { ...late!, txid: 'ab'.repeat(32), amount: '0.0003' }],
    });
    const { element } = await open();
    await until(() => deep(element, '[part=transaction]').length === 2);
    expect(deep(element, '[part=transaction]')[1]!.textContent).to.contain(
      'Your payment arrived late',
    );
    element.show = 'receipt';
    await until(() => deep(element, '[part=receipt]').length);
    expect(textOf(element))
      .to.contain('Your payment arrived late')
      .and.to.contain('Received 0.00081234 BTC');
    expect(textOf(element)).to.not.contain('..');
  });

  it('exclude late payments from the sum, even if the invoice lists them', async () => {
    const view = checkout('late');
    server.state = but(view, { paid: '0.00081234' });
    const { element } = await open();
    await until(() => deep(element, '[part=details]').length);
    expect(textOf(element)).to.not.contain('Received 0.00081234 BTC');
  });
});
