import { expect } from '@open-wc/testing';
import type { CheckoutErrorEvent } from '../src/index.ts';
import { type FakeServer, failing, mount, open, pause, refusing, serveEach, until } from './server.ts';

const SCRIPT = new Response('', { headers: { 'content-type': 'text/javascript; charset=utf-8' } });

describe('advice to the shop’s developer', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  let lines: string[];
  const { error, warn } = console;
  beforeEach(() => {
    lines = [];
    console.error = console.warn = (line: string) => void (line.startsWith('crypto-checkout:') && lines.push(line));
  });
  afterEach(() => Object.assign(console, { error, warn }));

  for (const [attributes, told] of [
    [
      { 'oncheckout-paid': 'paid()' },
      /oncheckout-paid="paid\(\)" is unknown: no attribute hears .* element\.addEventListener\('checkout-paid', \(event\) => …\)$/,
    ],
    [{ onpaid: 'paid()' }, /onpaid=.*addEventListener\('checkout-paid'/],
    [{ onsuccess: 'paid()' }, /onsuccess=.*addEventListener\('checkout-paid'/],
    [{ onfailure: 'f()' }, /onfailure=.*addEventListener\('checkout-error'/],
    [{ onstatus: 'f()' }, /onstatus=.*addEventListener\('checkout-change'/],
    [{ token: `eyJ${'x'.repeat(400)}.secret` }, /attribute token="eyJx{37}…" is unknown: is "order" meant\?$/],
    [{ locale: 'german' }, /locale="german" is none of the languages here, .*"el", "en", "es"/],
  ] as const)
    it(`says of ${JSON.stringify(attributes).slice(0, 50)} what is meant`, async () => {
      await open(attributes);
      await until(() => lines.length);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(told);
    });

  it('keeps quiet about handlers of the browser’s own, and of others', async () => {
    await open({ onclick: 'void 0', onfrobnicate: 'void 0', onpaid: 'other()' });
    await until(() => lines.length);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('onpaid=');
  });

  it('says which scenario is nearly the one that was written', async () => {
    await mount({ demo: 'underpayed#2' });
    await until(() => lines.length);
    expect(lines[0]).to.match(/there is no scenario "underpayed#2": is "underpaid" meant\? There are: .*offline/);
  });

  for (const [what, address, found, told] of [
    [
      'a checkout server that does not let the page in',
      '',
      '/crypto-checkout.js',
      /pay\.example is a checkout server, .*EMBED_ORIGINS name http:/,
    ],
    ['a path too much', '/pay/', '/crypto-checkout.js', /the checkout server is at https:\/\/pay\.example: without the path/],
    ['a checkout server below a path', '/pay/', '/pay/crypto-checkout.js', /example\/pay\/ is a checkout server, .*EMBED_ORIGINS/],
    [
      'something that is no checkout server',
      '',
      '/',
      /what is at https:\/\/pay\.example answers, but not to this page: .*payment service.*EMBED_ORIGINS/,
    ],
    ['nothing', '', '/elsewhere', /pay\.example cannot be reached from here: .*EMBED_ORIGINS.*connect-src\?/],
  ] as const)
    it(`looks what is at an address that did not answer: ${what}`, async () => {
      server.state = failing();
      server.found.set(found, SCRIPT);
      const { events } = await mount({ server: `https://pay.example${address}`, order: 't' });
      await until(() => lines.length);
      expect(lines[0]).to.match(told);
      expect((events[0] as CheckoutErrorEvent).message).to.contain('EMBED_ORIGINS');
      await pause(200);
      expect(lines).to.have.length(1);
    });

  it('looks nowhere for what a scenario plays', async () => {
    server.found.set('/crypto-checkout.js', SCRIPT);
    await mount({ server: 'https://pay.example', demo: 'error-network#1' });
    await until(() => lines.length);
    expect(lines[0]).to.match(/pay\.example cannot be reached from here/);
  });

  it('hands on to the page what sdk2.js has said already, and does not say it again', async () => {
    server.state = refusing(400);
    const { events } = await mount({ server: 'https://pay.example', 'data-told': 'the server does not take this price' });
    await until(() => events.length);
    expect((events[0] as CheckoutErrorEvent).message).to.equal('the server does not take this price');
    expect(lines).to.deep.equal([]);
  });
});
