import {
  CryptoAddress,
  CryptoAmount,
  CryptoCheckout,
  CryptoCoinPicker,
  CryptoCountdown,
  CryptoQr,
  CryptoStatus,
} from '@crypto-checkout/elements';
import * as after from '@crypto-checkout/elements/after';
import { provideAfter } from '@crypto-checkout/elements/later';
import { directionOf, inLocale } from '@crypto-checkout/elements/locale';
import { formatMoney } from '@crypto-checkout/elements/number';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { render as renderTemplate } from '@lit-labs/ssr';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import { html, nothing } from 'lit';
import { pageHeaders, styleHash } from './headers.ts';
import { chooseLocale } from './locale.ts';
import { PAGE_CSS } from './sheet.ts';

/** The built browser files, as their manifest names them. */
export interface ElementFiles {
  version: string;
  embed: string;
  classic: string;
  page: string;
  locales: Record<string, string>;
  sri: Record<string, string>;
  sizes: Record<string, { raw: number; gzip: number; br: number }>;
}

export interface PageOptions {
  /** Without them pages have no script; they show, take choices and refresh all the same. */
  files?: ElementFiles | null;
}

export interface PageRequest {
  checkout: Checkout;
  /** The `Accept-Language` header. */
  acceptLanguage: string | null;
  /** `?lang=`, which goes before it. */
  lang: string | null;
  /** What stands before every path: `''`, or a prefix without a slash at its end. */
  basePath: string;
  publicUrl: string;
  /** Where the visitor asked to be taken after paying. */
  successUrl: string | null;
  /** The public address is https. */
  secure: boolean;
}

export interface MessageRequest {
  /** Also chooses the words, where none are given. */
  status: number;
  title?: string;
  text?: string;
  /** A way on. */
  link?: { href: string; text: string };
  acceptLanguage?: string | null;
  lang?: string | null;
  secure: boolean;
}

export interface PageResponse {
  html: string;
  headers: Record<string, string>;
}

// A server draws every stage.
provideAfter(after);

/** Stages in which something may happen without the visitor doing anything here. */
const WAITING = new Set(['choose', 'paid', 'complete', 'expired', 'late']);
const REFRESH_S = 20;

/** The page's own style, and the ones that Lit writes for the elements: for each the texts of its sheets, one after the other. */
const STYLES = new Set([
  PAGE_CSS,
  ...[CryptoCheckout, CryptoCoinPicker, CryptoAmount, CryptoAddress, CryptoQr, CryptoCountdown, CryptoStatus].map(({ elementStyles }) =>
    elementStyles.map((style) => ('cssText' in style ? style.cssText : '')).join(''),
  ),
]);
const HASHES = (await Promise.all([...STYLES].map(styleHash))).join(' ');

/**
 * The hosted page: the checkout element, drawn on the server.
 * @example createPage({files}).render({checkout, acceptLanguage: 'de', lang: null, basePath: '', publicUrl, successUrl: null, secure: true})
 */
export function createPage({ files = null }: PageOptions = {}) {
  return {
    /** The page of one checkout. */
    render(request: PageRequest): PageResponse {
      const { checkout, basePath, successUrl } = request;
      const language = chooseLocale(request.lang, request.acceptLanguage);
      // One synchronous piece: no other request's language can come in between.
      const [main, title] = inLocale(language, () => [
        collectResultSync(
          renderTemplate(
            html`<crypto-checkout
              server=${basePath}
              checkout=${checkout.id}
              locale=${language}
              success-url=${successUrl ?? nothing}
              snapshot=${snapshotOf(checkout)}
            ></crypto-checkout>`,
          ),
        ),
        titleOf(checkout, language),
      ]);
      const refresh = WAITING.has(checkout.stage) ? '' : `<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>`;
      const scripts = files ? scriptsOf(files, basePath, language) : '';
      return {
        html: documentOf({ language, title, head: `${refresh}${scripts}`, main }),
        headers: pageHeaders({ styles: HASHES, language, secure: request.secure }),
      };
    },

    /** A page that says something else: that there is no such payment, or that the service is away. */
    renderMessage(request: MessageRequest): PageResponse {
      const language = chooseLocale(request.lang ?? null, request.acceptLanguage ?? null);
      const words = inLocale(language, () => ({
        title: request.title ?? after.wordsAfter('error')?.title ?? '',
        text:
          request.text ?? after.sentenceOfFailure(request.status === 404 ? 'not_found' : request.status >= 500 ? 'unavailable' : 'refused'),
      }));
      const link = request.link ? `<p><a href="${escape(request.link.href)}">${escape(request.link.text)}</a></p>` : '';
      const main = `<div class="message"><h1>${escape(words.title)}</h1><p>${escape(words.text)}</p>${link}</div>`;
      return {
        html: documentOf({ language, title: words.title, head: '', main }),
        headers: pageHeaders({ styles: HASHES, language, secure: request.secure }),
      };
    },
  };
}

export type Page = ReturnType<typeof createPage>;

/** Other coins that a payment page offers before its script has the whole list: more would not fit into the first flight. */
const OTHER_COINS = 30;

/** What the element draws from, without what it does not need: the code's text while the code is there, coins by the dozen while one is chosen. */
function snapshotOf(checkout: Checkout): string {
  const { payment } = checkout;
  if (!payment) return JSON.stringify(checkout);
  const strings = payment.qr.path ? { ...payment.strings, qr: '', address: '' } : payment.strings;
  return JSON.stringify({ ...checkout, coins: checkout.coins.slice(0, OTHER_COINS), payment: { ...payment, strings } });
}

function titleOf({ merchant, order }: Checkout, language: string): string {
  const amount = order.amount && `${formatMoney(order.amount.amount, language)} ${order.amount.currency}`;
  return [merchant.name, amount, after.pageName()].filter(Boolean).join(' · ');
}

/** The language's texts travel beside the script, so that it waits for nothing. */
function scriptsOf({ version, page, locales, sri }: ElementFiles, basePath: string, language: string): string {
  const at = (file: string): string => escape(`${basePath}/elements/${version}/${file}`);
  const integrity = (file: string): string => (sri[file] ? ` integrity="${escape(sri[file])}"` : '');
  const texts = locales[language];
  return `<script type="module" src="${at(page)}"${integrity(page)}></script>${
    texts ? `<link rel="modulepreload" href="${at(texts)}"${integrity(texts)}>` : ''
  }`;
}

function documentOf({ language, title, head, main }: { language: string; title: string; head: string; main: string }): string {
  return `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(
    title,
  )}</title><meta name="robots" content="noindex"><link rel="icon" href="data:,"><style>${PAGE_CSS}</style>${head}</head><body><main>${main}</main></body></html>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
