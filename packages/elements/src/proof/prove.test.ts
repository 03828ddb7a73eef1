import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { expect, fixture, html } from '@open-wc/testing';
import vectors from '../../../protocol/test/vectors/address-proof.json' with { type: 'json' };
import { FakeServer, FakeStream, pause, until } from '../../test/support/fake-server.ts';
import { checkout, payment } from '../../test/support/fixture.ts';
import type { CheckoutHost } from '../core/contracts.ts';
import type { CheckoutErrorEvent, CryptoCheckout } from '../index.ts';
import type { CheckoutSource } from '../server/source.ts';

const KEY = vectors.key.x;
const OTHER_KEY = '__________________________________________8';
const EVIL = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

const base64Url = (text: string): string =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const orderToken = (claims: object = {}): string =>
  `e30.${base64Url(JSON.stringify({ order_id: '1001', amount: '18.50', currency: 'USD', ...claims }))}.c2ln`;

/** A view with the payment of a vector, whose other texts come from a changed server. */
function viewOf(why: string, change: (payment: CheckoutPayment) => object = () => ({})): Checkout {
  const vector = vectors.cases.find((one) => one.why === why)!;
  const { invoiceId, orderId, requested, kind, network, target, tag, invoiced, expiresAt } =
    vector.payment;
  const isLightning = kind === 'BTC_LIGHTNING';
  const own = payment({
    invoice_id: invoiceId,
    kind,
    name: 'Evil coin',
    network: 'Evil network',
    symbol: 'EVIL',
    address: isLightning ? null : target,
    lightning: isLightning ? { payment_request: target, lnurl: null } : null,
    tag,
    x_address: EVIL,
    public_address: EVIL,
    due: '9',
    remaining: '9',
    strings: {
      qr: `bitcoin:${EVIL}?amount=9`,
      link: `bitcoin:${EVIL}?amount=9`,
      address: EVIL,
      amount: '9',
      tag: '666',
    },
    expires_at: expiresAt,
    proof: { kid: vectors.key.kid, signature: vector.signature },
    signed_terms: {
      order_id: orderId,
      amount: requested.amount,
      currency: requested.currency,
      invoiced,
      expires_at: expiresAt,
    },
  });
  const view = checkout('pay', { payment: { ...own, ...change(own) } });
  return {
    ...view,
    network,
    server_time: '2026-11-21T06:01:00.000000+00:00',
    order: { ...view.order, order_id: '1001', amount: { amount: '18.50', currency: 'USD' } },
    onramp: `https://buy.example/?address=${EVIL}`,
  };
}

/** Codes of the errors of the last element. */
let errors: string[] = [];
const server = new FakeServer();
beforeEach(() => server.start());
afterEach(() => server.stop());

async function show(
  view: Checkout,
  { key = KEY, order = orderToken(), mode }: { key?: string; order?: string; mode?: string } = {},
): Promise<CryptoCheckout> {
  server.state = view;
  errors = [];
  const element = await fixture<CryptoCheckout>(
    html`<crypto-checkout
      server="https://pay.example"
      order=${order}
      proof-key=${key}
      mode=${mode ?? 'inline'}
      @checkout-error=${(event: CheckoutErrorEvent) => errors.push(event.code)}
    ></crypto-checkout>`,
  );
  await until(() => element.checkout ?? errors.length, 'a view or an error');
  await element.updateComplete;
  return element;
}

/** Everything that the element shows, in all its shadow roots; Lit's marks hold a random number. */
function markup(root: Element | ShadowRoot): string {
  const inner = [...root.querySelectorAll('*')].map((one) =>
    one.shadowRoot ? markup(one.shadowRoot) : '',
  );
  return root.innerHTML.replaceAll(/lit\$\d+\$/g, '') + inner.join('');
}

/** The element shows an error and no payment. */
async function showsNothing(element: CryptoCheckout, code = 'tampered'): Promise<void> {
  expect(errors).to.deep.equal([code]);
  const status = element.shadowRoot!.querySelector('crypto-status');
  await until(() => status?.shadowRoot?.textContent?.match(/payment|checkout/), 'a sentence');
  const text = markup(element.shadowRoot!);
  expect(element.checkout).to.equal(null);
  expect(element.shadowRoot!.querySelector('crypto-qr, crypto-address, crypto-amount')).to.equal(
    null,
  );
  for (const { payment: one } of vectors.cases) expect(text).not.to.contain(one.target);
  expect(text).not.to.contain(EVIL);
}

it('loads no module for proofs without the attribute', async () => {
  server.state = checkout('pay');
  const element = await fixture<CryptoCheckout>(
    html`<crypto-checkout server="https://pay.example" order="x"></crypto-checkout>`,
  );
  await until(() => element.checkout, 'a view');
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  expect(loaded.filter((name) => /\/src\/proof\/(?!prove\.test)/.test(name))).to.deep.equal([]);
});

describe('proof-key', () => {
  it('shows address, amount, code, link and copies from proven values alone', async () => {
    const element = await show(viewOf('an address'));
    await until(() => element.shadowRoot?.querySelector('crypto-qr'), 'the code');
    const { payment: proven, onramp } = element.checkout!;
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
    expect(proven).to.deep.include({
      address,
      tag: null,
      name: 'Bitcoin',
      symbol: 'BTC',
      due: '0.00037',
      remaining: '0.00037',
      x_address: null,
      public_address: null,
    });
    expect(proven!.strings).to.deep.equal({
      qr: `bitcoin:${address.toUpperCase()}?amount=0.00037`,
      link: `bitcoin:${address}?amount=0.00037`,
      address,
      amount: '0.00037',
      tag: null,
    });
    expect(onramp).to.equal(null);
    const text = markup(element.shadowRoot!);
    expect(text).to.contain(address);
    for (const evil of [EVIL, 'Evil', 'EVIL', '666']) expect(text).not.to.contain(evil);
  });

  it('names the given key and that of the signature in the console, once', async () => {
    const { error } = console;
    const said: string[] = [];
    console.error = (line: unknown) => said.push(String(line));
    const other = 'B'.repeat(43);
    try {
      for (let times = 0; times < 2; times += 1)
        await showsNothing(await show(viewOf('an address'), { key: other }));
      await until(() => said.length > 0, 'a line in the console');
      await pause(50);
    } finally {
      console.error = error;
    }
    expect(said).to.have.length(1);
    for (const part of [other, vectors.key.kid, 'proof-keys list'])
      expect(said[0]).to.contain(part);
  });

  it('shows the tag of XRP, and a lightning request of a test network', async () => {
    const xrp = await show(viewOf('a destination tag'));
    expect(xrp.checkout!.payment).to.deep.include({ tag: '12345', symbol: 'XRP' });
    expect(xrp.checkout!.payment!.strings.qr).to.contain('dt=12345');
    const lightning = await show(viewOf('a lightning request on a test network'));
    expect(lightning.checkout!.payment!.strings).to.deep.include({
      address: 'lntb398u1pexample',
      qr: 'lightning:LNTB398U1PEXAMPLE',
    });
  });

  /** The payment of an address with the request beside it, as the vectors sign them. */
  const both = (change: (payment: CheckoutPayment) => object = () => ({})): Checkout => {
    const beside = vectors.cases.find(({ why }) => why.startsWith('the lightning request beside'))!;
    return viewOf('an address', (own) => {
      const shown = {
        ...own,
        lightning: { payment_request: beside.payment.target, lnurl: null },
        lightning_proof: { kid: vectors.key.kid, signature: beside.signature },
      };
      return { ...shown, ...change(shown) };
    });
  };

  it('shows an address and the lightning request beside it, each with its own proof', async () => {
    const element = await show(both());
    const { payment: proven } = element.checkout!;
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
    expect(proven).to.deep.include({
      address,
      lightning: { payment_request: 'lnbc370u1pexample', lnurl: null },
    });
    expect(proven!.strings).to.deep.include({
      qr: `bitcoin:${address.toUpperCase()}?amount=0.00037&lightning=LNBC370U1PEXAMPLE`,
      link: `bitcoin:${address}?amount=0.00037&lightning=lnbc370u1pexample`,
      address,
    });
    await until(() => markup(element.shadowRoot!).includes('lnbc37'), 'the request');
    expect(markup(element.shadowRoot!)).to.contain(address);
  });

  const changesOfBoth: Record<string, (payment: CheckoutPayment) => object> = {
    'another request': () => ({ lightning: { payment_request: 'lnbc370u1pevil', lnurl: null } }),
    'an LNURL in place of the request': () => ({
      lightning: { payment_request: null, lnurl: 'LNURL1EVIL' },
    }),
    'no proof of the request': () => ({ lightning_proof: null }),
    "the address's proof for the request": ({ proof }) => ({ lightning_proof: proof }),
    "the request's proof for the address": ({ lightning_proof }) => ({ proof: lightning_proof }),
    'no proof of the address': () => ({ proof: null }),
    'another address': () => ({ address: EVIL }),
  };
  for (const [name, change] of Object.entries(changesOfBoth))
    it(`shows nothing of an address and a request with ${name}`, async () => {
      await showsNothing(await show(both(change)));
    });

  it('accepts a proof by either of two keys', async () => {
    for (const key of [`${OTHER_KEY} ${KEY}`, ` ${KEY}\n${OTHER_KEY} `])
      expect((await show(viewOf('an address'), { key })).checkout?.payment).to.be.an('object');
  });

  it('shows the rest after a part payment, but never more than the proven amount', async () => {
    const part = await show(viewOf('an address', () => ({ remaining: '0.0001', paid: '0.00027' })));
    expect(part.checkout!.payment!.strings.amount).to.equal('0.0001');
  });

  const changes: Record<string, (payment: CheckoutPayment) => object> = {
    'another address': () => ({ address: EVIL }),
    'another amount': ({ signed_terms }) => ({
      signed_terms: { ...signed_terms!, invoiced: '0.9' },
    }),
    'another requested amount': ({ signed_terms }) => ({
      signed_terms: { ...signed_terms!, amount: '1.00' },
    }),
    'another expiry': ({ signed_terms }) => ({
      signed_terms: { ...signed_terms!, expires_at: '2027-01-01T00:00:00.000000+00:00' },
    }),
    'a tag': () => ({ tag: '666' }),
    'another coin': () => ({ kind: 'LTC' }),
    'another invoice': () => ({ invoice_id: '11111111-1111-4111-8111-111111111111' }),
    'no proof': () => ({ proof: null }),
    'no signed terms': () => ({ signed_terms: null }),
    'an empty signature': ({ proof }) => ({ proof: { ...proof!, signature: '' } }),
    'a signature that is no text': ({ proof }) => ({ proof: { ...proof!, signature: 7 } }),
    'a lightning request in place of the address': () => ({
      address: null,
      lightning: { payment_request: EVIL, lnurl: null },
    }),
  };
  for (const [name, change] of Object.entries(changes))
    it(`shows nothing of an answer with ${name}`, async () => {
      const element = await show(viewOf('an address', change));
      await showsNothing(element);
    });

  it('shows nothing of an answer for another network, order or amount', async () => {
    const view = viewOf('an address');
    for (const changed of [
      { network: 'testnet' },
      { order: { ...view.order, order_id: '1002' } },
      { order: { ...view.order, amount: { amount: '1.85', currency: 'USD' } } },
      { order: { ...view.order, amount: { amount: '18.50', currency: 'EUR' } } },
      { order: { ...view.order, amount: null } },
    ])
      await showsNothing(await show({ ...view, ...changed }));
  });

  it('shows nothing of a valid proof that is for another order or a higher amount', async () => {
    for (const claims of [{ order_id: '1002' }, { amount: '18.49' }, { currency: 'EUR' }]) {
      const view = viewOf('an address');
      const order = { order_id: '1001', amount: '18.50', currency: 'USD', ...claims };
      const shown = {
        ...view,
        order: {
          ...view.order,
          order_id: order.order_id,
          amount: { amount: order.amount, currency: order.currency },
        },
      };
      await showsNothing(await show(shown, { order: orderToken(claims) }));
    }
  });

  it('shows nothing with another key, a key that is none, or in another mode', async () => {
    await showsNothing(await show(viewOf('an address'), { key: OTHER_KEY }));
    await showsNothing(await show(viewOf('an address'), { key: 'abc' }), 'setup');
    await showsNothing(await show(viewOf('an address'), { mode: 'redirect' }), 'setup');
  });

  it('passes no view on that is proven after the source has stopped', async () => {
    const { provenSource } = await import('./proven-source.ts');
    let deliver: (view: Checkout) => void = () => {};
    const seen: unknown[] = [];
    const inner: CheckoutSource = {
      open: async () => viewOf('an address'),
      post: async () => viewOf('an address'),
      follow: (on) => (deliver = (view) => on.checkout(view)),
      refresh: () => {},
      stop: () => {},
    };
    const host = { proofKey: KEY, order: orderToken() } as CheckoutHost;
    const source = provenSource(host, inner);
    const listen = {
      checkout: (view: Checkout) => seen.push(view),
      failure: (error: unknown) => seen.push(error),
      connection: () => {},
    };
    source.follow(listen);
    deliver(viewOf('an address'));
    await until(() => seen.length === 1, 'a proven view');
    deliver(viewOf('an address'));
    deliver(viewOf('an address', () => ({ proof: null })));
    source.stop();
    source.follow(listen);
    deliver(viewOf('an address'));
    await until(() => seen.length > 1, 'a view after the second start');
    await pause(100);
    expect(seen).to.have.length(2);
  });

  it('keeps the proven view when a later answer was changed, and reports it once', async () => {
    const view = viewOf('an address');
    const element = await show(view);
    const evil = viewOf('an address', () => ({ address: EVIL }));
    await until(() => FakeStream.all.length > 0, 'a stream');
    server.state = { ...evil, version: view.version + 2 };
    for (const version of [1, 2])
      FakeStream.all.at(-1)!.send({ ...evil, version: view.version + version });
    await until(() => errors.length > 0, 'an error');
    expect(element.checkout!.version).to.equal(view.version);
    expect(markup(element.shadowRoot!)).not.to.contain(EVIL);
    expect(errors).to.deep.equal(['tampered']);
    server.state = { ...view, version: view.version + 3 };
    FakeStream.all.at(-1)!.send(server.state);
    await until(() => element.checkout!.version === view.version + 3, 'the next proven view');
  });
});
