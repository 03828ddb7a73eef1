import { allLocales } from '@crypto-checkout/elements/generated/locale-codes';
import { directionOf } from '@crypto-checkout/elements/locale';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../elements/test/support/fixture.ts';
import { styleHash } from './headers.ts';
import { importBuilt } from '../test/support/built.ts';
import { readPage } from '../test/support/parsed-page.ts';
import { HEAVY, STAGES, files, request } from '../test/support/views.ts';

// One process holds one copy of the elements: the one that ships.
const { createPage, renderCheckout } = await importBuilt();
const VIEWS = [
  ...STAGES.map(
    (stage) => [stage, checkout(stage, { notes: ['overpaid', 'test_network'] }), null] as const,
  ),
  ...HEAVY,
];
const stylesOf = (html: string): string[] =>
  [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css]) => css ?? '');

/** Parses the policy as a browser does. */
const directives = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    (headers['content-security-policy'] ?? '')
      .split('; ')
      .map((directive) => [directive.split(' ')[0]!, directive.replace(/^\S+ ?/, '')]),
  );

describe('the policy of a page', () => {
  const page = createPage({ files: files(allLocales) });

  it.each(allLocales)(
    'lets exactly its own styles through, and nothing else is needed, in %s',
    async (lang) => {
      for (const [name, view, show = null] of VIEWS) {
        const { html, headers } = page.render(request(view, { lang, show }));
        const styles = stylesOf(html);
        expect(styles.length, name).toBeGreaterThan(1);
        const hashes = await Promise.all([...new Set(styles)].map(styleHash));
        expect(new Set(directives(headers)['style-src']?.split(' ')), name).toEqual(
          new Set(["'self'", ...hashes]),
        );
        expect(headers['content-security-policy']).not.toContain('unsafe');
        expect(html).toContain(`<html lang="${lang}" dir="${directionOf(lang)}">`);
        const attributes = readPage(html, { scripting: false }).elements.flatMap(
          (element) => /\[(.*)\]/.exec(element)?.[1]?.split(' ') ?? [],
        );
        expect(
          attributes.filter((attribute) => attribute === 'style' || attribute.startsWith('on')),
        ).toEqual([]);
      }
    },
  );
});

describe('a page', () => {
  const page = createPage({ files: files([]) });

  it('has the strictest policy that works', () => {
    const { 'style-src': styles, ...others } = directives(
      page.render(request(checkout('pay'))).headers,
    );
    expect(styles).toMatch(/^'self'( 'sha256-[\w+/]{43}=')+$/);
    expect(others).toEqual({
      // Also for frames, objects, workers and fonts.
      'default-src': "'none'",
      'script-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'lit-html',
      'upgrade-insecure-requests': '',
    });
  });

  it('lets the page use what paying needs: the clipboard to write to, the screen to stay on, and to share', () => {
    const { headers } = page.render(request(checkout('pay')));
    // Sharing is allowed unless a page forbids it.
    expect(headers['permissions-policy']).toBe(
      'camera=(),microphone=(),geolocation=(),payment=(),clipboard-read=()',
    );
  });
});

describe('the page in our own frame', () => {
  const page = createPage({ files: files([]) });
  const frame = (origins: readonly string[], theme: string | null = null) =>
    page.render(
      request(checkout('pay'), {
        frame: { origins, theme },
        path: '/frame/c8e1f0a9b2d34c5e6f708192a3b4c5d6/',
      }),
    );

  it('may be framed by the operator’s shops alone, and is as strict otherwise', () => {
    const shops = ['https://shop.example', 'https://www.shop.example'];
    const framed = frame(shops).headers;
    const plain = page.render(request(checkout('pay'))).headers;
    expect(directives(framed)).toEqual({
      ...directives(plain),
      'style-src': expect.any(String),
      'frame-ancestors': shops.join(' '),
    });
    expect(directives(frame([]).headers)['frame-ancestors']).toBe("'none'");
    expect(framed['x-frame-options']).toBeUndefined();
    expect(framed['cross-origin-resource-policy']).toBe('cross-origin');
    expect(framed['cross-origin-opener-policy']).toBe('same-origin');
    expect(framed['origin-agent-cluster']).toBe('?1');
    expect(plain['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('takes light, dark and automatic from its address, and no other look', () => {
    expect(frame([], 'dark').html).toMatch(
      /<html lang="en" dir="ltr" data-frame="" data-theme="dark">.* theme="dark"/s,
    );
    for (const theme of [null, 'auto', '"><script>', 'red', '--crypto-checkout-accent:red'])
      expect(frame([], theme).html).toMatch(
        /<html lang="en" dir="ltr" data-frame="" data-theme="auto">.* theme="auto"/s,
      );
  });

  it('sends the whole view with it: the shop’s page hears of it', () => {
    const view = checkout('pay');
    expect(JSON.parse(readPage(frame([]).html, { scripting: true }).snapshot ?? '')).toEqual(
      JSON.parse(JSON.stringify(view)),
    );
  });

  it('leads to itself, not to the page that may not be framed', () => {
    expect(frame([]).html).toContain('href="/frame/c8e1f0a9b2d34c5e6f708192a3b4c5d6/?show=coins"');
  });
});

describe('the page that sells coins', () => {
  const page = createPage({ files: files([]) });
  const view = checkout('pay', { onramp: 'https://ramp.example/buy?key=k&to=bc1q' });
  const at = (show: string | null, more = view) => page.render(request(more, { show }));

  it('is not loaded before the buyer opens it', () => {
    const { html, headers } = at(null);
    expect(html).toContain('Buy the coins with a card');
    expect(html).not.toContain('<iframe');
    expect(directives(headers)['frame-src']).toBeUndefined();
    expect(html).toContain(`href="/pay/${view.id}/?show=onramp#onramp"`);
  });

  it('stands in a sandbox once it is opened, and its origin alone may be framed', () => {
    const { html, headers } = at('onramp');
    const [iframe] = /<iframe[^>]*>/.exec(html) ?? [''];
    expect(iframe).toContain('src="https://ramp.example/buy?key=k&amp;to=bc1q"');
    expect(iframe).toMatch(/sandbox="[^"]*allow-scripts/);
    expect(iframe).not.toMatch(/allow-top-navigation|allow-modals/);
    expect(directives(headers)['frame-src']).toBe('https://ramp.example');
    // A refresh would discard the buyer's input.
    expect(html).not.toContain('http-equiv="refresh"');
  });

  it('is nowhere without one, and not after paying', () => {
    for (const more of [
      checkout('pay'),
      checkout('paid', { onramp: view.onramp }),
      checkout('pay', { onramp: 'javascript:alert(1)' }),
      checkout('pay', { onramp: 'https://[' }),
    ]) {
      const { html, headers } = at('onramp', more);
      expect(html).not.toMatch(/iframe|Buy the coins/);
      expect(directives(headers)['frame-src']).toBeUndefined();
    }
  });
});

it('a shop’s own policy gets the hash of every style in what is drawn for it', async () => {
  for (const stage of STAGES) {
    const { html, styleHashes } = renderCheckout({
      checkout: checkout(stage),
      server: 'https://pay.example',
      files: files([]),
    });
    for (const css of stylesOf(html)) expect(styleHashes).toContain(await styleHash(css));
    expect(html).not.toMatch(/<[^>]* style=/);
  }
});
