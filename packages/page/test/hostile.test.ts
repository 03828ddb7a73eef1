import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../elements/test/fixture.ts';
import { createPage, renderCheckout } from '../src/index.ts';
import { CORPUS } from './corpus.ts';
import { type Seen, readPage } from './parsed.ts';
import { files, request } from './views.ts';

const page = createPage({ files: files(['ar']) });

/** Without halves of characters, which no HTML can hold. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '\ufffd');

const SHOP = 'https://shop.example/';

/** A checkout in which every text, and every link, is this one. */
function filled(stage: string, text: string, link = SHOP): Checkout {
  const base = checkout(stage);
  const payment: CheckoutPayment | null = base.payment && {
    ...base.payment,
    invoice_id: wellFormed(text),
    kind: text,
    name: text,
    network: text,
    symbol: text,
    address: text,
    tag: text,
    public_address: text,
    rate: text,
    strings: { ...base.payment.strings, qr: text, address: text, tag: text, link },
    transactions: base.payment.transactions.map((transaction) => ({ ...transaction, txid: text, created_at: text, explorer_url: link })),
  };
  return {
    ...base,
    // An id is ours: whatever it is, it can stand in an address.
    id: wellFormed(text),
    notes: [text],
    network: text,
    merchant: { name: text, contact: link },
    order: { order_id: text, description: text, amount: { amount: text, currency: text } },
    coins: base.coins.map((coin, at) => ({
      ...coin,
      kind: `${text}${at}`,
      name: text,
      network: text,
      symbol: text,
      approx: text,
      gas: text,
    })),
    payment,
    shop_url: link,
    success_url: link,
    onramp: link,
  };
}

const draw = (view: Checkout, show: string | null, scripting = true, lang: string | null = null): Seen =>
  readPage(page.render(request(view, { show, lang, successUrl: lang })).html, { scripting });

const PLAIN = 'plain words';

describe.each([
  ['choose', null],
  ['pay', null],
  ['pay', 'coins'],
  ['pay', 'onramp'],
  ['underpaid', null],
  ['seen', null],
  ['complete', null],
  ['complete', 'receipt'],
  ['late', null],
  ['expired', null],
])('a page full of hostile texts: %s, showing %s', (stage, show) => {
  it.each([true, false])('has the same elements and attributes as one full of words, with scripts: %s', (scripting) => {
    const plain = draw(filled(stage, PLAIN), show, scripting, PLAIN);
    for (const text of CORPUS) {
      const hostile = draw(filled(stage, text), show, scripting, text);
      expect(hostile.elements, text).toEqual(plain.elements);
      expect(hostile.comments, text).toBe(plain.comments);
    }
  });

  it('follows no link that leads elsewhere than to a page, a wallet or a mail', () => {
    const allowed = new Set([show, null].flatMap((one) => draw(filled(stage, PLAIN), one).elements));
    for (const link of CORPUS) {
      const { elements, links } = draw(filled(stage, PLAIN, link), show);
      for (const element of elements) expect(allowed.has(element), `${element} for ${link}`).toBe(true);
      for (const one of links) expect(one, link).toMatch(/^(?:\/(?!\/)|https:\/\/|data:,$|#end$)/);
    }
  });
});

it('the attribute that the element draws from reads as what was sent', () => {
  for (const text of CORPUS) {
    const { snapshot } = draw(filled('pay', text), null);
    const view = JSON.parse(snapshot ?? '') as Checkout;
    const read = wellFormed(text);
    expect(wellFormed(view.merchant.name ?? '')).toBe(read);
    expect(wellFormed(view.payment?.symbol ?? '')).toBe(read);
    expect(wellFormed(view.order.order_id ?? '')).toBe(read);
  }
});

it('a shop’s own page gets no more than the element either', () => {
  const drawn = (text: string): string[] => {
    const common = { server: 'https://pay.example', files: files([]), language: text, successUrl: text, id: text };
    return readPage(renderCheckout({ checkout: filled('pay', text), ...common }).html, { scripting: true }).elements;
  };
  for (const text of CORPUS) expect(drawn(text), text).toEqual(drawn(PLAIN));
});

it('a message repeats nothing that it was not given, and escapes what it was', () => {
  for (const text of CORPUS) {
    const { html } = page.renderMessage({ status: 400, title: text, text, link: { href: `/${text}`, text }, lang: text, secure: true });
    const { elements } = readPage(html, { scripting: true });
    expect(elements).toEqual(
      readPage(page.renderMessage({ status: 400, title: 'x', text: 'x', link: { href: '/x', text: 'x' }, secure: true }).html, {
        scripting: true,
      }).elements,
    );
  }
});
