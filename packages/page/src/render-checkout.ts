import { directionOf } from '@crypto-checkout/elements/locale';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import { draw } from './draw.ts';
import { escape } from './escape.ts';
import { chooseLocale } from './locale.ts';
import type { ElementFiles } from './scripts.ts';
import { ELEMENT_HASHES } from './styles.ts';

export interface RenderCheckoutOptions {
  /** The buyer's view, as returned by `POST /checkouts` or `GET /checkouts/:id`. */
  checkout: Checkout;
  /** The checkout server's public address. */
  server: string;
  /** The built browser files, as listed in their `manifest.json`. */
  files: Pick<ElementFiles, 'version' | 'ssr' | 'sri'>;
  /** A BCP 47 tag. Default English. */
  language?: string;
  /** Default: the buyer's device decides. */
  theme?: 'auto' | 'light' | 'dark';
  /** The address after payment; followed only where the server allows it. */
  successUrl?: string;
  /** An `id` for the element. */
  id?: string;
}

export interface CheckoutMarkup {
  /** The element with its shadow root, to be inserted unchanged: complete without any script. */
  html: string;
  /** The script tags that make it interactive, once for a page. */
  scripts: string;
  /** Source expressions for the page's `style-src`. */
  styleHashes: readonly string[];
  /** The directives that the page's policy needs for it. */
  policy: Readonly<
    Record<'style-src' | 'script-src' | 'connect-src' | 'trusted-types', readonly string[]>
  >;
  /** The language that was used. */
  language: string;
  direction: 'ltr' | 'rtl';
}

const SCRIPT = 'crypto-checkout-ssr.mjs';

/**
 * Renders the checkout element on a shop's own server, so that code, address and amount arrive with
 * the page's first bytes.
 * @example const {html, scripts, styleHashes} = renderCheckout({checkout, server:
 * 'https://pay.example', files, language: 'de'});
 */
export function renderCheckout(options: RenderCheckoutOptions): CheckoutMarkup {
  const { checkout, files, theme, successUrl, id } = options;
  const server = options.server.replace(/\/+$/, '');
  const language = chooseLocale(options.language ?? null, null);
  const file = files.ssr ?? SCRIPT;
  const integrity = files.sri[file];
  const { origin } = new URL(server);
  const markup = draw(
    html`<crypto-checkout
      id=${id ?? nothing}
      server=${server}
      checkout=${checkout.id}
      locale=${language}
      theme=${theme ?? nothing}
      success-url=${successUrl ?? nothing}
      snapshot=${JSON.stringify(checkout)}
    ></crypto-checkout>`,
    language,
  );
  return {
    html: markup,
    scripts: `<script type="module" crossorigin src="${escape(`${server}/elements/${files.version}/${file}`)}"${
      integrity ? ` integrity="${escape(integrity)}"` : ''
    }></script>`,
    styleHashes: ELEMENT_HASHES,
    policy: {
      'style-src': ELEMENT_HASHES,
      'script-src': [origin],
      'connect-src': [origin],
      'trusted-types': ['lit-html'],
    },
    language,
    direction: directionOf(language),
  };
}
