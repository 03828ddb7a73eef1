import * as after from '@crypto-checkout/elements/server';
import { inLocale, msg } from '@crypto-checkout/elements/locale';
import { formatCoins, formatPrice } from '@crypto-checkout/elements/number';
import { refundName, refundText } from '@crypto-checkout/elements/refund';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { documentOf } from './document.ts';
import { escape } from './escape.ts';
import { pageHeaders } from './headers.ts';
import { chooseLocale } from './locale.ts';
import type { PageResponse } from './page.ts';
import { RECEIPT_CSS } from './sheet.ts';
import { hashesOf } from './styles.ts';

interface Money {
  amount: string;
  currency: string;
}

/** The claims of a signed receipt that its page shows. */
export interface ReceiptClaims {
  invoice_id: string;
  order_id: string | null;
  network: string;
  kind: string;
  final: boolean;
  amount: Money;
  invoiced: Money;
  created_at: string;
  payments: readonly {
    kind: string;
    txid: string;
    amount: Money;
    created_at: string;
  }[];
  refunds: readonly {
    kind: string;
    txid: string | null;
    amount: Money;
    status: string;
    created_at: string;
  }[];
}

export interface ReceiptRequest {
  claims: ReceiptClaims;
  merchantName: string;
  /** The receipt as files. */
  files: readonly { href: string; name: string }[];
  /** `form`: the buyer can have it sent; `sent`: it was sent. */
  mail: 'form' | 'sent' | null;
  acceptLanguage: string | null;
  lang: string | null;
  secure: boolean;
}

type Row = readonly [label: string, value: string | null];

/** The page of a signed receipt, for printing; it needs no script. */
export function renderReceipt(request: ReceiptRequest): PageResponse {
  const { files } = request;
  const language = chooseLocale(request.lang, request.acceptLanguage);
  const { signed: title, back, lists, mail } = contentOf(request, language);
  const query = request.lang === null ? '' : `?lang=${language}`;
  const links = files
    .map(
      ({ href, name }) =>
        `<a download="${escape(name)}" href="${escape(href)}">${escape(name)}</a>`,
    )
    .join(' · ');
  const main = `<div><h1>${escape(title)}</h1>${lists.map(drawList).join('')}<p>${links}</p>${mail}<p><a href="./${query}">${escape(back)}</a></p></div>`;
  const html = documentOf({
    language,
    title: titleOf(title, request),
    css: [RECEIPT_CSS],
    head: '',
    main,
  });
  const styles = hashesOf(html);
  return { html, headers: pageHeaders({ styles, language, secure: request.secure }) };
}

/** The same as text, for an e-mail. */
export function renderReceiptText(request: Omit<ReceiptRequest, 'files' | 'mail'>): {
  title: string;
  text: string;
  language: string;
} {
  const language = chooseLocale(request.lang, request.acceptLanguage);
  const { title, lists } = contentOf({ ...request, mail: null }, language);
  const blocks = lists.map((rows) =>
    rows.flatMap(([label, value]) => (value ? `${label}: ${value}\n` : [])).join(''),
  );
  return { title: titleOf(title, request), text: blocks.join('\n'), language };
}

type Content = Omit<ReceiptRequest, 'files'>;

const contentOf = (request: Content, language: string) =>
  inLocale(language, () => ({
    title: msg('Receipt', { id: 'receipt' }),
    signed: msg('Signed receipt', { id: 'receipt.signed' }),
    back: msg('Back', { id: 'picker.back' }),
    lists: [
      orderRows(request, language),
      ...request.claims.payments.map((one) => rowsOf(one, language)),
      ...request.claims.refunds.map((one) => refundRows(one, language)),
    ],
    mail: drawMail(request.mail),
  }));

const titleOf = (
  title: string,
  {
    claims: { order_id, invoice_id },
    merchantName,
  }: Pick<ReceiptRequest, 'claims' | 'merchantName'>,
): string => `${title} · ${merchantName} · ${order_id ?? invoice_id}`;

function drawMail(mail: ReceiptRequest['mail']): string {
  if (mail === null) return '';
  if (mail === 'sent') return `<p role="status">${escape(after.sentText())}</p>`;
  const send = escape(after.mailText());
  return `<form method="post"><label>${send}<input type="email" name="email" required maxlength="254" autocomplete="email"></label><button>${escape(msg('Continue', { id: 'continue' }))}</button></form>`;
}

function orderRows({ claims, merchantName }: Content, language: string): Row[] {
  const { order_id, amount, invoiced, kind, network, final, created_at, invoice_id } = claims;
  const asked = /[1-9]/.test(amount.amount);
  const coins = `${formatCoins(invoiced.amount, language)} ${invoiced.currency}`;
  const status = after.statusTexts(final ? 'complete' : 'paid');
  return [
    [
      msg('Status', { id: 'details.status' }),
      after.sentences(
        status?.title,
        // Before it is final, a reorganisation of the chain can take the payment back.
        final && status?.text,
        network !== 'mainnet' && msg('Test network: these coins have no value.', { id: 'test' }),
      ),
    ],
    [msg('Paid to', { id: 'details.merchant' }), merchantName],
    [msg('Order number', { id: 'details.order' }), order_id],
    [msg('Amount', { id: 'amount' }), asked ? formatPrice(amount, language) : null],
    [msg('Price', { id: 'details.price' }), asked ? coins : null],
    [msg('Coin', { id: 'details.coin' }), coinOf(kind)],
    [msg('Time', { id: 'details.time' }), after.formatTimestamp(created_at, language)],
    [msg('Invoice', { id: 'details.invoice' }), invoice_id],
  ];
}

function rowsOf(payment: ReceiptClaims['payments'][number], language: string): Row[] {
  const { txid, amount, created_at, kind } = payment;
  return [
    [msg('Transaction', { id: 'details.transaction' }), txid],
    [
      msg('Received', { id: 'details.received' }),
      `${formatCoins(amount.amount, language)} ${amount.currency}`,
    ],
    [msg('Coin', { id: 'details.coin' }), coinOf(kind)],
    [msg('Time', { id: 'details.time' }), after.formatTimestamp(created_at, language)],
  ];
}

function refundRows(
  { txid, amount, created_at, kind, status }: ReceiptClaims['refunds'][number],
  language: string,
): Row[] {
  return [
    [refundName(), `${formatCoins(amount.amount, language)} ${amount.currency}`],
    [msg('Status', { id: 'details.status' }), refundText(status)],
    [msg('Transaction', { id: 'details.transaction' }), txid],
    [msg('Coin', { id: 'details.coin' }), coinOf(kind)],
    [msg('Time', { id: 'details.time' }), after.formatTimestamp(created_at, language)],
  ];
}

function coinOf(name: string): string {
  const kind = kindOf(name);
  return kind ? after.coinText(kind.name, kind.symbol, kind.network) : name;
}

const drawList = (rows: readonly Row[]): string =>
  `<dl>${rows
    .map(([label, value]) =>
      value ? `<dt>${escape(label)}</dt><dd><bdi>${escape(value)}</bdi></dd>` : '',
    )
    .join('')}</dl>`;
