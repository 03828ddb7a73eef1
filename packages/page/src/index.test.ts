import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { describe, expect, it } from 'vitest';
import { checkout, xrp } from '../../elements/test/support/fixture.ts';
import { SITUATIONS } from '../../elements/test/support/situations.ts';
import { type ElementFiles, type PageRequest, createPage } from './index.ts';
import { STAGES } from '../test/support/views.ts';
import { styleHash } from './headers.ts';

const FILES: ElementFiles = {
  version: '0.1.0',
  embed: 'crypto-checkout.mjs',
  classic: 'crypto-checkout.js',
  page: 'page-abcdefgh.mjs',
  locales: { ar: 'ar-abcdefgh.mjs', de: 'de-abcdefgh.mjs' },
  sri: { 'page-abcdefgh.mjs': 'sha384-page', 'ar-abcdefgh.mjs': 'sha384-ar' },
  sizes: {},
};
const page = createPage({ files: FILES });
const request = (view: Checkout, overrides: Partial<PageRequest> = {}): PageRequest => ({
  checkout: view,
  acceptLanguage: null,
  lang: null,
  basePath: '',
  publicUrl: 'https://pay.example',
  successUrl: null,
  secure: true,
  ...overrides,
});
const htmlOf = (view: Checkout, overrides?: Partial<PageRequest>): string =>
  page.render(request(view, overrides)).html;
describe('the hosted page', () => {
  it.each(STAGES)(
    'lets exactly its own styles through and has no style attribute: %s',
    async (stage) => {
      const { html, headers } = page.render(
        request(checkout(stage, { notes: ['overpaid', 'test_network'] })),
      );
      const policy = headers['content-security-policy'] ?? '';
      const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css]) => css ?? '');
      expect(styles.length).toBeGreaterThan(2);
      for (const css of styles) expect(policy).toContain(await styleHash(css));
      expect(html).not.toMatch(/<[^>]* style=/);
      expect(html).not.toMatch(/<[^>]* on[a-z]+=/);
      expect(policy).not.toContain('unsafe');
    },
  );

  it('carries all headers, and the ones for https only on https', () => {
    const { headers } = page.render(request(checkout('pay')));
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-robots-tag': 'noindex',
      'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
    });
    // A browser would start another process for it, after the answer has come.
    expect(headers['origin-agent-cluster']).toBeUndefined();
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect(headers['content-security-policy']).toContain('upgrade-insecure-requests');
    const plain = page.render(request(checkout('pay'), { secure: false })).headers;
    expect(plain['strict-transport-security']).toBeUndefined();
    expect(plain['content-security-policy']).not.toContain('upgrade');
  });

  it('names the last thing in it as what a browser waits for before it paints', () => {
    const html = htmlOf(checkout('pay'));
    expect(html).toContain('<link rel="expect" href="#end" blocking="render">');
    expect(html).toMatch(/<\/main><span id="end"><\/span><\/body><\/html>$/);
  });

  it('has one heading of the first level, which says what is paid, and none in a shop’s page', () => {
    for (const stage of STAGES)
      expect(htmlOf(checkout(stage)).match(/<h1.*?<\/h1>/g)).toEqual([
        '<h1>Quay &amp; Co. · $49.90 · Payment</h1>',
      ]);
    expect(htmlOf(checkout('pay'), { frame: { origins: [], theme: null } })).not.toContain('<h1');
  });

  it('has the standard attribute of shadow roots only', () => {
    expect(htmlOf(checkout('pay'))).toContain('<template shadowrootmode="open">');
    expect(htmlOf(checkout('pay'))).not.toContain('shadowroot=');
  });

  it('begins its title with what has happened', () => {
    const titleOf = (stage: string, lang: string | null = null): string | undefined =>
      /<title>(.*?)<\/title>/.exec(htmlOf(checkout(stage), { lang }))?.[1];
    expect(titleOf('choose')).toBe('Quay &amp; Co. · $49.90 · Payment');
    expect(titleOf('pay')).toBe('Quay &amp; Co. · $49.90 · Payment');
    expect(titleOf('seen')).toBe('Payment detected · Quay &amp; Co. · $49.90 · Payment');
    expect(titleOf('paid', 'de')).toBe(
      'Zahlung abgeschlossen · Quay &amp; Co. · 49,90\u00a0$ · Zahlung',
    );
    const { view, heading } = SITUATIONS['dropped']!;
    expect(/<title>(.*?)<\/title>/.exec(htmlOf(view))?.[1]).toMatch(new RegExp(`^${heading} · `));
    expect(titleOf('something new')).toBe('Please wait · Quay &amp; Co. · $49.90 · Payment');
  });

  it('prints the link to save in full, and a frame has no other', () => {
    const view = checkout('underpaid');
    const link = `/pay/${view.id}/?show=receipt`;
    for (const overrides of [{}, { frame: { origins: ['https://shop.example'], theme: null } }]) {
      const html = htmlOf(view, overrides);
      expect(html).toContain(`part="keep-link" href="${link}"`);
      expect(html).toContain(`>https://pay.example${link}<`);
    }
  });

  it('shows address, amount, code and wallet link before any script', () => {
    const view = checkout('pay');
    const html = htmlOf(view);
    const text = html
      .replace(/<style>.*?<\/style>|<!--.*?-->|snapshot="[^"]*"/gs, '')
      .replace(/<[^>]+>/g, '');
    expect(text).toContain('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(text).toContain('0.00081234');
    expect(html).toContain(`d="${view.payment?.qr.path}"`);
    expect(html).toContain(
      'href="bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00081234"',
    );
    expect(text).toContain('14:32');
    expect(htmlOf(xrp())).toContain('12345');
  });

  it('lets a coin be chosen and a price be renewed by forms', () => {
    const view = checkout('choose');
    expect(htmlOf(view, { basePath: '/shop' })).toMatch(
      new RegExp(`<form[^>]* method="post"\\s+action="/shop/checkouts/${view.id}/payment"`),
    );
    expect(htmlOf(view)).toMatch(/<input\s+type="radio"\s+name="kind"\s+value="ETH_USDT"/);
    expect(htmlOf(checkout('expired'))).toMatch(
      new RegExp(`<form[^>]* method="post"\\s+action="/checkouts/${view.id}/renew"`),
    );
  });

  it('refreshes itself without scripts, only while something may happen', () => {
    const refresh = /<noscript><meta http-equiv="refresh" content="20"><\/noscript>/;
    for (const stage of ['pay', 'underpaid', 'seen', 'held'])
      expect(htmlOf(checkout(stage))).toMatch(refresh);
    for (const stage of ['choose', 'paid', 'complete', 'expired', 'late'])
      expect(htmlOf(checkout(stage))).not.toMatch(refresh);
  });

  it('says without scripts until when the price holds, before it asks for more time, and not once it has run out', () => {
    const view = (expires_at: string, over: object = {}): Checkout =>
      checkout('underpaid', {
        server_time: '2026-11-21T12:10:00Z',
        payment: { ...checkout('underpaid').payment!, expires_at, ...over },
      });
    const textOf = (html: string): string =>
      html
        .replace(/<style>.*?<\/style>|<!--.*?-->|snapshot="[^"]*"/gs, '')
        .replace(/<[^>]+>/g, ' ');
    const holds = (shown: Checkout): number =>
      textOf(htmlOf(shown)).split('This price holds until 12:20').length - 1;
    expect(holds(view('2026-11-21T12:20:00Z'))).toBe(1);
    expect(textOf(htmlOf(view('2026-11-21T12:20:00Z', { extendable: true })))).toMatch(
      /Send .* more\..*This price holds until 12:20\sPM UTC\.\s+Need more time\?/s,
    );
    expect(holds(view('2026-11-21T12:20:00Z', { extendable: true }))).toBe(1);
    expect(textOf(htmlOf(view('2026-11-21T12:05:00Z')))).not.toContain('holds until');
    expect(holds(view('2026-11-21T12:20:00Z', { renewable: true }))).toBe(0);
    expect(textOf(htmlOf(view('2026-11-21T12:05:00Z')))).toContain('Refresh');
  });

  it('speaks the language that was asked for', () => {
    expect(htmlOf(checkout('pay'), { lang: 'de', acceptLanguage: 'ar' })).toContain('Sende genau');
    expect(htmlOf(checkout('pay'), { acceptLanguage: 'xx, ar-EG;q=0.8, de;q=0.5' })).toContain(
      '<html lang="ar-EG" dir="rtl">',
    );
    expect(htmlOf(checkout('pay'), { acceptLanguage: 'en-GB, de;q=0.5' })).toContain(
      '<html lang="en-GB" dir="ltr">',
    );
    expect(
      htmlOf(checkout('pay'), { lang: '"><script>', acceptLanguage: ';;;,,q=,'.repeat(50) }),
    ).toContain('<html lang="en" dir="ltr">');
    for (const acceptLanguage of ['ar', 'ar-EG'])
      expect(htmlOf(checkout('pay'), { acceptLanguage })).toContain(
        '<link rel="modulepreload" href="/elements/0.1.0/ar-abcdefgh.mjs" integrity="sha384-ar">',
      );
  });

  it('answers 200 concurrent requests each in its own language', async () => {
    const words = { en: 'Send exactly', de: 'Sende genau', ar: 'أرسل بالضبط' };
    const languages = Array.from(
      { length: 200 },
      (_, index) => (['en', 'de', 'ar'] as const)[index % 3]!,
    );
    const pages = await Promise.all(
      languages.map(async (lang, index) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (index % 2) await Promise.resolve();
        return htmlOf(checkout('pay'), { lang });
      }),
    );
    pages.forEach((html, index) => {
      const own = languages[index]!;
      for (const [lang, word] of Object.entries(words))
        expect(html.includes(word)).toBe(lang === own);
    });
  });

  it('says other things too, in the same clothes', () => {
    const { html, headers } = page.renderMessage({
      status: 404,
      acceptLanguage: 'de',
      secure: true,
    });
    expect(html).toContain('Wir finden diese Zahlung nicht');
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const own = page.renderMessage({
      status: 400,
      title: '<b>',
      text: '<i>',
      link: { href: '"x', text: '<u>' },
      secure: false,
    });
    expect(own.html).not.toMatch(/<[biu]>/);
    expect(page.renderMessage({ status: 503, secure: true }).html).toContain('busy at the moment');
  });

  it('works without built files', () => {
    const { html } = createPage().render(request(checkout('pay')));
    expect(html).not.toContain('<script');
    expect(html).toContain('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
  });
});
