import { askText, type RefundForm } from '@crypto-checkout/elements/refund';
import { inLocale, msg } from '@crypto-checkout/elements/locale';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html } from 'lit';
import { documentOf } from './document.ts';
import { draw } from './draw.ts';
import { escape } from './escape.ts';
import { pageHeaders } from './headers.ts';
import { chooseLocale } from './locale.ts';
import type { PageResponse } from './page.ts';
import { REFUND_CSS } from './sheet.ts';
import { hashesOf } from './styles.ts';
import { nameOf } from './title.ts';

export interface RefundRequest {
  checkout: Checkout;
  /** Null for an empty form. */
  form: RefundForm | null;
  acceptLanguage: string | null;
  lang: string | null;
  /** Prefix of every path. */
  basePath: string;
  secure: boolean;
}

/** The page of the form for a refund; it needs no script. */
export function renderRefund(request: RefundRequest, colorStyle: string): PageResponse {
  const { checkout, form, basePath, secure } = request;
  const language = chooseLocale(request.lang, request.acceptLanguage);
  const query = request.lang === null ? '' : `?lang=${language}`;
  const id = encodeURIComponent(checkout.id);
  const { title, back } = inLocale(language, () => ({
    title: askText(),
    back: msg('Close', { id: 'close' }),
  }));
  const element = draw(
    html`<crypto-refund
      .checkout=${checkout}
      .action="${basePath}/checkouts/${id}/refund${query}"
      .form=${form ?? undefined}
    ></crypto-refund>`,
    language,
  )
    // The renderer writes no content into a text area.
    .replace('</textarea>', () => `${escape(form?.address ?? '')}</textarea>`);
  const link = `<p><a href="${escape(`${basePath}/pay/${id}/${query}`)}">${escape(back)}</a></p>`;
  const document = documentOf({
    language,
    title: `${title} · ${nameOf(checkout, language)}`,
    icon: checkout.merchant.logo,
    css: [REFUND_CSS, colorStyle],
    head: '',
    main: `<div><h1>${escape(title)}</h1>${element}${link}</div>`,
  });
  return {
    html: document,
    headers: pageHeaders({ styles: hashesOf(document), language, secure }),
  };
}
