import { expect } from '@open-wc/testing';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorEvent } from '../src/index.ts';
import { checkout, payment } from './fixture.ts';
import { FakeServer, FakeStream, deep, heading, mount, open, pause, settled, textOf, until } from './server.ts';

const TEXTS = [
  '<script>window.hacked = 1</script>',
  '"><img src=x onerror="window.hacked = 1">',
  "'-window.hacked=1-'",
  '</template><svg onload="window.hacked = 1">',
  'javascript:window.hacked=1',
  '${window.hacked=1}',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202egpj.exe',
  '\u0000\u0007',
  '<style>*{display:none}</style>',
  '&lt;b&gt;',
  'x'.repeat(5000),
];

const LINKS = [
  'javascript:window.hacked=1',
  'JaVaScRiPt:window.hacked=1',
  ' javascript:window.hacked=1',
  '\tjavascript:window.hacked=1',
  'java\nscript:window.hacked=1',
  'data:text/html,<script>1</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://x/y',
  '//evil.example',
  'http://evil.example',
  'http://localhost.evil.example/',
  'ftp://evil.example',
  'about:blank',
  '/relative',
  'bitcoin:',
];

const allOver = (text: string): Checkout => {
  const base = payment();
  return checkout('underpaid', {
    notes: [text, 'overpaid'],
    merchant: { name: text, contact: text },
    order: { order_id: text, description: text, amount: { amount: text, currency: text } },
    coins: [1, 2].map((number) => ({
      kind: `${text}${number}`,
      name: text,
      network: text,
      symbol: text,
      approx: text,
      usual_seconds: null,
      gas: text,
    })),
    payment: {
      ...base,
      kind: text,
      name: text,
      network: text,
      symbol: text,
      address: text,
      tag: text,
      rate: text,
      paid: text,
      due: text,
      remaining: text,
      strings: { qr: text, link: text, address: text, amount: `1${text}`, tag: text },
      qr: { size: 21, path: text },
      transactions: [{ txid: text, status: text, amount: text, confirmations: 0, created_at: text, explorer_url: text }],
    },
    shop_url: text,
    success_url: text,
  });
};

describe('answers that are not meant well', () => {
  let server: FakeServer;
  let thrown: unknown[] = [];
  const onError = (event: ErrorEvent | PromiseRejectionEvent): void => void thrown.push('reason' in event ? event.reason : event.error);
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    thrown = [];
    addEventListener('error', onError);
    addEventListener('unhandledrejection', onError);
  });
  afterEach(() => {
    server.stop();
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onError);
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
    expect(thrown).to.deep.equal([]);
    expect((window as { hacked?: unknown }).hacked).to.equal(undefined);
  });

  it('draws every text as text', async () => {
    for (const text of TEXTS) {
      server.state = allOver(text);
      const { element } = await open();
      expect(deep(element, 'script, img, style, iframe, object, embed, [onload], [onerror]')).to.have.length(0);
      expect(deep(element, 'b')[0]!.textContent).to.equal(text);
      element.remove();
    }
    await pause(20);
  });

  it('makes links only of what is one', async () => {
    for (const link of LINKS) {
      const base = payment();
      server.state = checkout('paid', {
        shop_url: link,
        success_url: link,
        notes: ['reusable'],
        payment: {
          ...base,
          expires_at: null,
          strings: { ...base.strings, link },
          transactions: [{ txid: 't', status: 'x', amount: '1', confirmations: 0, created_at: '', explorer_url: link }],
        },
      });
      const { element } = await open();
      expect(
        deep(element, 'a').map((anchor) => anchor.getAttribute('href')),
        link,
      ).to.deep.equal([]);
      element.remove();
    }
  });

  it('says that it does not understand, for everything that is no checkout', async () => {
    for (const body of [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      '<html>',
      '{"id":"x"}',
      '{"id":1,"stage":2}',
      '{"id":"x","stage":"pay"}',
      '{"id":"x","stage":"pay","notes":[],"coins":[],"payment":{}}',
    ]) {
      server.state = new Response(body, { headers: { 'content-type': 'application/json' } });
      const { element, events } = await mount({ server: 'https://pay.example', checkout: 'c' });
      await until(() => textOf(element).includes('does not understand'), body);
      expect((events[0] as CheckoutErrorEvent).code).to.equal('malformed');
      element.remove();
    }
  });

  it('says so too when parts of a checkout are something else', async () => {
    const wrong: unknown[] = [1, true, null, [], {}, [null], [[]], 'x'];
    const whole = checkout('pay') as unknown as Record<string, unknown>;
    for (const name of Object.keys(whole))
      for (const value of wrong) {
        if (name === 'id' || name === 'stage') continue;
        server.state = { ...whole, [name]: value } as unknown as Checkout;
        const { element } = await mount({ server: 'https://pay.example', checkout: 'c' });
        await until(() => heading(element) !== '', `${name}: ${JSON.stringify(value)}`);
        element.remove();
      }
    const part = whole['payment'] as Record<string, unknown>;
    for (const name of Object.keys(part))
      for (const value of wrong) {
        server.state = { ...whole, payment: { ...part, [name]: value } } as unknown as Checkout;
        const { element } = await mount({ server: 'https://pay.example', checkout: 'c' });
        await until(() => heading(element) !== '', `payment.${name}: ${JSON.stringify(value)}`);
        await settled(element);
        element.remove();
      }
  }).timeout(60_000);

  it('keeps what it has when the stream sends rubbish', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send('{"not":"it"');
    await settled(element);
    expect(heading(element)).to.equal('Choose how to pay');
    expect((events.at(-1) as CheckoutErrorEvent).code).to.equal('malformed');
  });

  it('survives a server attribute that is none', async () => {
    for (const address of ['javascript:alert(1)', 'http://', '::', 'ftp://x']) {
      const { element, events } = await mount({ server: address, checkout: 'c' });
      await until(() => events.length, address);
      element.remove();
    }
  });

  it('survives a snapshot that is none', async () => {
    const { element } = await mount({ server: 'https://pay.example', checkout: 'c', snapshot: '{"id":' });
    await until(() => heading(element) === 'Choose how to pay');
  });
});
