import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { expect } from '@open-wc/testing';
import { bitcoinWithLightning, checkout, payment } from './support/fixture.ts';
import {
  type FakeServer,
  deep,
  failing,
  open,
  serveEach,
  settled,
  textOf,
  until,
} from './support/fake-server.ts';
import { tether } from './support/situations.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)';
const coinNamed = (name: string): CheckoutCoin => ({
  ...checkout('choose').coins.at(-1)!,
  kind: name,
  name,
  symbol: name,
});

describe('the screens on which a buyer picks a coin and pays', () => {
  let server: FakeServer;
  let frame: HTMLElement;
  serveEach((started) => (server = started));
  beforeEach(() => {
    frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '360px';
  });
  afterEach(() => {
    frame.remove();
    delete (navigator as unknown as Record<string, unknown>)['userAgent'];
  });

  it('keep the note about a lost connection clear of the button below the coins', async () => {
    frame.style.cssText += '; block-size: 400px; overflow: auto';
    server.state = checkout('choose', {
      coins: ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(coinNamed),
    });
    const { element } = await open();
    frame.append(element);
    const radio = deep(element, '[type=radio]')[1] as HTMLInputElement;
    radio.checked = true;
    server.once(failing());
    radio.form!.requestSubmit();
    await until(() => deep(element, '.afloat .note').length, 'the note');
    await settled(element);
    radio.focus();
    frame.scrollTop = 0;
    const [note, button] = ['.afloat', '[part=submit]'].map((part) =>
      deep(element, part)[0]!.getBoundingClientRect(),
    );
    expect(button!.height).to.be.above(0);
    expect(note!.bottom <= button!.top || button!.bottom <= note!.top, 'apart').to.equal(true);
  });

  it('lead to the shop where money without its tag would never show', async () => {
    const merchant = { ...checkout('pay').merchant, contact: 'https://shop.example/help' };
    for (const [tag, contacts] of [
      ['77', 1],
      [null, 0],
    ] as const) {
      server.state = checkout('pay', { merchant, payment: payment({ tag }) });
      const { element } = await open();
      await until(() => deep(element, '[part=other-coin]').length, 'the next steps');
      expect(deep(element, '[part=contact-link]'), String(tag)).to.have.length(contacts);
      element.remove();
    }
  });

  it('break no amount that fits on a line', async () => {
    for (const [width, amount] of [
      [360, '0.00019271'],
      [360, '1234567.123456'],
      [640, '0.00019271'],
      [700, '1234567.123456'],
      [900, '1234567.123456'],
    ] as const) {
      frame.style.width = `${width}px`;
      const view = checkout('pay');
      server.state = {
        ...view,
        payment: payment({ ...view.payment, strings: { ...view.payment!.strings, amount } }),
      };
      const { element } = await open();
      frame.append(element);
      await settled(element);
      const [number] = deep(element, 'crypto-amount')[0]!.shadowRoot!.querySelectorAll('b');
      expect(number!.getClientRects().length, `${width}: ${amount}`).to.equal(1);
      element.remove();
    }
  });

  it('mark the chosen form of bitcoin, or both in one code, not by colour alone', async () => {
    const looks = (element: Element): string[] =>
      deep(element, '[part=twins] button').map((one) => {
        const { fontWeight, borderColor, backgroundColor } = getComputedStyle(one);
        return `${fontWeight} ${borderColor} ${backgroundColor}`;
      });
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => looks(element).length === 3, 'the choice');
    const [other, chosen, lightning] = looks(element);
    expect(chosen).to.match(/^600/);
    expect(other).to.match(/^400/);
    expect(lightning).to.equal(other);
    element.remove();
    server.state = bitcoinWithLightning();
    const { element: both } = await open();
    await until(() => looks(both).length === 3, 'the choice');
    expect(looks(both)).to.deep.equal([chosen, other, other]);
  });

  it('collapse other wallets only where there are some', async () => {
    Object.defineProperty(navigator, 'userAgent', { configurable: true, value: IPHONE });
    server.state = checkout('pay', { network: 'mainnet' });
    const { element } = await open();
    await until(() => deep(element, '[part=wallet]').length, 'the wallets');
    expect(deep(element, '[part=wallet]').length).to.be.below(4);
    expect(deep(element, '[part=wallets]')).to.have.length(0);
    expect(deep(element, '[part=share]')[0]!.checkVisibility()).to.equal(true);
  });

  it('offer the values to copy before sharing where no link opens a wallet', async () => {
    server.state = tether();
    const { element } = await open();
    await until(() => deep(element, '[part=share]').length, 'the hand-off');
    const parts = deep(element, 'button').map((one) => one.part.value);
    expect(parts.lastIndexOf('copy-button')).to.be.below(parts.indexOf('share'));
  });

  it('show the price beside the amount where the shop shows the order', async () => {
    server.state = checkout('pay');
    for (const [header, hint] of [
      ['none', '$49.90'],
      ['', undefined],
    ] as const) {
      const { element } = await open({ header });
      expect(
        deep(element, 'crypto-amount')[0]!.shadowRoot!.querySelector('[part=hint]')?.textContent,
      ).to.equal(hint);
      element.remove();
    }
  });

  it('mark the present coin where the buyer changes it, and none before', async () => {
    const marked = (element: Element): string[] =>
      (deep(element, '[type=radio]') as HTMLInputElement[])
        .filter((one) => getComputedStyle(one.closest('label')!).boxShadow !== 'none')
        .map(({ value }) => value);
    for (const [stage, kinds] of [
      ['choose', []],
      ['pay', ['BTC_BECH32']],
    ] as const) {
      server.state = checkout(stage);
      const { element } = await open({ show: 'coins' });
      await until(() => deep(element, '[type=radio]').length, 'the coins');
      expect(marked(element), stage).to.deep.equal(kinds);
      element.remove();
    }
  });

  it('keep a shortened transaction id on one line, and draw a single confirmation as one step', async () => {
    frame.style.width = '300px';
    const view = checkout('seen');
    server.state = {
      ...view,
      payment: payment({ ...view.payment, confirmations: { have: 0, need: 1, final: 6 } }),
    };
    const { element } = await open();
    frame.append(element);
    await until(() => deep(element, '[part=explorer-link]').length, 'the payment');
    await settled(element);
    const [link] = deep(element, '[part=explorer-link] bdi');
    expect(link!.getClientRects().length).to.equal(1);
    // The sentence above says that the network confirms it; there is nothing to count.
    expect(deep(element, '[part=confirmations]')[0]!.textContent.trim()).to.equal('');
    expect(textOf(element)).to.contain('Waiting for the network to confirm it.');
    expect(deep(element, '.steps i')).to.have.length(1);
  });

  it('give a buyer whose payment is not complete the link to it, once', async () => {
    const text = 'Save this link to see this payment any time.';
    for (const [view, times] of [
      [checkout('pay'), 0],
      [checkout('seen'), 1],
      [checkout('underpaid'), 1],
      [checkout('late'), 1],
    ] as const) {
      server.state = view;
      const { element } = await open();
      await until(() => deep(element, '[aria-live]').length, 'the tools');
      await settled(element);
      expect(textOf(element).split(text).length - 1, view.stage).to.equal(times);
      if (times)
        expect((deep(element, '[part=keep-link]')[0] as HTMLAnchorElement).href).to.equal(
          `https://pay.example/pay/${view.id}/?show=receipt`,
        );
      element.remove();
    }
  });
});
