import * as after from '@crypto-checkout/elements/server';
import { inLocale, msg } from '@crypto-checkout/elements/locale';
import { pageLink } from '@crypto-checkout/elements/link';
import { checkedText, type Refusal, refundProblem } from '@crypto-checkout/elements/refund';
import { previewTitle } from '@crypto-checkout/elements/preview-title';
import { drawOnramp, onrampOf } from '@crypto-checkout/elements/onramp';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { html, nothing } from 'lit';
import { documentOf } from './document.ts';
import { draw } from './draw.ts';
import { escape } from './escape.ts';
import { pageHeaders } from './headers.ts';
import { acceptedLocale, chooseLocale } from './locale.ts';
import { type OwnLinks, withFullReceiptAddress, keepOwnLinks, ownLink } from './own-links.ts';
import { type ElementFiles, pageScripts } from './scripts.ts';
import { renderReceipt, renderReceiptText } from './receipt.ts';
import { type RefundRequest, renderRefund } from './refund.ts';
import { quoteSnapshot, snapshotOf } from './snapshot.ts';
import { MESSAGE_CSS, ONRAMP_CSS } from './sheet.ts';
import { createColorStyle, hashesOf, withoutIdleStyles } from './styles.ts';
import { renderText } from './text.ts';
import { nameOf, titleOf } from './title.ts';

export interface PageOptions {
  /** Without them pages have no script; choices and refreshes work all the same. */
  files?: ElementFiles | null;
  /** The shop's colour, `#rrggbb`; the frame in a shop's page has that page's. Default none. */
  color?: string | null;
  /** Address of the picture of link previews. Default none. */
  image?: string | null;
}

export interface PageRequest {
  checkout: Checkout;
  /** The `Accept-Language` header. */
  acceptLanguage: string | null;
  /** `?lang=`, which takes precedence. */
  lang: string | null;
  /**
   * `?show=`: `coins` for another coin, `receipt` to prove a payment, `onramp` to buy the coins.
   * Default: the stage.
   */
  show?: string | null;
  /** Prefix of every path: `''`, or a prefix without a trailing slash. */
  basePath: string;
  /** The page's path after `basePath`. Default `/pay/<id>/`. */
  path?: string;
  publicUrl: string;
  /** The requested address after payment. */
  successUrl: string | null;
  /** Whether the public address is https. */
  secure: boolean;
  /** Whether the reader may be a program that draws a preview of the link. Default false. */
  preview?: boolean;
  /** For a frame in a shop's page: the allowed parent pages, and `?theme=`. */
  frame?: { origins: readonly string[]; theme: string | null } | null;
}

export interface MessageRequest {
  /** Also selects the texts, unless they are given. */
  status: number;
  title?: string;
  text?: string;
  /** A link to continue. */
  link?: { href: string; text: string };
  /** The shop's front page, and its help. */
  shop?: { url: string | null; contact: string | null };
  acceptLanguage?: string | null;
  lang?: string | null;
  secure: boolean;
  /** Pages that may frame it. */
  frameAncestors?: readonly string[];
}

export interface PageResponse {
  html: string;
  headers: Record<string, string>;
}

/** Views that replace the stage. */
const SHOWS = ['coins', 'receipt'];
const THEMES = ['light', 'dark'];
/** Stages that change only when the visitor acts. */
const STILL = new Set(['choose', 'paid', 'complete', 'expired', 'late']);
const REFRESH_S = 20;
const REFRESH = `<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>`;

/**
 * The hosted page: the checkout element, rendered on the server.
 * @example createPage({files}).render({checkout, acceptLanguage: 'de', lang: null, basePath: '',
 * publicUrl, successUrl: null, secure: true})
 */
export function createPage({ files = null, color = null, image = null }: PageOptions = {}) {
  const colorStyle = createColorStyle(color, 'crypto-checkout');
  const refundStyle = createColorStyle(color, 'crypto-refund');
  return {
    /** The page of one checkout. */
    render: (request: PageRequest): PageResponse =>
      renderPage(request, { files, image, colorStyle }),

    /** The same as text, for terminals. */
    renderText({ colours, ...request }: PageRequest & { colours: boolean }): {
      text: string;
      language: string;
    } {
      const language = chooseLocale(request.lang, request.acceptLanguage);
      const link = ownLink({ ...ownLinksOf(request, language), basePath: '' });
      return {
        language,
        text: renderText({
          checkout: request.checkout,
          language,
          publicUrl: request.publicUrl,
          path: link,
          colours,
        }),
      };
    },

    renderMessage,
    renderReceipt,
    renderReceiptText,
    /** The form for a refund. */
    renderRefund: (request: RefundRequest): PageResponse => renderRefund(request, refundStyle()),
    /** The sentence of the refund form that fits a refusal. */
    refundProblem: ({ status, ...refusal }: Refusal & { status: number }) =>
      refundProblem(status, refusal),
    /** The entries and the amount that were checked, as the form sends them along. */
    checkedRefund: checkedText,
  };
}

/** The options of all pages. */
interface Look {
  files: ElementFiles | null;
  image: string | null;
  colorStyle: () => string;
}

function renderPage(request: PageRequest, { files, image, colorStyle }: Look): PageResponse {
  const { basePath, frame = null } = request;
  const checkout = withOwnLogo(request.checkout, request.publicUrl);
  const language = chooseLocale(request.lang, request.acceptLanguage);
  const own = ownLinksOf(request, language);
  const show = SHOWS.includes(request.show ?? '') ? request.show! : null;
  const buys = request.show === 'onramp' && onrampOf(checkout) !== undefined;
  const theme = THEMES.includes(frame?.theme ?? '') ? frame!.theme! : 'auto';
  const page = inLocale(language, () => ({
    main:
      // The page's main heading; in a shop's page that heading is the shop's.
      (frame ? '' : `<h1>${escape(nameOf(checkout, language))}</h1>`) +
      drawMain({ ...request, checkout, language, show, theme: frame && theme }) +
      drawNoScript(checkout, own, show !== null || buys, language),
    onramp: draw(
      drawOnramp({ checkout, link: `${ownLink(own, 'onramp')}#onramp`, open: buys }),
      language,
    ),
    title: titleOf(checkout, language),
    preview: request.preview
      ? {
          title: previewTitle(checkout, language),
          description: msg('Pay with cryptocurrency', { id: 'redirect.link' }),
          image,
        }
      : null,
  }));
  // A refresh would discard the buyer's input.
  const refresh = !STILL.has(checkout.stage) && show === null && !buys ? REFRESH : '';
  const head = refresh + (files ? pageScripts(files, basePath, language) : '');
  const html = documentOf({
    ...page,
    language,
    icon: checkout.merchant.logo,
    css: [page.onramp.includes('<details') ? ONRAMP_CSS : '', frame ? '' : colorStyle()],
    head,
    frame: frame && { origins: frame.origins, theme },
    main:
      withoutIdleStyles(withFullReceiptAddress(keepOwnLinks(page.main, own), request)) +
      page.onramp,
  });
  return {
    html,
    headers: pageHeaders({
      styles: hashesOf(html),
      language,
      secure: request.secure,
      frameAncestors: frame?.origins ?? [],
      frameSource: buys ? new URL(checkout.onramp!).origin : null,
    }),
  };
}

/** The page shows images of its own server only. */
function withOwnLogo(checkout: Checkout, publicUrl: string): Checkout {
  const { merchant } = checkout;
  return !merchant.logo || merchant.logo.startsWith(`${publicUrl}/`)
    ? checkout
    : { ...checkout, merchant: { ...merchant, logo: null } };
}

/** A page with a message: no such payment, or the service is unavailable. */
function renderMessage(request: MessageRequest): PageResponse & { text: string } {
  const language = chooseLocale(request.lang ?? null, request.acceptLanguage ?? null);
  const words = inLocale(language, () => ({
    title: request.title ?? after.statusTexts('error')?.title ?? '',
    text:
      request.text ??
      after.errorText(
        request.status === 404 ? 'not_found' : request.status >= 500 ? 'unavailable' : 'refused',
      ),
    links: [...(request.link ? [request.link] : []), ...linksToShop(request.shop)],
  }));
  const links = words.links
    .map(({ href, text }) => `<p><a href="${escape(href)}">${escape(text)}</a></p>`)
    .join('');
  const main = `<div><h1>${escape(words.title)}</h1><p>${escape(words.text)}</p>${links}</div>`;
  const html = documentOf({ language, title: words.title, css: [MESSAGE_CSS], head: '', main });
  return {
    html,
    text: [
      words.title,
      words.text,
      ...words.links.map(({ href, text }) => `${text}: ${href}`),
      '',
    ].join('\n'),
    headers: pageHeaders({
      styles: hashesOf(html),
      language,
      secure: request.secure,
      frameAncestors: request.frameAncestors ?? [],
    }),
  };
}

function linksToShop(
  { url, contact }: { url: string | null; contact: string | null } = { url: null, contact: null },
) {
  const help = after.contactOf({ contact });
  return [
    ...(pageLink(url) ? [{ href: url!, text: msg('Back to the shop', { id: 'back' }) }] : []),
    ...(help ? [{ href: help, text: msg('Contact the shop', { id: 'contact' }) }] : []),
  ];
}

export type Page = ReturnType<typeof createPage>;

/**
 * Links keep a language from the address; the browser's own preference comes with every request.
 */
function ownLinksOf(
  { checkout, basePath, path, lang, acceptLanguage }: PageRequest,
  language: string,
): OwnLinks {
  const named = lang !== null && acceptedLocale(acceptLanguage) !== language;
  return {
    basePath,
    id: checkout.id,
    path: path ?? `/pay/${encodeURIComponent(checkout.id)}/`,
    lang: named ? language : null,
  };
}

interface MainOptions extends PageRequest {
  language: string;
  show: string | null;
  /** Null outside frames: there the device's theme applies. */
  theme: string | null;
}

function drawMain({ checkout, basePath, successUrl, language, show, theme }: MainOptions): string {
  const framed = theme !== null;
  return quoteSnapshot(
    draw(
      html`<crypto-checkout
        server=${basePath}
        checkout=${checkout.id}
        locale=${language}
        theme=${theme ?? nothing}
        show=${show ?? nothing}
        success-url=${successUrl ?? nothing}
        snapshot=${framed ? JSON.stringify(checkout) : snapshotOf(checkout, show)}
      ></crypto-checkout>`,
      language,
    ),
  );
}

/** Without a script there is no countdown and no update: shows the deadline and a refresh link. */
function drawNoScript(checkout: Checkout, own: OwnLinks, busy: boolean, language: string): string {
  if (busy || STILL.has(checkout.stage)) return '';
  const holds = holdsOf(checkout, language);
  return `<noscript><p>${holds && `${escape(holds)} `}<a href="${escape(ownLink(own))}">${escape(msg('Refresh', { id: 'check' }))}</a></p></noscript>`;
}

/**
 * The price's deadline while it holds, unless the element shows it in its extension offer or its
 * exchange form.
 */
function holdsOf({ stage, payment, server_time }: Checkout, language: string): string {
  if (!payment || !OPEN_STAGES.includes(stage) || payment.extendable || payment.from === 'exchange')
    return '';
  const over = payment.renewable || Date.parse(payment.expires_at ?? '') <= Date.parse(server_time);
  return over ? '' : after.holdsUntil(payment.expires_at, language);
}
