import { expect } from '@open-wc/testing';
import { loadAfter, loadHandOff } from '../src/later.ts';
import { checkout, lightning } from './fixture.ts';
import { type FakeServer, deep, mount, open, settled, spoken, textOf, until, serveEach } from './server.ts';
import { tether } from './situations.ts';

const BODY = { kind: 'USDT-TRX', from: 'exchange' };

describe('paying in more than one way', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  const buttons = (element: Element, part: string): HTMLButtonElement[] => deep(element, `[part=${part}] button`) as HTMLButtonElement[];
  const rects = (element: Element): DOMRect[] =>
    deep(element, 'h2, [part=image], [part=value], [part=wallet-link]').map((one) => one.getBoundingClientRect());

  // The first of this file: the code for it has not been fetched yet.
  it('does not move what is read already when the rest arrives', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    for (const width of ['360px', '900px']) {
      frame.style.width = width;
      server.state = checkout('pay');
      const { element } = await open();
      frame.append(element);
      const early = rects(element);
      await Promise.all([loadAfter(), loadHandOff()]);
      element.requestUpdate();
      await settled(element);
      await until(() => buttons(element, 'from').length);
      const late = rects(element);
      expect(late.length).to.equal(early.length);
      for (const [index, rect] of late.entries()) expect(Math.abs(rect.top - early[index]!.top), width).to.be.below(1);
      element.remove();
    }
    frame.remove();
  });

  it('asks where the buyer pays from, and tells the server', async () => {
    server.state = tether();
    const { element } = await open();
    const [wallet, exchange] = buttons(element, 'from');
    expect(wallet!.getAttribute('aria-pressed')).to.equal('true');
    expect(exchange!.getAttribute('aria-pressed')).to.equal('false');
    server.state = { ...tether({ from: 'exchange' }), version: 2 };
    exchange!.click();
    await until(() => textOf(element).includes('withdrawal form'));
    expect(server.posts.at(-1)).to.deep.include({ path: `/checkouts/${server.state.id}/payment`, body: BODY });
    expect(buttons(element, 'from')[1]!.getAttribute('aria-pressed')).to.equal('true');
    // The button that was pressed stays where it is: nobody else tells who can't see it that address and amount are others now.
    await until(() => spoken(element).includes('withdrawal form'));
  });

  it('says that the time for the rest is over', async () => {
    server.state = checkout('underpaid');
    const { element } = await open();
    const payment = { ...server.state.payment!, renewable: true, expires_at: '2026-11-21T11:59:00.000000+00:00' };
    server.state = { ...server.state, payment, version: 2 };
    element.refresh();
    await until(() => spoken(element).includes('Please do not send to the old amount.'));
  });

  it('works by forms alone: each button sends what its place says', async () => {
    server.state = tether();
    const { element } = await open();
    const form = deep(element, 'form[part=from]')[0] as HTMLFormElement;
    expect(form.method).to.equal('post');
    expect(form.getAttribute('action')).to.match(/\/checkouts\/[0-9a-f]+\/payment$/);
    expect(Object.fromEntries(new FormData(form, buttons(element, 'from')[1]))).to.deep.equal(BODY);
  });

  it('gives an exchange each value alone, and what its form asks for', async () => {
    server.state = tether({ from: 'exchange', minimum_withdrawal: '60' });
    const { element } = await open();
    const text = textOf(element);
    for (const sentence of [
      'There, choose the network TRON (TRC20).',
      'The exchange takes its fee on top: 49.93 USDT must arrive here.',
      'Many exchanges send no less than 60 USDT',
      'Exchanges can be slow, so this price holds longer.',
      'Send only USDT on TRON (TRC20).',
    ])
      expect(text).to.contain(sentence);
    expect(deep(element, '[part=value]').map((value) => value.textContent.trim())).to.deep.equal([
      '49.93 USDT',
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
    ]);
    expect(deep(element, '[part=wallet-link]')).to.have.length(0);
  });

  it('opens as a form for an exchange, and never as the wallet’s before it', async () => {
    server.state = tether({ from: 'exchange' });
    const { element } = await mount({ server: 'https://pay.example', order: 'token' });
    let wallet = false;
    await until(() => {
      wallet ||= deep(element, '[part=wallet-link]').length > 0;
      return textOf(element).includes('There, choose the network');
    });
    expect(wallet).to.equal(false);
  });

  it('gives an exchange both addresses of Liquid', async () => {
    server.state = tether({
      from: 'exchange',
      kind: 'L-BTC',
      symbol: 'L-BTC',
      network: 'Liquid',
      public_address: 'Q8TAjZ6pDqxVP4SdjNZ6rWUe4ngy7XMSme',
    });
    const { element } = await open();
    const shown = deep(element, '[part=value]').filter((value) => value.getClientRects().length);
    expect(shown.map((value) => value.textContent.trim())).to.contain('Q8TAjZ6pDqxVP4SdjNZ6rWUe4ngy7XMSme');
  });

  it('puts bitcoin and lightning side by side, the one in force pressed', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    const names = (): string[] => buttons(element, 'twins').map((one) => `${one.textContent.trim()} ${one.getAttribute('aria-pressed')}`);
    expect(names()).to.deep.equal(['Bitcoin true', 'Lightning false']);
    server.state = { ...lightning(), version: 2 };
    buttons(element, 'twins')[1]!.click();
    await until(() => names().join() === 'Bitcoin false,Lightning true');
    expect(server.posts.at(-1)!.body).to.deep.equal({ kind: 'BTC_LIGHTNING', from: 'wallet' });
  });

  it('does not offer a switch where there is nothing on the other side', async () => {
    const view = checkout('pay');
    server.state = { ...view, coins: view.coins.filter(({ kind }) => kind !== 'BTC_LIGHTNING') };
    const { element } = await open();
    expect(buttons(element, 'twins')).to.have.length(0);
    expect(buttons(element, 'from')).to.have.length(2);
  });

  it('leaves no gap where more time is not offered yet', async () => {
    const view = checkout('pay');
    const tops: number[] = [];
    for (const extendable of [false, true]) {
      server.state = { ...view, payment: { ...view.payment!, extendable } };
      const { element } = await open();
      await until(() => deep(element, '[part=from]').length);
      await settled(element);
      expect(deep(element, '[part=more]')).to.have.length(extendable ? 1 : 0);
      tops.push(deep(element, '[part=image]')[0]!.getBoundingClientRect().top - element.getBoundingClientRect().top);
      element.remove();
    }
    expect(tops[1]).to.equal(tops[0]);
  });

  it('asks for more time at the same price', async () => {
    const view = checkout('pay', { server_time: '2026-11-21T12:13:00.000000+00:00' });
    server.state = { ...view, payment: { ...view.payment!, extendable: true } };
    const { element } = await open();
    const [more] = deep(element, '[part=more-button]');
    server.state = checkout('pay', { version: 2 });
    more!.click();
    await until(() => !deep(element, '[part=more-button]').length);
    expect(server.posts.at(-1)).to.deep.include({ path: `/checkouts/${view.id}/renew`, body: { extend: true } });
  });
});
