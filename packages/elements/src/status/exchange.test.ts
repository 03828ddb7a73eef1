import { expect } from '@open-wc/testing';
import { loadStatus, loadHandOff } from '../core/lazy-registry.ts';
import {
  COINS,
  bitcoinWithLightning,
  checkout,
  lightning,
  xrp,
} from '../../test/support/fixture.ts';
import {
  type FakeServer,
  deep,
  mount,
  open,
  settled,
  spoken,
  textOf,
  until,
  serveEach,
} from '../../test/support/fake-server.ts';
import { tether } from '../../test/support/situations.ts';

const BODY = { kind: 'USDT-TRX', from: 'exchange' };

describe('payment options', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  const buttons = (element: Element, part: string): HTMLButtonElement[] =>
    deep(element, `[part=${part}] button`) as HTMLButtonElement[];
  const rects = (element: Element): DOMRect[] =>
    deep(element, 'h2, [part=image], [part=value], [part=wallet-link]').map((one) =>
      one.getBoundingClientRect(),
    );

  // Must be the first test of this file: the lazy modules are not loaded yet.
  it('do not move visible content when they are loaded', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    for (const width of ['360px', '900px']) {
      frame.style.width = width;
      server.state = checkout('pay');
      const { element } = await open();
      frame.append(element);
      const early = rects(element);
      await Promise.all([loadStatus(), loadHandOff()]);
      element.requestUpdate();
      await settled(element);
      await until(() => buttons(element, 'from').length);
      const late = rects(element);
      expect(late.length).to.equal(early.length);
      for (const [index, rect] of late.entries())
        expect(Math.abs(rect.top - early[index]!.top), width).to.be.below(1);
      element.remove();
    }
    frame.remove();
  });

  it('ask for the payment source and send it', async () => {
    server.state = tether();
    const { element } = await open();
    const [wallet, exchange] = buttons(element, 'from');
    expect(wallet!.getAttribute('aria-pressed')).to.equal('true');
    expect(exchange!.getAttribute('aria-pressed')).to.equal('false');
    server.state = { ...tether({ from: 'exchange' }), version: 2 };
    exchange!.click();
    await until(() => textOf(element).includes('withdrawal form'));
    expect(server.posts.at(-1)).to.deep.include({
      path: `/checkouts/${server.state.id}/payment`,
      body: BODY,
    });
    expect(buttons(element, 'from')[1]!.getAttribute('aria-pressed')).to.equal('true');
    // The pressed button keeps its place; screen readers are informed about the new address and
    // amount.
    await until(() => spoken(element).includes('withdrawal form'));
  });

  it('bring the new amount to view', async () => {
    server.state = tether();
    const { element } = await open();
    const [, exchange] = buttons(element, 'from');
    element.style.marginBlock = `${innerHeight}px`;
    exchange!.scrollIntoView({ block: 'start' });
    const sum = (): DOMRect => deep(element, '[part=amount]')[0]!.getBoundingClientRect();
    expect(sum().top).to.be.below(0);
    server.state = { ...tether({ from: 'exchange' }), version: 2 };
    exchange!.click();
    await until(() => textOf(element).includes('withdrawal form'));
    await until(() => sum().top >= 0, 'the amount in view');
    expect(sum().bottom).to.be.below(innerHeight);
  });

  it('state that the time for the remainder is over', async () => {
    server.state = checkout('underpaid');
    const { element } = await open();
    const payment = {
      ...server.state.payment!,
      renewable: true,
      expires_at: '2026-11-21T11:59:00.000000+00:00',
    };
    server.state = { ...server.state, payment, version: 2 };
    element.refresh();
    await until(() => spoken(element).includes('Don’t send the old amount.'));
  });

  it('submit forms: each button sends the value of its option', async () => {
    server.state = tether();
    const { element } = await open();
    const form = deep(element, 'form[part=from]')[0] as HTMLFormElement;
    expect(form.method).to.equal('post');
    expect(form.getAttribute('action')).to.match(/\/checkouts\/[0-9a-f]+\/payment$/);
    expect(Object.fromEntries(new FormData(form, buttons(element, 'from')[1]))).to.deep.equal(BODY);
  });

  it('show an exchange each value alone, in the order of its form', async () => {
    server.state = tether({ from: 'exchange', minimum_withdrawal: '60' });
    const { element } = await open();
    const text = textOf(element);
    for (const sentence of [
      'Withdrawal network: TRON (TRC20)',
      '49.93 USDT must arrive after your exchange’s fee.',
      'Most exchanges won’t send less than 60 USDT',
      'Exchanges can be slow, so this price is held until ',
      'Send only USDT on TRON (TRC20).',
    ])
      expect(text).to.contain(sentence);
    expect(deep(element, '[part=value]').map((value) => value.textContent.trim())).to.deep.equal([
      '49.93 USDT',
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
    ]);
    expect(deep(element, '[part=wallet-link]')).to.have.length(0);
    // An exchange pays the network fee itself.
    expect(deep(element, '[part=gas]')).to.have.length(0);
    server.state = { ...tether(), version: 2 };
    element.refresh();
    await until(() => deep(element, '[part=gas]').length);
  });

  it('say that the address is another one, and that both count', async () => {
    server.state = tether();
    const { element } = await open();
    const hint = 'Not the address shown before. Payments to either one count.';
    expect(textOf(element)).to.not.contain(hint);
    const other = tether({ from: 'exchange', other_address: true, address: 'TOther' });
    server.state = { ...other, version: 2 };
    buttons(element, 'from')[1]!.click();
    await until(() => textOf(element).includes(hint));
    await until(() => spoken(element).includes(hint));
  });

  it('say that the tag is another one where all payments share an address', async () => {
    const view = xrp();
    server.state = { ...view, payment: { ...view.payment!, other_address: true } };
    const { element } = await open();
    const hint = 'Not the tag shown before. Payments with either one count.';
    await until(() => textOf(element).includes(hint));
    expect(textOf(element)).to.not.contain('Not the address shown before.');
  });

  it('say once that the tag is required', async () => {
    const view = xrp();
    server.state = { ...view, payment: { ...view.payment!, from: 'exchange' } };
    const { element } = await open();
    const hint = 'Without this tag, your payment can’t be matched to your order.';
    await until(() => textOf(element).includes('Withdrawal network'));
    expect(textOf(element).split(hint)).to.have.length(2);
  });

  it('draw the exchange form at once, never the wallet form first', async () => {
    server.state = tether({ from: 'exchange' });
    const { element } = await mount({ server: 'https://pay.example', order: 'token' });
    let wallet = false;
    await until(() => {
      wallet ||= deep(element, '[part=wallet-link]').length > 0;
      return textOf(element).includes('Withdrawal network');
    });
    expect(wallet).to.equal(false);
  });

  it('show an exchange both addresses of Liquid', async () => {
    server.state = tether({
      from: 'exchange',
      kind: 'L-BTC',
      symbol: 'L-BTC',
      network: 'Liquid',
      public_address: 'Q8TAjZ6pDqxVP4SdjNZ6rWUe4ngy7XMSme',
    });
    const { element } = await open();
    const shown = deep(element, '[part=value]').filter((value) => value.getClientRects().length);
    expect(shown.map((value) => value.textContent.trim())).to.contain(
      'Q8TAjZ6pDqxVP4SdjNZ6rWUe4ngy7XMSme',
    );
  });

  it('show on-chain bitcoin and lightning side by side, with the current one pressed', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    const names = (): string[] =>
      buttons(element, 'twins').map(
        (one) => `${one.textContent.trim()} ${one.getAttribute('aria-pressed')}`,
      );
    expect(names()).to.deep.equal(['Both false', 'On-chain true', 'Lightning false']);
    server.state = { ...lightning(), version: 2 };
    buttons(element, 'twins')[2]!.click();
    await until(() => names().join() === 'Both false,On-chain false,Lightning true');
    expect(server.posts.at(-1)!.body).to.deep.include({ kind: 'BTC_LIGHTNING', from: 'wallet' });
  });

  it('press "Both" while one code holds both forms of bitcoin, and lead back to it', async () => {
    server.state = bitcoinWithLightning();
    const { element } = await open();
    const names = (): string[] =>
      buttons(element, 'twins').map(
        (one) => `${one.textContent.trim()} ${one.getAttribute('aria-pressed')}`,
      );
    expect(names()).to.deep.equal(['Both true', 'On-chain false', 'Lightning false']);
    expect(textOf(element)).to.contain('on Bitcoin or Lightning');
    // An exchange pays to the address.
    expect(buttons(element, 'from')).to.have.length(2);
    expect(deep(element, '[part=value] code').map((one) => one.textContent.trim())).to.deep.equal([
      element.checkout!.payment!.address,
      element.checkout!.payment!.lightning!.payment_request,
    ]);
    server.state = checkout('pay', { version: 2 });
    buttons(element, 'twins')[1]!.click();
    await until(() => names().join() === 'Both false,On-chain true,Lightning false');
    const { kind } = element.checkout!.payment!;
    expect(server.posts.at(-1)!.body).to.deep.equal({ kind, from: 'wallet' });
    server.state = bitcoinWithLightning({ version: 3 });
    buttons(element, 'twins')[0]!.click();
    await until(() => names().join() === 'Both true,On-chain false,Lightning false');
    expect(server.posts.at(-1)!.body).to.deep.equal({
      kind,
      from: 'wallet',
      with_lightning: true,
    });
  });

  it('announce both networks of one code, to which "Both" leads from lightning', async () => {
    server.state = lightning();
    const { element } = await open();
    const both = bitcoinWithLightning({ version: 2 });
    server.state = { ...both, payment: { ...both.payment!, invoice_id: 'another' } };
    buttons(element, 'twins')[0]!.click();
    await until(() => spoken(element).includes('0.00081234 BTC, Bitcoin or Lightning'));
    expect(server.posts.at(-1)!.body).to.deep.include({ from: 'wallet', with_lightning: true });
    expect(textOf(element)).to.contain('Send only BTC on Bitcoin/Lightning.');
  });

  it('lead from a coin that is no longer offered to those that are', async () => {
    const [chain, , ether] = COINS;
    server.state = { ...lightning(), coins: [chain!] };
    const { element } = await open();
    expect(buttons(element, 'twins').map((one) => one.textContent.trim())).to.deep.equal([
      'Both',
      'On-chain',
      'Lightning',
    ]);
    const change = deep(element, '[part=other-coin]')[0]!;
    change.click();
    await until(() => deep(element, '[part=coin], [part=asset]').length, 'the list');
    element.remove();
    server.state = { ...tether(), coins: [ether!] };
    const { element: token } = await open();
    await until(() => deep(token, '[part=other-coin]').length, 'the link');
    token.remove();
    // The only coin has no other one beside it.
    server.state = { ...checkout('pay'), coins: [chain!] };
    const { element: only } = await open();
    await until(() => buttons(only, 'from').length, 'the options');
    expect(deep(only, '[part=other-coin], [part=twins]')).to.have.length(0);
  });

  it('offer no switch without an alternative', async () => {
    const view = checkout('pay');
    server.state = { ...view, coins: view.coins.filter(({ kind }) => kind !== 'BTC_LIGHTNING') };
    const { element } = await open();
    expect(buttons(element, 'twins')).to.have.length(0);
    expect(buttons(element, 'from')).to.have.length(2);
  });

  it('leave no gap before more time is offered', async () => {
    const view = checkout('pay');
    const tops: number[] = [];
    for (const extendable of [false, true]) {
      server.state = { ...view, payment: { ...view.payment!, extendable } };
      const { element } = await open();
      await until(() => deep(element, '[part=from]').length);
      await settled(element);
      expect(deep(element, '[part=more]')).to.have.length(extendable ? 1 : 0);
      tops.push(
        deep(element, '[part=image]')[0]!.getBoundingClientRect().top -
          element.getBoundingClientRect().top,
      );
      element.remove();
    }
    expect(tops[1]).to.equal(tops[0]);
  });

  it('request more time at the same price', async () => {
    const view = checkout('pay', { server_time: '2026-11-21T12:13:00.000000+00:00' });
    server.state = { ...view, payment: { ...view.payment!, extendable: true } };
    const { element } = await open();
    const [more] = deep(element, '[part=more-button]');
    server.state = checkout('pay', { version: 2 });
    more!.click();
    await until(() => !deep(element, '[part=more-button]').length);
    expect(server.posts.at(-1)).to.deep.include({
      path: `/checkouts/${view.id}/renew`,
      body: { extend: true },
    });
  });
});
