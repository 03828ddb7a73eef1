import { expect } from '@open-wc/testing';
import type {
  CheckoutChangeEvent,
  CheckoutCloseEvent,
  CheckoutErrorEvent,
  CheckoutPaidEvent,
  CryptoCheckout,
} from '../index.ts';
import { COINS, checkout } from '../../test/support/fixture.ts';
import {
  type FakeServer,
  FakeStream,
  deep,
  failing,
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
} from '../../test/support/fake-server.ts';

const names = (events: Event[]): string[] => events.map(({ type }) => type);

describe('events', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('dispatches ready, each change, and paid exactly once', async () => {
    const { element, events } = await open({
      order: 'a.b.c',
      'success-url': 'https://shop.example/thanks',
    });
    expect(server.posts[0]).to.deep.equal({
      method: 'POST',
      path: '/checkouts',
      body: { order: 'a.b.c', success_url: 'https://shop.example/thanks' },
      ifNoneMatch: null,
    });
    await until(() => FakeStream.all.length === 1);
    const [stream] = FakeStream.all;
    for (const [index, stage] of ['pay', 'seen', 'paid', 'seen', 'paid', 'complete'].entries())
      stream!.send(checkout(stage, { version: index + 2 }));
    await settled(element);
    expect(names(events)).to.deep.equal([
      'checkout-ready',
      'checkout-change',
      'checkout-change',
      'checkout-change',
      'checkout-paid',
      'checkout-change',
      'checkout-change',
      'checkout-change',
    ]);
    const change = events[1] as CheckoutChangeEvent;
    expect([change.from, change.to, change.checkout.version]).to.deep.equal(['choose', 'pay', 2]);
    expect((events[4] as CheckoutPaidEvent).checkout.stage).to.equal('paid');
    expect(events.every(({ bubbles, composed }) => bubbles && composed)).to.equal(true);
  });

  it('dispatches paid once, also when the element is moved or refreshed', async () => {
    server.state = checkout('paid');
    const { element, events } = await open();
    const elsewhere = document.body.appendChild(document.createElement('div'));
    elsewhere.append(element);
    element.refresh();
    await pause(100);
    expect(names(events).filter((name) => name === 'checkout-paid')).to.have.length(1);
    expect(names(events).filter((name) => name === 'checkout-ready')).to.have.length(1);
    elsewhere.remove();
  });

  it('ignores older views', async () => {
    server.state = checkout('seen', { version: 5 });
    const { element } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(checkout('pay', { version: 4 }));
    await settled(element);
    expect(heading(element)).to.equal('Payment detected');
    server.state = checkout('pay', { version: 1, server_time: '2026-11-21T13:00:00.000000+00:00' });
    FakeStream.all.at(-1)!.send(server.state);
    await until(() => heading(element) === 'Send your payment');
  });

  it('returns to the shop after the payment, unless the page prevents it', async () => {
    const { element, events } = await open();
    element.addEventListener('checkout-close', (event) => event.preventDefault());
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => textOf(element).includes('Taking you back'));
    await until(() => spoken(element).includes('Taking you back to the shop'));
    await expect(element).to.be.accessible();
    await until(() => names(events).includes('checkout-close'));
    expect(
      (events.find(({ type }) => type === 'checkout-close') as CheckoutCloseEvent).stage,
    ).to.equal('paid');
    expect((deep(element, '[part=success-link]')[0] as HTMLAnchorElement).href).to.equal(
      'https://shop.example/thanks',
    );
  });

  const acts: Record<string, (element: CryptoCheckout) => void> = {
    'wants to stay': (element) => deep(element, '[part=stay-button]')[0]!.click(),
    'looks at something else here': (element) => deep(element, 'summary')[0]!.click(),
    'puts it away': (element) => void (element.style.display = 'none'),
  };
  for (const [what, act] of Object.entries(acts))
    it(`does not redirect a buyer who ${what}`, async () => {
      const { element, events } = await open();
      await until(() => FakeStream.all.length);
      FakeStream.all[0]!.send(
        checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
      );
      await until(() => deep(element, '[part=stay-button]').length);
      act(element);
      await pause(700);
      expect(names(events)).to.not.contain('checkout-close');
      expect(textOf(element)).to.not.contain('Taking you back');
      expect((deep(element, '[part=success-link]')[0] as HTMLAnchorElement).href).to.equal(
        'https://shop.example/thanks',
      );
    });

  it('pauses the redirect while its cancel button has the focus', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await until(() => deep(element, '[part=stay-button]').length);
    const [stay] = deep(element, '[part=stay-button]');
    stay!.focus();
    await pause(700);
    expect(names(events)).to.not.contain('checkout-close');
    stay!.click();
    await until(() => !deep(element, '[part=stay-button]').length);
    await until(
      () => element.shadowRoot!.activeElement?.localName === 'crypto-status',
      'the heading',
    );
    await until(() => spoken(element).includes('You stay on this page.'), 'the answer');
  });

  it('does not redirect when checkout-paid is prevented or the order was already paid', async () => {
    const { element, events } = await open();
    element.addEventListener('checkout-paid', (event) => event.preventDefault());
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send(
      checkout('paid', { version: 2, success_url: 'https://shop.example/thanks' }),
    );
    await pause(150);
    server.state = checkout('paid', { success_url: 'https://shop.example/thanks' });
    const second = await open();
    await pause(150);
    expect([...names(events), ...names(second.events)]).not.to.contain('checkout-close');
  });

  it('requests the preferred kind', async () => {
    server.once(checkout('choose'), checkout('pay', { version: 2 }));
    server.state = checkout('pay', { version: 2 });
    const { element } = await open({ kind: 'ETH_USDT' });
    await until(() => heading(element) === 'Send exactly');
    expect(server.posts.at(-1)!.body).to.deep.equal({ kind: 'ETH_USDT' });
  });

  it('does not request a kind that is not offered', async () => {
    await open({ kind: 'NOPE' });
    await pause(50);
    expect(server.posts).to.have.length(1);
  });

  it('waits silently while the tag is empty', async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => void lines.push(line);
    try {
      const { element, events } = await mount({});
      await pause(100);
      expect([events, lines, server.asked]).to.deep.equal([[], [], []]);
      expect(textOf(element)).to.not.contain('isn’t set up');
      Object.assign(element, { server: 'https://pay.example', order: 'a.b.c' });
      await until(() => heading(element) === 'Choose a coin');
      expect(lines).to.deep.equal([]);
    } finally {
      console.error = error;
    }
  });

  it('logs an empty tag and its misspelt attributes after a while', async () => {
    const lines: string[] = [];
    const { error, warn } = console;
    console.error = console.warn = (line: string) => void lines.push(line);
    try {
      const { element, events } = await mount({ sever: 'https://pay.example' });
      await until(() => lines.length > 1);
      await mount({});
      await pause(300);
      expect(lines).to.have.length(2);
      expect(lines[0]).to.match(
        /attribute sever="https:\/\/pay\.example" is unknown: is "server" meant\?/,
      );
      expect(lines[1]).to.match(
        /<crypto-checkout> is empty: set "server", .* and "order", .* "checkout" or "invoice".*"demo"/,
      );
      expect(events).to.deep.equal([]);
      element.setAttribute('demo', 'pay#1');
      await until(() => heading(element) === 'Send exactly');
    } finally {
      Object.assign(console, { error, warn });
    }
  });

  it('logs misspelt attributes of a button before it is pressed', async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void (line.startsWith('crypto-checkout:') && lines.push(line));
    const button = document.createElement('crypto-checkout-button');
    for (const [name, value] of Object.entries({
      class: 'buy',
      id: 'b',
      'data-x': '1',
      server: 'https://pay.example',
      odrer: 'a.b.c',
    }))
      button.setAttribute(name, value);
    document.body.append(button);
    try {
      await until(() => lines.length);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(/attribute odrer="a\.b\.c" is unknown: is "order" meant\?/);
    } finally {
      console.warn = warn;
      button.remove();
    }
  });

  it('accepts a locale with an underscore', async () => {
    const { element } = await open({ locale: 'de_DE' });
    expect(heading(element)).to.equal('Wähle eine Währung');
  });

  it('names the content security policy when the browser reports a violation', async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => void lines.push(line);
    try {
      server.state = failing();
      await mount({ server: 'https://pay.example', order: 't' });
      await until(() => lines.length);
      expect(lines[0]).to.match(/EMBED_ORIGINS name http.* connect-src/);
      for (const [effectiveDirective, blockedURI] of [
        ['img-src', 'https://pay.example/a.png'],
        ['connect-src', 'https://other.example/'],
        ['connect-src', 'https://pay.example/checkouts'],
      ])
        document.dispatchEvent(
          Object.assign(new Event('securitypolicyviolation'), { effectiveDirective, blockedURI }),
        );
      expect(lines.slice(1)).to.deep.equal([
        'crypto-checkout: the policy of this page keeps it from https://pay.example: it needs connect-src https://pay.example',
      ]);
    } finally {
      console.error = error;
    }
  });

  for (const [attributes, message] of [
    [{ mode: 'ifrmae' }, /mode="ifrmae" is none of "inline", "frame", "redirect"/],
    [{ theme: 'drak' }, /theme="drak" is none of "auto", "light", "dark"/],
    [{ header: 'no' }, /header="no" is none of "none": merchant and price are shown/],
    [
      { 'redirect-after': '5' },
      /redirect-after="5" is none of "now", "off" and the seconds from 20 to 60: .* smaller number as 20/,
    ],
    [{ 'redirect-after': '90' }, /redirect-after="90" is none of .* larger one as 60/],
    [{ 'redirect-after': 'never' }, /redirect-after="never" is none of .* other text as 20$/],
    [
      { kind: 'BITCOIN' },
      /kind="BITCOIN" is none of those offered here: "BTC_BECH32", "BTC_LIGHTNING"/,
    ],
    [
      { locale: 'klingon' },
      /locale="klingon" is none of the languages here, and English is shown: "ar", /,
    ],
    [
      { kind: 'btc_bech32' },
      /kind="btc_bech32" is none of those offered here: is "BTC_BECH32" meant\? There are "BTC_BECH32", "BTC_LIGHT/,
    ],
    [{ local: 'de' }, /attribute local="de" is unknown: is "locale" meant/],
    [{ language: 'de' }, /attribute language="de" is unknown: is "locale" meant\?$/],
    [{ lang: 'de' }, /lang="de" is not read here: is "locale" meant\?$/],
    [{ token: 'a.b.c' }, /attribute token="a.b.c" is unknown: is "order" meant\?$/],
    [{ coin: 'BTC' }, /attribute coin="BTC" is unknown: is "kind" meant\?$/],
    [
      { amount: '9.90' },
      /attribute amount="9.90" is unknown: no price comes from a page\..*"order".*POST \/checkouts/,
    ],
    [{ item: 'mug' }, /attribute item="mug" is unknown: no price comes from a page\./],
    [{ checkout: 'c1' }, /"order" and "checkout" are both set: "order" counts/],
    [
      { order: '', checkout: 'c1', invoice: 'i1' },
      /"checkout" and "invoice" are both set: "checkout" counts/,
    ],
    [
      { style: '--crypto-checkout-radius: big' },
      /--crypto-checkout-radius: big is no length, such as 12px/,
    ],
    [
      { style: '--crypto-checkout-font: Georgia' },
      /--crypto-checkout-font: Georgia is no font as the shorthand, such as 1rem\/1\.5 Georgia, serif: it is as if it were not set/,
    ],
    [
      { style: '--crypto-checkout-background: notacolour' },
      /--crypto-checkout-background: notacolour is no colour, such as #2746c7/,
    ],
    [
      { 'succes-url': 'https://shop.example/' },
      /attribute succes-url="https:\/\/shop.example\/" is unknown: is "success-url" meant/,
    ],
  ] as const)
    it(`logs the misspelling in ${JSON.stringify(attributes)} once for the page`, async () => {
      const lines: string[] = [];
      const { error, warn } = console;
      console.error = console.warn = (line: string) =>
        void (line.startsWith('crypto-checkout:') && lines.push(line));
      try {
        await open(attributes);
        await until(() => lines.length);
        await open(attributes);
        await pause(50);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(message);
      } finally {
        Object.assign(console, { error, warn });
      }
    });

  it('logs unknown custom properties where the browser lists them', async function () {
    if (!('computedStyleMap' in Element.prototype)) this.skip();
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void (line.startsWith('crypto-checkout:') && lines.push(line));
    try {
      await open({
        style:
          '--crypto-checkout-acent: red; --crypto-checkout-shadow: none; --crypto-checkout-radius: 4px; --accent: red; --crypto-chekout-radius: 0',
      });
      await until(() => lines.length > 2);
      expect(lines).to.have.length(3);
      expect(lines.join('\n')).to.match(
        /custom property --crypto-chekout-radius is unknown: is --crypto-checkout-radius meant\?/,
      );
      expect(lines.join('\n')).to.match(
        /custom property --crypto-checkout-acent is unknown: is --crypto-checkout-accent meant\?/,
      );
      expect(lines.join('\n')).to.match(
        /custom property --crypto-checkout-shadow is unknown: there are --crypto-checkout-accent, /,
      );
    } finally {
      console.warn = warn;
    }
  });

  it('accepts attributes that pages and frameworks add', async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void (line.startsWith('crypto-checkout:') && lines.push(line));
    try {
      const own = {
        class: 'a',
        id: 'b',
        slot: 'c',
        lang: 'de',
        'x-show': '1',
        'data-v-1': '',
        'aria-label': 'd',
        'ng-version': '20',
        kind: 'ETH',
      };
      await open({
        ...own,
        theme: 'dark',
        mode: 'inline',
        show: 'stage',
        locale: 'en',
        'success-url': 'https://shop.example/',
      });
      await pause(50);
      expect(lines).to.deep.equal([]);
    } finally {
      console.warn = warn;
    }
  });

  it('shows a link to the hosted page with an unknown mode', async () => {
    server.state = checkout('pay');
    const { element } = await open({ mode: 'ifrmae' });
    await until(() => deep(element, '[part=redirect-link]').length);
    expect(deep(element, 'crypto-address, crypto-qr, crypto-coin-picker, iframe')).to.deep.equal(
      [],
    );
  });

  it('reports missing attributes without throwing', async () => {
    const { element, events } = await mount({ order: 'a.b.c' });
    await until(() => textOf(element).includes('This checkout isn’t set up yet'));
    expect((events[0] as CheckoutErrorEvent).code).to.equal('setup');
    expect((events[0] as CheckoutErrorEvent).message).to.contain('server');
    element.removeAttribute('order');
    element.setAttribute('server', 'https://pay.example');
    await until(() => events.length === 2);
    expect((events[1] as CheckoutErrorEvent).message).to.contain('order');
    element.setAttribute('checkout', 'c1');
    await until(() => heading(element) === 'Choose a coin');
    expect(server.asked.at(-1)!.path).to.equal('/checkouts/c1');
  });

  for (const [mistake, attributes, state, message] of [
    [
      'an attribute that is missing',
      { server: 'https://pay.example' },
      checkout('choose'),
      /: nothing says what is to be paid: set "order".*"checkout" or "invoice"/,
    ],
    [
      'a server that does not answer',
      { server: 'https://pay.example', order: 't' },
      failing(),
      /EMBED_ORIGINS name http/,
    ],
    [
      'an id that nobody knows',
      { server: 'https://pay.example', checkout: 'c1' },
      refusing(404),
      /has no such checkout/,
    ],
    [
      'a server that is none',
      { server: 'https://pay.example', checkout: 'c1' },
      new Response('<h1>Not found</h1>', { status: 404 }),
      /something else than a checkout.*\(404 <h1>/,
    ],
    [
      'a server that takes no orders',
      { server: 'https://pay.example', order: 't' },
      new Response('', { status: 405 }),
      /something else/,
    ],
    [
      'a path of a checkout server',
      { server: 'https://pay.example/checkouts', order: 't' },
      refusing(405),
      /something else.*is it the address/,
    ],
    [
      'an order that is refused',
      { server: 'https://pay.example', order: 't' },
      refusing(400),
      /did not accept this: no "thanks" \(400, request_id r-1\)$/,
    ],
    [
      'a scenario that nobody plays',
      { demo: 'unpaid' },
      checkout('choose'),
      /not set up completely \(there is no scenario "unpaid"; there are: .*, offline\b.*\)$/,
    ],
    [
      'a scenario without a name',
      { demo: '' },
      checkout('choose'),
      /the attribute "demo" is empty: it takes the name of a scenario/,
    ],
    [
      'a scenario with a kind that nobody has',
      { demo: 'underpaid:DOGEE' },
      checkout('choose'),
      /there is no kind "DOGEE" for the scenario "underpaid": is "DOGE" meant\? There are: .*XRP/,
    ],
    [
      'a step that is none',
      { demo: 'paid#lst' },
      checkout('choose'),
      /there is no step "lst" of the scenario "paid": it has \d, and "last"/,
    ],
    [
      'a step that is not there',
      { demo: 'underpaid#9' },
      checkout('choose'),
      /there is no step "9" of the scenario "underpaid": it has \d/,
    ],
    [
      'half a scenario',
      { demo: 'underpaid late' },
      checkout('choose'),
      /there is no scenario "underpaid late": is "underpaid-late" meant\? There are: /,
    ],
    [
      'a server without https://',
      { server: 'pay.example', order: 't' },
      refusing(404),
      /server="pay.example" has to be a whole address, such as https:\/\/pay.example/,
    ],
    [
      'a server of one’s own machine',
      { server: 'localhost:8080', order: 't' },
      refusing(404),
      /such as http:\/\/localhost:8080 /,
    ],
  ] as const)
    it(`logs ${mistake} once`, async () => {
      const lines: string[] = [];
      const { error } = console;
      console.error = (line: string) => void lines.push(line);
      try {
        server.state = state;
        const { element, events } = await mount(attributes);
        await until(() => lines.length);
        await pause(100);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(message);
        // The event has the same message as the console.
        expect(`crypto-checkout: ${(events[0] as CheckoutErrorEvent).message}`).to.equal(lines[0]);
        // Of the others a repeated request would get the same answer.
        expect(deep(element, '[part=retry]')).to.have.length(
          ['network', 'not_found'].includes((events[0] as CheckoutErrorEvent).code) ? 1 : 0,
        );
      } finally {
        console.error = error;
      }
    });

  it('opens an invoice by its id', async () => {
    await mount({ server: 'https://pay.example/', invoice: 'a/b' });
    await until(() => server.asked.length);
    expect(server.asked[0]!.path).to.equal('/checkouts/a%2Fb');
  });

  it('shows another checkout when its attribute changes', async () => {
    const { element, events } = await open();
    server.state = checkout('pay', { id: 'second' });
    element.setAttribute('order', 'other');
    await until(() => element.checkout?.id === 'second');
    expect(names(events)).to.deep.equal(['checkout-ready', 'checkout-ready']);
  });

  it('retries while the server is down and reports it once', async () => {
    server.state = failing();
    const { element, events } = await mount({ server: 'https://pay.example', order: 't' });
    await until(() => textOf(element).includes('cannot be reached'));
    await until(() => server.asked.length > 2);
    server.state = checkout('choose');
    await until(() => heading(element) === 'Choose a coin');
    expect(names(events)).to.deep.equal(['checkout-error', 'checkout-ready']);
  });

  it('respects retry-after', async () => {
    server.state = refusing(429, { 'retry-after': '40' });
    const { element } = await mount({ server: 'https://pay.example', order: 't' });
    await until(() => textOf(element).includes('busy at the moment'));
    await pause(400);
    expect(server.asked).to.have.length(1);
    await until(() => server.asked.length === 2);
  });

  it('retries a link that was not found on request alone', async () => {
    server.state = refusing(404);
    const { element, events } = await mount({ server: 'https://pay.example', checkout: 'gone' });
    await until(() => textOf(element).includes('find this payment'));
    await pause(300);
    expect(server.asked).to.have.length(1);
    expect((events[0] as CheckoutErrorEvent).code).to.equal('not_found');
    await expect(element).to.be.accessible();
    server.state = checkout('choose');
    (deep(element, '[part=retry]')[0] as HTMLButtonElement).click();
    await until(() => heading(element) === 'Choose a coin');
  });

  it('offers the shop’s help where nothing can be paid', async () => {
    server.state = refusing(404);
    const contact = 'mailto:help@shop.example';
    const { element } = await mount({ server: 'https://pay.example', checkout: 'gone', contact });
    await until(() => deep(element, '[part=contact-link]').length);
    const [link] = deep(element, '[part=contact-link]') as HTMLAnchorElement[];
    expect(link!.href).to.equal(contact);
    expect(link!.textContent.trim()).to.equal('Contact the shop');
    await expect(element).to.be.accessible();
    element.setAttribute('contact', 'javascript:alert(1)');
    await until(() => !deep(element, '[part=contact-link]').length);
  });

  it('leads to the front page of the shop where it names no help', async () => {
    for (const attributes of [
      { order: 'a.b.c' },
      { order: 't', server: 'https://pay.example' },
      { order: 't', server: 'https://pay.example', contact: 'javascript:alert(1)' },
    ]) {
      server.state = refusing(403);
      const { element } = await mount(attributes);
      await until(() => deep(element, '[part=shop-link]').length, JSON.stringify(attributes));
      const [link] = deep(element, '[part=shop-link]') as HTMLAnchorElement[];
      expect(link!.href).to.equal(`${location.origin}/`);
      expect(link!.textContent.trim()).to.equal('Back to the shop');
      expect(deep(element, '.primary')).to.deep.equal([link]);
      await expect(element).to.be.accessible();
    }
    // An error that may pass has a retry first.
    server.state = new TypeError('Failed to fetch');
    const { element: away } = await mount({ order: 't', server: 'https://pay.example' });
    await until(() => deep(away, '[part=shop-link]').length, 'without a connection');
    expect(deep(away, '.primary').map(({ part }) => part.value)).to.deep.equal(['retry']);
    away.remove();
    const contact = 'https://shop.example/help';
    const { element } = await mount({ order: 'a.b.c', contact });
    await until(() => deep(element, '[part=contact-link]').length);
    expect(deep(element, '[part=shop-link]')).to.deep.equal([]);
  });

  it('retries on request where that helps', async () => {
    server.state = new Response('<h1>Down</h1>');
    const { element } = await mount({ server: 'https://pay.example', order: 't' });
    await until(() => textOf(element).includes('couldn’t load this payment'));
    server.state = checkout('choose');
    (deep(element, '[part=retry]')[0] as HTMLButtonElement).click();
    await until(() => heading(element) === 'Choose a coin');
  });

  it('keeps the coins on the screen when a choice is refused, and shows the error', async () => {
    const { element, events } = await open();
    server.once(refusing(409));
    (deep(element, 'form')[0] as HTMLFormElement).requestSubmit();
    await until(() => textOf(element).includes('This coin can’t be used right now'));
    expect((events.at(-1) as CheckoutErrorEvent).code).to.equal('refused');
    const kinds = new Set(
      (deep(element, 'input[type=radio]') as HTMLInputElement[]).map(({ value }) => value),
    );
    expect(kinds.size).to.equal(COINS.length);
    await until(() => spoken(element).includes('This coin can’t be used right now'));
  });

  it('has a single live region', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    (deep(element, '[part=copy-button]')[0] as HTMLButtonElement).click();
    await until(() => spoken(element) !== '');
    expect(deep(element, '[role=status], [aria-live]')).to.have.length(1);
  });

  it('leaves no empty status for screen readers', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => deep(element, '[aria-live]').length);
    expect(deep(element, '[role=status]')).to.have.length(0);
  });
});
