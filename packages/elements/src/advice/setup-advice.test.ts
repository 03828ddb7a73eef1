import { expect } from '@open-wc/testing';
import type { CheckoutErrorEvent, CryptoCheckout } from '../index.ts';
import {
  type FakeServer,
  failing,
  mount,
  open,
  pause,
  refusing,
  serveEach,
  settled,
  until,
} from '../../test/support/fake-server.ts';

const SCRIPT = new Response('', { headers: { 'content-type': 'text/javascript; charset=utf-8' } });

describe('setup advice in the console', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  let lines: string[];
  const { error, warn } = console;
  beforeEach(() => {
    lines = [];
    console.error = console.warn = (line: string) =>
      void (line.startsWith('crypto-checkout:') && lines.push(line));
  });
  afterEach(() => Object.assign(console, { error, warn }));

  for (const [attributes, logged] of [
    [
      { 'oncheckout-paid': 'paid()' },
      /oncheckout-paid="paid\(\)" is unknown: no attribute hears .* element\.addEventListener\('checkout-paid', \(event\) => …\)$/,
    ],
    [{ onpaid: 'paid()' }, /onpaid=.*addEventListener\('checkout-paid'/],
    [{ onsuccess: 'paid()' }, /onsuccess=.*addEventListener\('checkout-paid'/],
    [{ onfailure: 'f()' }, /onfailure=.*addEventListener\('checkout-error'/],
    [{ onstatus: 'f()' }, /onstatus=.*addEventListener\('checkout-change'/],
    [
      { token: `eyJ${'x'.repeat(400)}.secret` },
      /attribute token="eyJx{37}…" is unknown: is "order" meant\?$/,
    ],
    [
      { src: 'https://pay.example' },
      /attribute src="https:\/\/pay\.example" is unknown: is "server" meant\?$/,
    ],
    [{ locale: 'german' }, /locale="german" is none of the languages here, .*"el", "en", "es"/],
  ] as const)
    it(`suggests a correction for ${JSON.stringify(attributes).slice(0, 50)}`, async () => {
      await open(attributes);
      await until(() => lines.length);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(logged);
    });

  it('ignores handlers of native events and of frameworks', async () => {
    await open({ onclick: 'void 0', onfrobnicate: 'void 0', onpaid: 'other()' });
    await until(() => lines.length);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('onpaid=');
  });

  it('suggests the scenario with the nearest name', async () => {
    await mount({ demo: 'underpayed#2' });
    await until(() => lines.length);
    expect(lines[0]).to.match(
      /there is no scenario "underpayed#2": is "underpaid" meant\? There are: .*offline/,
    );
  });

  for (const [what, address, found, logged] of [
    [
      'a checkout server that does not let the page in',
      '',
      '/crypto-checkout.js',
      /pay\.example is a checkout server, .*EMBED_ORIGINS name http:/,
    ],
    [
      'a path too much',
      '/pay/',
      '/crypto-checkout.js',
      /the checkout server is at https:\/\/pay\.example: without the path/,
    ],
    [
      'a checkout server below a path',
      '/pay/',
      '/pay/crypto-checkout.js',
      /example\/pay\/ is a checkout server, .*EMBED_ORIGINS/,
    ],
    [
      'something that is no checkout server',
      '',
      '/',
      /what is at https:\/\/pay\.example answers, but not to this page: .*payment service.*EMBED_ORIGINS/,
    ],
    [
      'nothing',
      '',
      '/elsewhere',
      /pay\.example cannot be reached from here: .*does it speak https, .*EMBED_ORIGINS.*connect-src\?/,
    ],
  ] as const)
    it(`probes an address that did not answer: ${what}`, async () => {
      server.state = failing();
      server.found.set(found, SCRIPT);
      const { events } = await mount({ server: `https://pay.example${address}`, order: 't' });
      await until(() => lines.length);
      expect(lines[0]).to.match(logged);
      expect((events[0] as CheckoutErrorEvent).message).to.contain('EMBED_ORIGINS');
      await pause(200);
      expect(lines).to.have.length(1);
    });

  it('sends no probe for a scenario', async () => {
    server.found.set('/crypto-checkout.js', SCRIPT);
    await mount({ server: 'https://pay.example', demo: 'error-network#1' });
    await until(() => lines.length);
    expect(lines[0]).to.match(/pay\.example cannot be reached from here/);
  });

  /** Advice about properties that a script has set. */
  async function sdk2Message(
    properties: Record<string, unknown>,
    tag = 'crypto-checkout',
  ): Promise<CheckoutErrorEvent> {
    const element = document.createElement(tag) as CryptoCheckout;
    const events: CheckoutErrorEvent[] = [];
    element.addEventListener('checkout-error', (event) => events.push(event));
    Object.assign(element, properties);
    document.body.append(element);
    if ('open' in element) await (element as unknown as { open(): Promise<void> }).open();
    await until(() => events.length);
    element.remove();
    return events[0]!;
  }
  const SERVER = 'https://pay.example';

  for (const tag of ['crypto-checkout', 'crypto-checkout-button'])
    for (const [what, properties, logged] of [
      [
        'a promise for an order',
        { order: Promise.resolve('a.b.c') },
        /"order" is a Promise, and no text: is `await` missing\? It takes a token that the shop's server signs$/,
      ],
      [
        'an object for an order',
        { order: { order_id: '7' } },
        /"order" is an Object, and no text: it takes a token that the shop's server signs$/,
      ],
      [
        'what was written into HTML',
        { order: '[object Response]' },
        /"order" is a Response, and no text: is `await` missing\? /,
      ],
      [
        'an object for an id',
        { checkoutId: { id: 'c1', stage: 'choose' } },
        /"checkout" is an Object, and no text: it takes the id of a checkout, such as "id" in the answer of POST \/checkouts$/,
      ],
      [
        'an object for what is shown',
        { checkout: { status: 'new' } },
        /"checkout" is an Object, and no text: it takes the id/,
      ],
      [
        'a promise for an invoice',
        { invoice: Promise.resolve('i1') },
        /"invoice" is a Promise, and no text: .* It takes the id of an invoice$/,
      ],
    ] as const)
      it(`rejects a value of the wrong type without a request: ${what}, ${tag}`, async () => {
        const { code, message } = await sdk2Message({ server: SERVER, ...properties }, tag);
        expect([code, server.asked]).to.deep.equal(['setup', []]);
        expect(message).to.match(logged);
        expect(lines).to.deep.equal([`crypto-checkout: ${message}`]);
      });

  it('names the id of an unknown checkout', async () => {
    server.state = refusing(404);
    const { code, message } = await sdk2Message({ server: SERVER, checkoutId: 'c1' });
    expect(code).to.equal('not_found');
    expect(message).to.match(
      /has no such checkout, "c1": check the id in "checkout" or "invoice" and the address in "server"\./,
    );
  });

  it('accepts a URL object as the server address', async () => {
    const { element } = await mount({ order: 'a.b.c' });
    Object.assign(element, { server: new URL('https://pay.example/') });
    await until(() => element.checkout);
    expect(server.asked[0]!.path).to.equal('/checkouts');
    element.mode = 'frame';
    await until(() => element.shadowRoot!.querySelector('iframe'));
    expect(element.shadowRoot!.querySelector('iframe')!.src).to.match(
      /^https:\/\/pay\.example\/frame\//,
    );
  });

  it('always dispatches an error code', async () => {
    const { code, message } = await sdk2Message({ server: SERVER, order: Object.create(null) });
    expect(code).to.equal('setup');
    expect(message).to.contain('"order" is an Object, and no text: ');
  });

  it('reports missing attributes of a button when it is pressed', async () => {
    const { code, message } = await sdk2Message({}, 'crypto-checkout-button');
    expect([code, server.asked]).to.deep.equal(['setup', []]);
    expect(message).to.match(/^a <crypto-checkout-button> is empty: set "server", .* and "order"/);
    expect(lines).to.deep.equal([`crypto-checkout: ${message}`]);
  });

  it('formats an answer without a status', async () => {
    server.state = new Response('', { status: 404 });
    const { message } = await sdk2Message({ server: SERVER, order: 'a.b.c' });
    expect(message).to.match(/is it the address of the checkout server\? \(404\)$/);
  });

  for (const [what, tag, found, content] of [
    ['headings', 'crypto-checkout', 'h2', '<h2>About us</h2>'],
    ['forms', 'crypto-checkout-button', 'form', 'Pay <div><form></form></div>'],
    ['a paragraph up to the end', 'crypto-checkout', 'p', '\n<p>Delivered in two days</p>\n'],
    ['several links', 'crypto-checkout', 'a', '<p><a href="#a">A</a> <a href="#b">B</a></p>'],
    [
      'several buttons',
      'crypto-checkout-button',
      'button',
      '<button>Pay</button><button>Other</button>',
    ],
  ] as const)
    it(`asks about an unclosed tag with unexpected content: ${what}`, async () => {
      const element = document.body.appendChild(document.createElement(tag));
      for (const [name, value] of Object.entries({ server: SERVER, order: 'a.b.c' }))
        element.setAttribute(name, value);
      element.innerHTML = content;
      await until(() => lines.length);
      expect(lines[0]).to.match(
        new RegExp(
          `there is more inside a <${tag}> than belongs there, such as <${found}>: .*</${tag}>`,
        ),
      );
      element.remove();
    });

  it('accepts a label, or one link or button for pages without a script', async () => {
    for (const content of [
      'Pay <b>now</b>',
      '<a href="https://pay.example/pay/c1/">Pay</a>',
      '<button>Pay</button>',
    ]) {
      const button = document.body.appendChild(document.createElement('crypto-checkout-button'));
      Object.assign(button, { server: SERVER, order: 'a.b.c' });
      button.innerHTML = content;
      await button.open();
      await until(() => button.checkout);
      button.remove();
    }
    await open();
    expect(lines).to.deep.equal([]);
  });

  it('accepts a paragraph for pages without a script', async () => {
    for (const page of [
      '<crypto-checkout>\n<p>Please wait</p>\n</crypto-checkout>\n',
      '<crypto-checkout><p>Please wait</p></crypto-checkout>',
      '<crypto-checkout>\n<p>Or <a href="#pay">pay there</a></p></crypto-checkout>',
    ]) {
      const shop = document.body.appendChild(document.createElement('div'));
      shop.innerHTML = page.replace('>', ` server="${SERVER}" order="a.b.c">`);
      const element = shop.querySelector('crypto-checkout')!;
      await until(() => element.checkout);
      await settled(element);
      shop.remove();
    }
    expect(lines).to.deep.equal([]);
  });

  it('forwards the message of sdk2.js without logging it again', async () => {
    server.state = refusing(400);
    const { events } = await mount({
      server: 'https://pay.example',
      'data-error': 'the server does not take this price',
    });
    await until(() => events.length);
    expect((events[0] as CheckoutErrorEvent).message).to.equal(
      'the server does not take this price',
    );
    expect(lines).to.deep.equal([]);
  });
});
