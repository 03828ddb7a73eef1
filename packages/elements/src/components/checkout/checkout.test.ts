import { expect } from '@open-wc/testing';
import type { CryptoCheckout } from '../../index.ts';
import { checkout, payment } from '../../../test/support/fixture.ts';
import {
  FakeServer,
  FakeStream,
  deep,
  deepActive,
  heading,
  mount,
  open,
  pause,
  refusing,
  settled,
  spoken,
  textOf,
  until,
  serveEach,
} from '../../../test/support/fake-server.ts';

const HERE = '/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6';
const names = (events: Event[]): string[] => events.map(({ type }) => type);

/** A form in a shadow root. */
const addForm = (element: CryptoCheckout, html: string): HTMLFormElement => {
  const base = element.shadowRoot!.querySelector('[part=base]')!;
  base.insertAdjacentHTML('beforeend', html);
  return base.lastElementChild as HTMLFormElement;
};

const link = (element: CryptoCheckout, show: string): HTMLAnchorElement =>
  deep(element, `[data-show=${show}]`)[0] as HTMLAnchorElement;

describe('form requests', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    server.state = checkout('pay');
  });
  afterEach(() => {
    server.stop();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });

  it('sends any form: fields, pressed button and last segment of its action', async () => {
    const { element } = await open();
    const form = addForm(
      element,
      '<form method="post" action="https://pay.example/x/payment"><input type="hidden" name="kind" value="BTC"><button name="from" value="exchange">x</button><button name="from" value="wallet">y</button></form>',
    );
    form.querySelector('button')!.click();
    await until(() => server.posts.length === 2);
    expect(server.posts[1]).to.include({ path: `${HERE}/payment` });
    expect(server.posts[1]!.body).to.deep.equal({ kind: 'BTC', from: 'exchange' });
  });

  it('sends true for the field value true', async () => {
    const { element } = await open();
    addForm(
      element,
      '<form method="post" action="/renew"><input type="hidden" name="extend" value="true"><button>x</button></form>',
    ).requestSubmit();
    await until(() => server.posts.length === 2);
    expect(server.posts[1]).to.include({ path: `${HERE}/renew` });
    expect(server.posts[1]!.body).to.deep.equal({ extend: true });
  });

  it('sends a request once while it is pending', async () => {
    server.state = checkout('expired');
    const { element } = await open();
    const button = deep(element, '[part=renew-button]')[0] as HTMLButtonElement;
    button.click();
    button.click();
    await pause(50);
    expect(server.posts).to.have.length(2);
  });

  it('ignores forms with another method', async () => {
    const { element } = await open();
    const form = addForm(element, '<form method="dialog"><button>x</button></form>');
    form.requestSubmit();
    await pause(30);
    expect(server.posts).to.have.length(1);
  });

  it('ignores the answer for a previous checkout', async () => {
    server.state = checkout('choose');
    const { element } = await open();
    let answer: (response: Response) => void = () => {};
    const { fetch } = window;
    window.fetch = () => new Promise((resolve) => (answer = resolve));
    (deep(element, 'form')[0] as HTMLFormElement).requestSubmit();
    await pause(20);
    window.fetch = fetch;
    server.state = checkout('pay', { id: 'second' });
    element.setAttribute('order', 'other');
    await until(() => element.checkout?.id === 'second');
    answer(new Response(JSON.stringify(checkout('seen', { version: 9 }))));
    await pause(50);
    expect(element.checkout!.id).to.equal('second');
    expect(heading(element)).to.equal('Send exactly');
  });

  it('shows all coins and returns, restores the focus, and sends no request', async () => {
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    link(element, 'coins').focus();
    link(element, 'coins').click();
    await settled(element);
    expect(heading(element)).to.equal('Choose a coin');
    expect(deep(element, 'crypto-coin-picker')).to.have.length(1);
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading has the focus');
    await expect(element).to.be.accessible();
    link(element, 'stage').focus();
    link(element, 'stage').click();
    await settled(element);
    expect(heading(element)).to.equal('Send exactly');
    expect(textOf(element).replaceAll(' ', '')).to.contain(
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    );
    await until(() => deepActive() === link(element, 'coins'), 'the link has the focus again');
    expect(server.posts).to.have.length(1);
  });

  it('focuses the heading after another coin is chosen', async () => {
    const { element } = await open();
    link(element, 'coins').focus();
    link(element, 'coins').click();
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading of the coins');
    server.state = checkout('pay', {
      version: 2,
      payment: { ...checkout('pay').payment!, invoice_id: 'another' },
    });
    const button = deep(element, '[part=submit]')[0]!;
    button.focus();
    button.click();
    await until(() => heading(element) === 'Send exactly');
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading of the payment');
    await until(() => spoken(element).includes('0.00081234 BTC, Bitcoin'));
  });

  it('shows the receipt and returns', async () => {
    server.state = checkout('paid');
    const { element } = await open();
    link(element, 'receipt').focus();
    link(element, 'receipt').click();
    await settled(element);
    expect(heading(element)).to.equal('Receipt');
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading has the focus');
    link(element, 'stage').click();
    await settled(element);
    expect(heading(element)).to.equal('Payment complete');
  });

  it('opens on the coins or the receipt with the attribute show', async () => {
    const coins = await open({ show: 'coins' });
    expect(heading(coins.element)).to.equal('Choose a coin');
    server.state = checkout('complete');
    const receipt = await open({ show: 'receipt' });
    await until(() => heading(receipt.element) === 'Receipt');
  });

  it('leaves links with modifier keys to the browser', async () => {
    const { element } = await open();
    const click = new MouseEvent('click', {
      bubbles: true,
      composed: true,
      cancelable: true,
      ctrlKey: true,
    });
    element.addEventListener('click', (event) => {
      expect(event.defaultPrevented).to.equal(false);
      event.preventDefault();
    });
    link(element, 'coins').dispatchEvent(click);
    await settled(element);
    expect(heading(element)).to.equal('Send exactly');
  });

  it('returns from the coins when the chosen coin is payable', async () => {
    const { element } = await open({ show: 'coins' });
    server.state = checkout('pay', { version: 2, payment: payment({ kind: 'ETH' }) });
    (deep(element, 'form')[0] as HTMLFormElement).requestSubmit();
    await until(() => heading(element) === 'Send exactly');
  });

  it('reveals the rest of a part payment after a tap on another coin', async () => {
    server.state = checkout('underpaid');
    const { element } = await open({ show: 'coins' });
    await until(() => deep(element, '[type=radio]').length, 'the coins');
    await settled(element);
    (deepActive() as HTMLElement | null)?.blur();
    server.state = checkout('underpaid', { version: 2 });
    (deep(element, 'form')[0] as HTMLFormElement).requestSubmit();
    await until(() => deep(element, 'crypto-coin-picker').length === 0, 'the payment');
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading has the focus');
  });

  it('leaves the coins when a payment is seen', async () => {
    const { element } = await open({ show: 'coins' });
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('seen', { version: 2 }));
    await until(() => heading(element) === 'Payment detected');
  });

  it('keeps the screen and polls when the server refuses a request', async () => {
    server.state = checkout('expired');
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    server.once(refusing(409));
    server.state = checkout('seen', { version: 3 });
    (deep(element, '[part=renew-button]')[0] as HTMLButtonElement).click();
    await until(() => heading(element) === 'Payment detected');
  });
});

describe('attributes', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('can change the server at any time', async () => {
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    element.setAttribute('server', 'https://pay.example/shop');
    await until(() => server.asked.at(-1)!.path === '/shop/checkouts');
    await until(() => FakeStream.all.length === 2);
    expect(FakeStream.all.map(({ closed }) => closed)).to.deep.equal([true, false]);
    expect(FakeStream.all[1]!.url).to.contain('https://pay.example/shop/checkouts/');
  });

  it('can change the preferred kind until a coin is chosen', async () => {
    const { element } = await open();
    server.state = checkout('pay', { version: 2 });
    element.setAttribute('kind', 'ETH');
    await until(() => heading(element) === 'Send exactly');
    expect(server.posts.at(-1)!.body).to.deep.equal({ kind: 'ETH' });
    element.setAttribute('kind', 'XRP');
    await pause(50);
    expect(server.posts).to.have.length(2);
  });

  it('can change the language at any time, in every inner element', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    element.setAttribute('locale', 'de');
    await until(() => heading(element) === 'Sende genau');
    await settled(element);
    expect(textOf(element)).to.contain('Kopieren').and.not.to.contain('Copy');
    expect(element.shadowRoot!.querySelector('[part=base]')!.getAttribute('lang')).to.equal('de');
    element.setAttribute('locale', 'ar');
    await until(
      () => element.shadowRoot!.querySelector('[part=base]')!.getAttribute('dir') === 'rtl',
    );
    element.removeAttribute('locale');
    await until(() => heading(element) === 'Send exactly');
  });

  it('can change the mode at any time without repeated events', async () => {
    server.state = checkout('pay');
    const { element, events } = await open();
    element.setAttribute('mode', 'redirect');
    await until(() => deep(element, '[part=redirect-link]').length);
    expect(deep(element, 'crypto-qr')).to.have.length(0);
    element.removeAttribute('mode');
    await until(() => deep(element, 'crypto-qr').length);
    expect(names(events)).to.deep.equal(['checkout-ready']);
    expect(server.posts).to.have.length(1);
  });

  it('can switch to a frame at any time, which then does the polling', async () => {
    server.state = checkout('pay');
    const { element, events } = await open();
    await until(() => FakeStream.all.length === 1);
    element.setAttribute('mode', 'frame');
    await until(() => deep(element, 'iframe').length);
    expect(deep(element, 'iframe')[0]!.getAttribute('src')).to.match(
      /^https:\/\/pay\.example\/frame\/c8e1f0a9b2d34c5e6f708192a3b4c5d6\//,
    );
    expect(FakeStream.all.every(({ closed }) => closed)).to.equal(true);
    expect(textOf(element)).not.to.contain('bc1q');
    // Browsers log unknown permissions in the shop's console.
    const { featurePolicy } = document as { featurePolicy?: { features(): string[] } };
    const allowed = deep(element, 'iframe')[0]!.getAttribute('allow')!.split(/;\s*/);
    expect(allowed).to.include.members(['clipboard-write', "payment 'none'"]);
    if (featurePolicy)
      expect(featurePolicy.features()).to.include.members(allowed.map((one) => one.split(' ')[0]!));
    element.setAttribute('mode', 'inline');
    await until(() => heading(element) === 'Send exactly');
    await until(() => FakeStream.all.some(({ closed }) => !closed));
    expect(names(events).filter((name) => name !== 'checkout-error')).to.deep.equal([
      'checkout-ready',
    ]);
  });

  it('can start and end a demo at any time', async () => {
    const { element } = await open();
    element.setAttribute('demo', 'pay');
    await until(() => element.checkout?.id === 'demo');
    await until(() => textOf(element).includes('Demonstration: nothing is paid here.'));
    expect(server.asked.filter(({ path }) => path.includes('demo'))).to.have.length(0);
    element.removeAttribute('demo');
    await until(() => element.checkout?.id === checkout('choose').id);
  });

  it('can contain a server-drawn snapshot, which is followed without opening a checkout', async () => {
    const drawn = checkout('paid');
    server.state = drawn;
    const { element, events } = await mount({
      server: '',
      checkout: drawn.id,
      snapshot: JSON.stringify(drawn),
    });
    element.setAttribute('server', 'https://pay.example');
    await until(() => heading(element) === 'Payment complete');
    await until(() => FakeStream.all.length);
    expect(server.posts).to.have.length(0);
    expect(names(events)).to.include.members(['checkout-ready', 'checkout-paid']);
    const broken = await mount({
      server: 'https://pay.example',
      checkout: drawn.id,
      snapshot: '{"id"',
    });
    await until(
      () => heading(broken.element) === 'Payment complete',
      'what is no view is asked for',
    );
  });

  it('can be set as properties of the same name, as frameworks do', async () => {
    const element = document.createElement('crypto-checkout');
    Object.assign(element, {
      server: 'https://pay.example',
      checkout: 'c8e1f0a9b2d34c5e6f708192a3b4c5d6',
    });
    document.body.append(element);
    await until(() => element.checkout);
    expect(element.checkoutId).to.equal('c8e1f0a9b2d34c5e6f708192a3b4c5d6');
    expect(server.asked[0]).to.include({ method: 'GET', path: HERE });
  });

  it('accept property names, as React writes them on a server', async () => {
    const { element } = await mount({
      server: 'https://pay.example',
      checkoutid: 'c8e1',
      successurl: 'https://shop.example/thanks',
    });
    await until(() => element.checkout);
    expect(server.asked[0]!.path).to.equal(
      '/checkouts/c8e1?success_url=https%3A%2F%2Fshop.example%2Fthanks',
    );
    element.setAttribute('success-url', 'https://shop.example/bye');
    element.setAttribute('checkout', 'c9');
    expect([element.checkoutId, element.successUrl]).to.deep.equal([
      'c9',
      'https://shop.example/bye',
    ]);
  });

  it('report an error without throwing when all are wrong', async () => {
    const { element } = await mount({
      server: 'no address at all',
      order: 't',
      kind: '"',
      mode: 'x',
      show: 'y',
      theme: 'z',
      locale: '--',
    });
    await until(() => heading(element) === 'Something went wrong');
  });
});

describe('several elements', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    server.state = checkout('pay');
  });
  afterEach(() => {
    server.stop();
    document.querySelectorAll('crypto-checkout, .outer').forEach((element) => element.remove());
  });

  it('add no landmarks to the page', async () => {
    for (const { element } of [await open(), await open()]) {
      expect(deep(element, 'header, footer, [role=banner], [role=contentinfo]')).to.have.length(0);
      await expect(element).to.be.accessible();
    }
  });

  it('use two languages independently', async () => {
    const [de, ar] = [await open({ locale: 'de' }), await open({ locale: 'ar' })];
    expect([heading(de.element), heading(ar.element)]).to.deep.equal([
      'Sende genau',
      'أرسل بالضبط',
    ]);
    await until(() => FakeStream.all.length === 2);
    for (const stream of FakeStream.all) stream.send(checkout('seen', { version: 2 }));
    await until(
      () => heading(de.element) !== 'Sende genau' && heading(ar.element) !== 'أرسل بالضبط',
    );
    expect(textOf(de.element)).to.match(/Zahlung erkannt/);
    expect(textOf(ar.element)).not.to.match(/Zahlung erkannt|Payment detected/);
    await until(() => spoken(de.element).includes('Zahlung erkannt'));
  });

  it('do not affect each other', async () => {
    const first = await open({ checkout: 'one' });
    const second = await open({ checkout: 'two' });
    await until(() => FakeStream.all.length === 2);
    FakeStream.all[1]!.send(checkout('seen', { version: 2 }));
    await until(() => heading(second.element) === 'Payment detected');
    expect(heading(first.element)).to.equal('Send exactly');
    second.element.remove();
    FakeStream.all[0]!.send(checkout('paid', { version: 3 }));
    await until(() => heading(first.element) === 'Payment complete');
    expect(names(second.events)).to.deep.equal(['checkout-ready', 'checkout-change']);
  });

  it('work inside another shadow root', async () => {
    const outer = document.body.appendChild(document.createElement('div'));
    outer.className = 'outer';
    const inner = outer
      .attachShadow({ mode: 'open' })
      .appendChild(document.createElement('div'))
      .attachShadow({ mode: 'closed' });
    const types: string[] = [];
    for (const name of ['checkout-ready', 'checkout-change', 'checkout-paid'] as const)
      outer.addEventListener(name, ({ type }) => types.push(type));
    const element = document.createElement('crypto-checkout');
    Object.assign(element, { server: 'https://pay.example', order: 't' });
    inner.append(element);
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('paid', { version: 2 }));
    await until(() => heading(element) === 'Payment complete');
    expect(types).to.deep.equal(['checkout-ready', 'checkout-change', 'checkout-paid']);
    await until(() => spoken(element).startsWith('Payment complete'));
  });

  it('can be removed and inserted again without losing or repeating anything', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length === 1);
    for (let round = 0; round < 3; round++) {
      element.remove();
      await pause(10);
      document.body.append(element);
    }
    await until(() => FakeStream.all.filter(({ closed }) => !closed).length === 1);
    FakeStream.all.at(-1)!.send(checkout('paid', { version: 2 }));
    await until(() => heading(element) === 'Payment complete');
    expect(names(events)).to.deep.equal(['checkout-ready', 'checkout-change', 'checkout-paid']);
    expect(server.posts).to.have.length(1);
  });

  it('stop all timers and requests when they are removed', async () => {
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    element.remove();
    await pause(200);
    const asked = server.asked.length;
    for (const wake of ['focus', 'online', 'pageshow']) window.dispatchEvent(new Event(wake));
    await pause(300);
    expect(server.asked).to.have.length(asked);
    expect(FakeStream.all.every(({ closed }) => closed)).to.equal(true);
  });

  it('are registered once, even if the script is loaded twice', async () => {
    const { element } = await open();
    // @ts-expect-error -- the same files under other addresses: a second copy
    await import('./checkout.ts?again');
    // @ts-expect-error -- as above
    const copy: unknown = await import('../base/checkout-element.ts?again');
    const { define } = copy as typeof import('../base/checkout-element.ts');
    define('crypto-checkout', class extends HTMLElement {});
    expect(customElements.get('crypto-checkout')).to.equal(element.constructor);
    expect(heading((await open()).element)).to.equal('Send exactly');
  });
});

describe('an unknown stage of a newer server', () => {
  it('asks the buyer to wait and announces the next stage', async () => {
    const server = new FakeServer();
    server.start();
    server.state = checkout('translating', { notes: ['from_the_future'] });
    const { element, events } = await open();
    expect(heading(element)).to.equal('Please wait');
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('paid', { version: 2 }));
    await until(() => heading(element) === 'Payment complete');
    expect(names(events)).to.deep.equal(['checkout-ready', 'checkout-change', 'checkout-paid']);
    server.stop();
    element.remove();
  });
});
