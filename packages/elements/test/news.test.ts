import { expect } from '@open-wc/testing';
import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { lateFigures, newsOf, sentenceFor } from '../src/after/news.ts';
import { loadAfter } from '../src/later.ts';
import { inLocale, loadLocale } from '../src/locale.ts';
import { checkout, inTwoCoins, lightning, xrp } from './fixture.ts';
import { type FakeServer, FakeStream, deep, open, listen, pause, settled, spoken, textOf, until, serveEach } from './server.ts';
import { tether } from './situations.ts';

const said = (now: Checkout, next: Checkout, language = 'en'): string => inLocale(language, () => newsOf(now, next, language));

/** A view with something else about its payment. */
const but = (view: Checkout, own: Partial<CheckoutPayment>): Checkout => ({ ...view, payment: { ...view.payment!, ...own } });

/** Half of it has come, and then half of the rest. */
function parts(): [Checkout, Checkout] {
  const first = checkout('underpaid');
  const [one] = first.received;
  const second = { ...one!, txid: '5e'.repeat(32), amount: '0.0002', value: '12.29' };
  return [first, { ...but(first, { paid: '0.0006', remaining: '0.00021234' }), received: [one!, second] }];
}

const overpaid = (stage: string, rest: Partial<Checkout> = {}): Checkout =>
  but(checkout(stage, { notes: ['overpaid'], ...rest }), { overpaid: '0.0001' });

describe('what is said of a change', () => {
  before(loadAfter);

  it('tells each part that arrives, and what is missing then', () => {
    const [first, second] = parts();
    expect(said(first, second)).to.equal('0.0006 BTC has arrived. Please send the remaining 0.00021234 BTC.');
    expect(said(second, second)).to.equal('');
  });

  it('counts no confirmations while a part is missing', () => {
    const [first] = parts();
    expect(said(first, but(first, { confirmations: { have: 2, need: 2, final: 6 } }))).to.equal('');
  });

  it('says at the end what asks for the buyer, though it was said before, and not that nothing more is needed', () => {
    const news = said(overpaid('seen'), overpaid('paid'));
    expect(news).to.contain('Paid.').and.to.contain('0.0001 BTC more than the amount has arrived. Please ask the shop about the rest.');
    expect(news).to.not.contain('Nothing more');
  });

  for (const view of [
    overpaid('paid'),
    checkout('complete', { notes: ['paid_twice'] }),
    checkout('paid', { notes: ['wrong_coin'] }),
    checkout('paid', { received: [...checkout('paid').received, ...checkout('late').received] }),
  ])
    it(`does not say that nothing more is needed beside ${view.notes.join() || 'a late sum'}`, () => {
      expect(sentenceFor(view, 'en')).to.equal('Received: 0.00081234 BTC.');
    });

  it('says what came and that the time is over when it ran out after a part', () => {
    const view = but(checkout('underpaid'), { renewable: true, expires_at: '2026-11-21T11:59:00.000000+00:00' });
    expect(sentenceFor(view, 'en')).to.match(/^Received: 0.0004 BTC. The time to pay has run out. Please do not send to the old amount/);
  });

  /** The rest was sent in another coin, and then came to nothing. */
  const lostRest = (status: string, stage = 'underpaid'): [Checkout, Checkout] => {
    const seen = inTwoCoins('seen');
    const [part, rest] = seen.received;
    const next = stage === 'underpaid' ? inTwoCoins(stage) : seen;
    const gone = { ...rest!, status, value: null, rate: null };
    const successor = stage === 'underpaid' ? [] : [{ ...rest!, txid: '7c'.repeat(32) }];
    return [seen, { ...next, version: 2, received: [part!, gone, ...successor] }];
  };

  it('says that a part came to nothing, and which, before it says where that leaves the buyer', () => {
    expect(said(...lostRest('failed'))).to.equal(
      '25.34 USDT: The payment did not go through. Part of the amount has arrived. ' +
        '0.0004 BTC has arrived. Please send the remaining 25.34 USDT.',
    );
    const [, next] = lostRest('failed');
    expect(said(next, next)).to.equal('');
  });

  it('says that a payment was replaced, and that its successor is seen', () => {
    expect(said(...lostRest('replaced', 'seen'))).to.equal(
      '25.34 USDT: A transaction was replaced by another one in your wallet and does not count. We see your payment. ' +
        'Received: 0.0004 BTC + 25.34 USDT. Now the network confirms it. You can leave this page open or come back later.',
    );
  });

  it('says of a lost payment to look into the wallet before paying again, but not to who has paid all the same', () => {
    const [seen, next] = lostRest('dropped', 'seen');
    const gone = '25.34 USDT: The network no longer knows your transaction; it may still arrive.';
    expect(said(seen, next)).to.contain(`${gone} Please look into your wallet before you pay again.`);
    const paid = { ...inTwoCoins('complete'), version: 2, received: next.received };
    expect(said(seen, paid)).to.contain(gone);
    expect(said(seen, paid)).to.not.contain('wallet');
  });

  it('says how much came when it is seen and when it is paid', () => {
    expect(said(checkout('pay'), checkout('seen'))).to.match(/^We see your payment[.] Received: 0[.]00081234 BTC[.] Now the network/);
    expect(said(checkout('seen'), checkout('paid'))).to.match(/^Paid[.] Received: 0[.]00081234 BTC[.] Thank you[.]/);
  });

  it('says of late money once that the shop is to be asked, and again before more is asked for', () => {
    const late = checkout('late');
    expect(said(checkout('expired'), late)).to.equal(
      'Your payment arrived late. Received: 0.00081234 BTC. The money is there, but it came after the price had run out. ' +
        'Please ask the shop what happens next.',
    );
    const other = { ...tether(), received: late.received };
    const ask = '0.00081234 BTC arrived after the price had run out. It may be enough already: please ask the shop before you pay again.';
    expect(said(late, other)).to.match(new RegExp(`^${ask.replaceAll('.', '[.]')} Send your payment[.] 49[.]93 USDT`));
    expect(lateFigures(other, 'en')).to.equal(ask);
  });

  it('says what came in another coin than was asked for', () => {
    const [one] = checkout('paid').received;
    const stray = { ...one!, symbol: 'USDT', amount: '18.5', value: null, rate: null };
    expect(said(checkout('pay'), checkout('pay', { notes: ['wrong_coin'], received: [stray] }))).to.equal(
      '18.5 USDT: Another coin arrived at this address. It does not count towards this payment; please ask the shop.',
    );
  });

  it('says once that the only payment came to nothing', () => {
    const [seen, failed] = [checkout('seen'), checkout('failed')];
    expect(said(seen, failed)).to.match(/^The payment did not go through[.] The network refused/);
    const replaced = { ...failed, notes: ['replaced'], received: failed.received.map((one) => ({ ...one, status: 'replaced' })) };
    expect(said(seen, replaced).match(/was replaced/g)).to.have.length(1);
    expect(said(seen, replaced)).to.match(/^0[.]00081234 BTC: A transaction was replaced/);
  });

  it('names the coin and its amount when one is chosen, another one comes or its price is new', () => {
    const bitcoin = /^Send your payment[.] 0[.]00081234 BTC, Bitcoin[.] Scan the code/;
    expect(said(checkout('choose'), checkout('pay'))).to.match(bitcoin);
    expect(said(checkout('expired'), checkout('pay'))).to.match(bitcoin);
    const other = tether();
    const chosen = { ...other, payment: { ...other.payment!, invoice_id: 'another' } };
    expect(said(checkout('pay'), chosen)).to.match(/^Send your payment[.] 49[.]93 USDT, Tether, TRON [(]TRC20[)][.] Scan/);
    expect(said(checkout('pay'), lightning())).to.equal('');
    expect(said(chosen, lightning())).to.match(/ 0[.]00081234 BTC, Bitcoin, Lightning[.] /);
    expect(said(checkout('underpaid'), inTwoCoins('underpaid'))).to.equal(
      'Part of the amount has arrived. Coin: Tether, TRON (TRC20). 0.0004 BTC has arrived. Please send the remaining 25.34 USDT.',
    );
    const anything = but(checkout('pay'), { due: null, remaining: null, strings: { ...checkout('pay').payment!.strings, amount: null } });
    expect(said(checkout('choose'), anything)).to.match(/^Send your payment[.] Bitcoin[.] Scan/);
  });

  it('warns of what an exchange does not send, and does not ask to do it', () => {
    const exchange = tether({ from: 'exchange', minimum_withdrawal: '60' });
    const news = said(tether(), exchange);
    expect(news).to.contain('Many exchanges send no less than 60 USDT, and this is less.').and.to.not.contain('withdrawal form');
    expect(sentenceFor(exchange, 'en').trim()).to.equal('');
    expect(said(tether(), tether({ from: 'exchange' }))).to.contain('withdrawal form');
  });

  it('says what has come and what is missing before it warns that exchanges do not send so little', () => {
    const exchange = tether({ from: 'exchange' });
    const part = { ...checkout('underpaid').received[0]!, amount: '41.42', symbol: 'USDT', kind: 'USDT-TRX' };
    const next = { ...but(exchange, { paid: '41.42', remaining: '8.51', minimum_withdrawal: '10' }), stage: 'underpaid', received: [part] };
    const figures = '41.42 USDT has arrived. Please send the remaining 8.51 USDT.';
    const warning = 'Many exchanges send no less than 10 USDT, and this is less. Please pay from a wallet or with another coin.';
    expect(said(exchange, next)).to.equal(`Part of the amount has arrived. ${figures} ${warning}`);
    // So too of a second part, after which the rest is too little.
    const first = { ...part, amount: '20' };
    const now = { ...but(next, { paid: '20', remaining: '29.93', minimum_withdrawal: null }), received: [first] };
    expect(said(now, { ...next, received: [first, { ...part, txid: '5e'.repeat(32), amount: '21.42' }] })).to.equal(
      `${figures} ${warning}`,
    );
  });

  it('asks for the tag besides amount and address', async () => {
    const exchange = but(xrp(), { from: 'exchange' });
    const asked =
      'Copy amount and address into the withdrawal form of your exchange. Destination tag: Required for your payment to be found.';
    expect(sentenceFor(exchange, 'en')).to.equal(asked);
    expect(said(xrp(), exchange)).to.contain(asked);
    expect(sentenceFor(xrp(), 'en')).to.equal('');
    await loadLocale('ja');
    expect(inLocale('ja', () => sentenceFor(exchange, 'ja')))
      .to.match(/。[^。 ]+/)
      .and.to.not.match(/[.] /);
  });

  it('ends sentences as the language does', async () => {
    await loadLocale('ja');
    expect(said(checkout('pay'), checkout('seen'), 'ja'))
      .to.match(/。/)
      .and.to.not.match(/[.] /);
  });
});

describe('the way back to the shop', () => {
  serveEach();

  it('is not taken by itself while something is to be asked of the shop', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(overpaid('paid', { version: 2, success_url: 'https://shop.example/thanks' }));
    await until(() => deep(element, '[part=success-link]').length);
    await until(() => spoken(element).includes('Please ask the shop about the rest'));
    await pause(700);
    expect(events.map(({ type }) => type)).to.not.contain('checkout-close');
    expect(textOf(element)).to.not.contain('Taking you back').and.to.not.contain('Nothing more is needed');
  });

  it('is not taken either when something to ask comes while it is told', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }));
    await until(() => deep(element, '[part=stay-button]').length);
    FakeStream.all[0]!.send(overpaid('paid', { version: 3, success_url: 'https://shop.example/thanks' }));
    await until(() => !deep(element, '[part=stay-button]').length);
    await pause(700);
    expect(events.map(({ type }) => type)).to.not.contain('checkout-close');
  });

  it('says in how many seconds it is taken', async () => {
    const { element } = await open();
    element.addEventListener('checkout-close', (event) => event.preventDefault());
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }));
    await until(() => /Taking you back to the shop… \(\d+ seconds\)/.test(textOf(element)));
    await until(() => spoken(element).includes('(20 seconds)'));
  });
});

describe('what a reader hears', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  const THANKS = 'https://shop.example/thanks';

  it('is where the payment stands now, when two things come in one breath', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length);
    const said = listen(element);
    FakeStream.all[0]!.send(checkout('seen', { version: 2, notes: ['wrong_coin'] }));
    FakeStream.all[0]!.send(checkout('paid', { version: 3, notes: ['wrong_coin'] }));
    await until(() => said.length);
    expect(said[0])
      .to.match(/^Paid[.]/)
      .and.to.contain('Another coin arrived at this address.');
    FakeStream.all[0]!.send(checkout('complete', { version: 4, notes: ['wrong_coin'] }));
    await until(() => said.at(-1)!.startsWith('Paid and final'), 'what comes later');
    expect(said.join()).to.not.contain('We see your payment');
  });

  it('is not any more that the page goes back to the shop, once it does not', async () => {
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

  it('is not either when the network takes the payment back at once', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length);
    const said = listen(element);
    // Before anybody could be told.
    const { setTimeout: later } = window;
    window.setTimeout = ((run: TimerHandler, ms = 0) => later(run, ms * 40)) as typeof setTimeout;
    FakeStream.all[0]!.send(checkout('paid', { version: 2, success_url: THANKS }));
    await until(() => deep(element, '[part=stay-button]').length);
    FakeStream.all[0]!.send(checkout('seen', { version: 3, notes: ['reversed'] }));
    await until(() => said.some((text) => text.includes('the network has taken that back')));
    expect(said.join()).to.not.contain('Taking you back');
  });
});

describe('amounts in German', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const view of [checkout('underpaid'), overpaid('paid'), checkout('late'), checkout('expired')])
    it(`have a comma wherever they stand: ${view.stage}`, async () => {
      server.state = view;
      for (const show of ['stage', 'receipt']) {
        const { element, events } = await open({ locale: 'de', show });
        await settled(element);
        await until(() => /\d,\d/.test(textOf(element)));
        expect(textOf(element)).to.not.match(/\b0\.\d/);
        for (const code of deep(element, 'svg[role=img]')) expect(code.ariaLabel).to.not.match(/\b0\.\d/);
        await pause(400);
        expect(events.filter(({ type }) => type === 'checkout-error')).to.deep.equal([]);
        element.remove();
      }
    });

  it('are copied with a dot, whoever selects them', async () => {
    server.state = checkout('pay');
    const { element } = await open({ locale: 'de' });
    const [value] = deep(element, '[part=value]');
    await until(() => value!.textContent === '0,00081234 BTC');
    await until(() => {
      getSelection()!.selectAllChildren(value!);
      const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, composed: true, cancelable: true });
      value!.dispatchEvent(event);
      return event.clipboardData!.getData('text/plain') === '0.00081234 BTC';
    });
  });
});

describe('the payments so far', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('keep price and date apart where letters run the other way', async () => {
    server.state = checkout('paid');
    for (const locale of ['ar', 'he', 'fa']) {
      const { element } = await open({ locale });
      await settled(element);
      const facts = deep(element, '[part=transaction] small > bdi').map(({ textContent }) => textContent);
      expect(facts[0], locale).to.match(/^1 BTC = [\d.,٬٫]+ USD$/);
      expect(facts[1], locale).to.contain('12:01').and.to.not.contain('USD');
      element.remove();
    }
  });

  for (const [status, words] of [
    ['replaced', 'was replaced by another one'],
    ['failed', 'did not go through'],
  ] as const)
    it(`say ${status} in words`, async () => {
      const [one] = checkout('seen').received;
      server.state = checkout('seen', { received: [one!, { ...one!, txid: 'ab'.repeat(32), status, value: null }] });
      const { element } = await open();
      await until(() => deep(element, '[part=transaction]').length === 2);
      const [good, gone] = deep(element, '[part=transaction]');
      expect(gone!.textContent).to.contain(words);
      expect(good!.textContent).to.not.contain(words);
    });

  it('mark one that came too late to count, also on the receipt', async () => {
    const [good] = checkout('paid').received;
    const [late] = checkout('late').received;
    server.state = checkout('paid', { received: [good!, { ...late!, txid: 'ab'.repeat(32), amount: '0.0003' }] });
    const { element } = await open();
    await until(() => deep(element, '[part=transaction]').length === 2);
    expect(deep(element, '[part=transaction]')[1]!.textContent).to.contain('Your payment arrived late');
    element.show = 'receipt';
    await until(() => deep(element, '[part=receipt]').length);
    expect(textOf(element)).to.contain('Your payment arrived late').and.to.contain('Received 0.00081234 BTC');
    expect(textOf(element)).to.not.contain('..');
  });

  it('count nothing that came too late, also where the invoice names it', async () => {
    const view = checkout('late');
    server.state = but(view, { paid: '0.00081234' });
    const { element } = await open();
    await until(() => deep(element, '[part=details]').length);
    expect(textOf(element)).to.not.contain('Received 0.00081234 BTC');
  });
});
