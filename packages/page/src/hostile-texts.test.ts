import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { checkout as CheckoutSchema } from '@crypto-checkout/protocol/schema/checkout';
import { describe, expect, it } from 'vitest';
import { CORPUS, LINKS } from '../../elements/test/support/corpus.ts';
import {
  CASES,
  type Case,
  KEPT,
  filled,
  filledCase,
} from '../../elements/test/support/filled-views.ts';
import { turnOf } from '../../../tools/sampled-files.mjs';
import { createPage, renderCheckout } from './index.ts';
import { readPage } from '../test/support/parsed-page.ts';
import { files, request } from '../test/support/views.ts';

const page = createPage({ files: files(['ar']) });
const isNightly = process.env['NIGHTLY'] === '1';

/** Without lone surrogates, which HTML cannot hold. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '\ufffd');

const PLAIN = 'plain words';
const SHOP = 'https://shop.example/';

const html = (view: Checkout, show: string | null, lang: string | null = null): string =>
  page.render(request(view, { show, lang, successUrl: lang })).html;

/** Values that no page prints: they control the rendering, or are for programs. */
const UNSAID = [
  // Only an address of the own server is drawn.
  'merchant.logo',
  'coins[].fee_usd',
  // Drawn beside a payment in the same coin; here each kind is another text.
  'coins[].gas',
  ...['transaction', 'status'].map((name) => `refunds[].${name}`),
  // Drawn by the form for a refund; see below.
  ...[
    'transaction',
    'cause',
    'kind',
    'name',
    'network',
    'symbol',
    'amount',
    'fee',
    'received',
  ].flatMap((name) => [`refundable[].${name}`, `replaceable[].${name}`]),
  ...['proof', 'lightning_proof'].flatMap((name) => [
    `payment.${name}.kid`,
    `payment.${name}.signature`,
  ]),
  ...['order_id', 'amount', 'currency', 'invoiced', 'expires_at'].map(
    (name) => `payment.signed_terms.${name}`,
  ),
  'stage',
  'notes[]',
  'network',
  'server_time',
  'expires_at',
  ...['from', 'x_address', 'late', 'quoted_at', 'expires_at'].map((name) => `payment.${name}`),
  ...['qr', 'link', 'address', 'tag'].map((name) => `payment.strings.${name}`),
  ...['txid', 'status', 'amount', 'created_at', 'explorer_url'].map(
    (name) => `payment.transactions[].${name}`,
  ),
  ...['status', 'kind'].map((name) => `received[].${name}`),
  // Only lessens the amount that counts.
  'received[].refunded',
  // Drawn where the same coin came on another network.
  'received[].asked.network',
];

describe('the hostile texts', () => {
  it('are more than forty, and the links that are none more than thirty', () => {
    expect(new Set(CORPUS).size).toBeGreaterThanOrEqual(40);
    expect(new Set(LINKS).size).toBeGreaterThanOrEqual(30);
  });

  it('get into every text of the view that its schema names, save those on which the drawing rests', () => {
    const reached = textsIn(filled('pay', 'MARK', 'MARK')).filter(([, text]) =>
      text.includes('MARK'),
    );
    const missed = textsOf(CheckoutSchema).filter((path) => !reached.some(([one]) => one === path));
    expect(missed.filter((path) => !KEPT.includes(path.split('.').at(-1)!))).toEqual([]);
    expect(missed).toHaveLength(5);
  });

  it('are drawn, all but those of members that no page shows', () => {
    const named = (path: string): string => `<${path}>`;
    const drawn = Object.values(CASES)
      .map((one) => {
        const { text, values } = readPage(
          html(
            filledCase(one, named, (path) => `${SHOP}?${path}`),
            one.show,
          ),
          { scripting: true },
        );
        return [text, ...values].join('\n');
      })
      .join('\n');
    const silent = textsIn(filled('pay', named, (path) => `${SHOP}?${path}`)).map(([path]) => path);
    expect(
      [...new Set(silent)]
        .filter((path) => !drawn.includes(named(path)) && !drawn.includes(`${SHOP}?${path}`))
        .toSorted(),
    ).toEqual(UNSAID.toSorted());
  });
});

/**
 * An eighth of the texts for each page, another eighth for the next page. All of them at night
 * (`npm run nightly`).
 */
const SEED = Number(process.env['SAMPLE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const sampled = <T>(all: readonly T[], page: number): T[] =>
  all.filter((_, at) => isNightly || (at + page + turnOf(SEED)) % 8 === 0);
if (!isNightly) console.log(`hostile texts: an eighth for each page, SAMPLE_SEED=${SEED}`);

const PAGES = Object.entries(CASES).map(([name, one], number) => ({ name, one, number }));

describe.each(PAGES)('a page full of hostile texts: $name', ({ one, number }) => {
  it('has the same elements and attributes as one full of words, with and without scripts', () => {
    const draw = (text: string) => {
      const drawn = html(filledCase(one, text), one.show, text);
      return [true, false].map((scripting) => {
        const { elements, comments } = readPage(drawn, { scripting });
        return { elements, comments };
      });
    };
    const plain = draw(PLAIN);
    for (const text of sampled(CORPUS, number)) expect(draw(text), text).toEqual(plain);
  });

  it('follows no link that leads elsewhere than to a page of ours', () => {
    const draw = (link: string, show = one.show) =>
      readPage(html(filledCase(one, PLAIN, link), show), { scripting: true });
    const allowed = new Set([...draw(SHOP).elements, ...draw(SHOP, null).elements]);
    for (const link of sampled(LINKS, number)) {
      const { elements, links } = draw(link);
      for (const element of elements)
        expect(allowed.has(element), `${element} for ${link}`).toBe(true);
      for (const to of links)
        expect(to, link).toMatch(/^(?:\/(?!\/)|https:\/\/pay\.example\/|data:,$|#end$)/);
    }
  });
});

it('a link to a page is followed wherever one is meant, so that none is refused for nothing', () => {
  const to = (path: string): string => `${SHOP}?${path}`;
  const followed = Object.values(CASES).flatMap((one) =>
    readPage(
      html(
        filledCase(one, PLAIN, (path) =>
          path === 'payment.strings.link' ? 'bitcoin:bc1q' : to(path),
        ),
        one.show,
      ),
      {
        scripting: true,
      },
    ).links.map((link) => link.replace(SHOP, '')),
  );
  for (const path of [
    'merchant.contact',
    'shop_url',
    'success_url',
    'onramp',
    'received[].explorer_url',
  ])
    expect(followed, path).toContain(`?${path}`);
  expect(followed).toContain('bitcoin:bc1q');
});

it('times that are none are no reason to draw anything else', () => {
  const times = (view: Checkout, text: string): Checkout => ({
    ...view,
    server_time: text,
    expires_at: text,
    payment: view.payment && { ...view.payment, expires_at: text },
  });
  for (const { stage, show, change } of [
    CASES['pay, to an address']!,
    CASES['pay, from an exchange']!,
    CASES['seen']!,
  ] as Case[]) {
    const draw = (text: string): string[] =>
      readPage(html(times((change ?? ((view) => view))(filled(stage, PLAIN)), text), show), {
        scripting: true,
      }).elements;
    const plain = draw(PLAIN);
    for (const text of CORPUS.filter((one) => Number.isNaN(Date.parse(one))))
      expect(draw(text), text).toEqual(plain);
  }
});

it('the attribute that the element draws from reads as what was sent', () => {
  for (const text of CORPUS) {
    const { snapshot } = readPage(html(filled('pay', text), null), { scripting: true });
    const view = JSON.parse(snapshot ?? '') as Checkout;
    const read = wellFormed(text);
    expect(wellFormed(view.merchant.name ?? '')).toBe(read);
    expect(wellFormed(view.payment?.symbol ?? '')).toBe(read);
    expect(wellFormed(view.order.order_id ?? '')).toBe(read);
    expect(view.received.map(({ txid }) => wellFormed(txid))).toEqual([read, read, read]);
  }
});

it('a shop’s own page gets no more than the element either', () => {
  const drawn = (text: string): string[] => {
    const common = {
      server: 'https://pay.example',
      files: files([]),
      language: text,
      successUrl: text,
      id: text,
    };
    return readPage(renderCheckout({ checkout: filled('pay', text), ...common }).html, {
      scripting: true,
    }).elements;
  };
  const plain = drawn(PLAIN);
  for (const text of CORPUS) expect(drawn(text), text).toEqual(plain);
});

it('a message repeats nothing that it was not given, and escapes what it was', () => {
  for (const text of CORPUS) {
    const { html } = page.renderMessage({
      status: 400,
      title: text,
      text,
      link: { href: `/${text}`, text },
      lang: text,
      secure: true,
    });
    const { elements } = readPage(html, { scripting: true });
    expect(elements).toEqual(
      readPage(
        page.renderMessage({
          status: 400,
          title: 'x',
          text: 'x',
          link: { href: '/x', text: 'x' },
          secure: true,
        }).html,
        {
          scripting: true,
        },
      ).elements,
    );
  }
});

it('the form for a refund has the same elements for every text, and prints all of them', () => {
  const draw = (text: string): string[] => {
    const view = filled('late', text, SHOP);
    const { transaction = '', amount = null } = view.refundable?.[0] ?? {};
    const form = { transaction, amount, address: text, tag: text, problem: null, received: text };
    const options = { acceptLanguage: null, lang: null, basePath: '', secure: true };
    const { html } = page.renderRefund({ checkout: view, form, ...options });
    return readPage(html, { scripting: false }).elements;
  };
  const plain = draw(PLAIN);
  for (const text of CORPUS) expect(draw(text), text).toEqual(plain);
});

/** The part of a schema that the walk needs. */
interface Schema {
  def: { type: string; innerType?: unknown; element?: unknown; shape?: Record<string, unknown> };
}

/** Paths of texts in a schema: `received[].txid`. */
function textsOf(schema: unknown, path = ''): string[] {
  const { type, innerType, element, shape } = (schema as Schema).def;
  switch (type) {
    case 'object':
      return Object.entries(shape!).flatMap(([name, one]) =>
        textsOf(one, path ? `${path}.${name}` : name),
      );
    case 'array':
      return textsOf(element, `${path}[]`);
    case 'nullable':
    case 'optional':
      return textsOf(innerType, path);
    case 'string':
      return [path];
    case 'number':
    case 'boolean':
    case 'null':
      return [];
    default:
      throw new Error(`${path}: what is a ${type}?`);
  }
}

/** Paths of texts in a view, with the texts. */
function textsIn(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    textsIn(one, path ? `${path}.${name}` : name),
  );
}
