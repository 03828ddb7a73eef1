import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { FRAMEWORKS } from './frameworks.ts';
import type { Order } from './orders.ts';
import { PRODUCTS, type Product } from './products.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const picture = (product: Product): Html =>
  html`<svg class="picture" viewBox="0 0 180 160" role="img" aria-label="${product.name}">
    ${raw(product.picture)}
  </svg>`;

export const shell = (title: string, body: Html, head: Html | '' = ''): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Quay &amp; Co.</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/assets/shop.css" />
        ${head}
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/">Quay &amp; Co.</a
          ><span class="tag">demo shop · test coins only</span>
        </header>
        <main>${body}</main>
      </body>
    </html>`;

export const homePage = (): Html =>
  shell(
    'Shop',
    html`<h1>Good things for the day</h1>
      <ul class="shelf">
        ${PRODUCTS.map(
          (product) =>
            html`<li class="card">
              ${picture(product)}
              <h2>${product.name}</h2>
              <p>${product.text}</p>
              <form method="post" action="/orders">
                <button name="product" value="${product.id}">Buy for $${product.amount}</button>
              </form>
            </li>`,
        )}
      </ul>
      <nav class="more" aria-labelledby="more">
        <h2 id="more">For developers</h2>
        <ul>
          <li>
            <a href="/scenarios/">Scenarios</a>: every stage and fault, played without a server, in
            each theme, language and width
          </li>
          <li>
            Examples:
            ${FRAMEWORKS.filter((name) => name !== 'angular').map((name) => html`<a href="/frameworks/${name}/">${NAMES[name]}</a> `)}
          </li>
        </ul>
      </nav>`,
  );

const NAMES: Record<string, string> = {
  html: 'plain HTML',
  react: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
};

/** Texts of an order's states, which come from webhooks only. */
export const STATUS_TEXT: Record<Order['status'], string> = {
  open: 'Waiting for your payment',
  // No event takes it back: the checkout below says when the network drops the payment.
  seen: 'Payment seen. The checkout shows how it goes on.',
  underpaid: 'Part of the amount arrived',
  wrong_coin: 'Another coin arrived. It does not pay the order. The checkout has the details.',
  paid: 'Paid. We are packing it.',
  complete: 'Paid and final. It is on its way.',
  late: 'Payment arrived late. We will write to you.',
  reversed: 'The payment was taken back by the network. We hold the order.',
  expired: 'No payment came. You can still pay at a new price.',
  refund_requested: 'Refund requested. We’re reviewing it.',
  refunded: 'The refund was sent. The order is not paid.',
};

/** The ways to embed the checkout. */
export const FORMS = [
  { id: 'inline', name: 'In the page' },
  { id: 'button', name: 'Button and dialog' },
  { id: 'frame', name: 'In a frame' },
  { id: 'redirect', name: 'On its own page' },
] as const;
type Form = (typeof FORMS)[number]['id'];

/** Without scripts: the hosted page consists of links and forms. */
const withoutScripts = (server: string, token: string): Html =>
  html`<noscript>
    <form method="post" action="${server}/checkouts">
      <input type="hidden" name="order" value="${token}" />
      <button>Pay with cryptocurrency</button>
    </form>
  </noscript>`;

/** The checkout in one of its forms: a shop needs one of these lines. */
function embedded(form: Form, server: string, token: string): Html {
  switch (form) {
    case 'button':
      return html`<crypto-checkout-button
        server="${server}"
        order="${token}"
        data-paid="View the payment"
        >Pay with cryptocurrency</crypto-checkout-button
      >`;
    case 'frame':
      return html`<crypto-checkout
        server="${server}"
        order="${token}"
        mode="frame"
        header="none"
      ></crypto-checkout>`;
    case 'redirect':
      return html`<crypto-checkout
        server="${server}"
        order="${token}"
        mode="redirect"
      ></crypto-checkout>`;
    case 'inline':
    default:
      // The page shows the order itself.
      return html`<crypto-checkout
        server="${server}"
        order="${token}"
        header="none"
      ></crypto-checkout>`;
  }
}

export interface OrderPageOptions {
  form: Form;
  order: Order;
  product: Product;
  token: string;
  checkoutUrl: string;
  script: { src: string; integrity: string };
  /** Whether the test wallet can pay on a simulated chain. */
  hasWallet: boolean;
}

export const orderPage = ({
  order,
  product,
  token,
  form,
  checkoutUrl,
  script,
  hasWallet,
}: OrderPageOptions): Html =>
  shell(
    `Order ${order.id}`,
    html`<div class="order">
      <section class="summary" aria-labelledby="summary">
        <h1 id="summary">Your order</h1>
        ${picture(product)}
        <p class="line"><span>${order.description}</span><strong>$${order.amount}</strong></p>
        <p class="muted">Order ${order.id}</p>
        <p class="status" id="order-status" role="status" data-status="${order.status}">
          ${STATUS_TEXT[order.status]}
        </p>
      </section>
      <section class="pay" aria-label="Payment">
        ${embedded(form, checkoutUrl, token)}${withoutScripts(checkoutUrl, token)}
        <nav class="forms" aria-label="How the checkout is embedded">
          ${FORMS.map(
            ({ id, name }) =>
              html`<a
                href="/orders/${order.id}?form=${id}"
                ${id === form ? raw('aria-current="page"') : ''}
                >${name}</a
              >`,
          )}
        </nav>
      </section>
      ${hasWallet ? walletPanel() : ''}
    </div>`,
    html`<script
        type="module"
        src="${script.src}"
        integrity="${script.integrity}"
        crossorigin="anonymous"
      ></script>
      <script type="module" src="/assets/shop.mjs"></script>`,
  );

/** @param receipt - Address of the receipt; null until a webhook has named the checkout. */
export const thanksPage = (order: Order, receipt: string | null): Html =>
  shell(
    'Thank you',
    html`<section class="thanks">
      <h1>Thank you</h1>
      <p class="status" id="order-status" role="status" data-status="${order.status}">
        ${STATUS_TEXT[order.status]}
      </p>
      <p class="muted">Order ${order.id} · ${order.description} · $${order.amount}</p>
      <p>
        <a href="/orders/${order.id}">Your order</a
        >${receipt === null ? '' : html` · <a href="${receipt}">Receipt</a>`}
      </p>
      <p><a href="/">Back to the shop</a></p>
    </section>`,
    html`<script type="module" src="/assets/shop.mjs"></script>`,
  );

export const messagePage = (title: string, text: string): Html =>
  shell(
    title,
    html`<section class="thanks">
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">Back to the shop</a></p>
    </section>`,
  );

const walletPanel = (): Html =>
  html`<details class="wallet" id="wallet">
    <summary>Test wallet</summary>
    <p class="muted">
      Plays the buyer and the network on simulated chains. Choose a coin in the checkout first.
    </p>
    <div class="row" role="group" aria-label="Pay">
      <button type="button" data-action="pay">Pay exactly</button>
      <button type="button" data-action="pay-half">Pay half</button>
      <button type="button" data-action="pay-double">Pay double</button>
      <button type="button" data-action="pay-wrong">Pay the wrong coin</button>
    </div>
    <div class="row" role="group" aria-label="Network">
      <button type="button" data-action="mine-1">Mine 1 block</button>
      <button type="button" data-action="mine-12">Mine 12 blocks</button>
      <button type="button" data-action="replace">Replace payment</button>
      <button type="button" data-action="drop">Drop payment</button>
      <button type="button" data-action="fail">Fail payment</button>
      <button type="button" data-action="reorg">Reorganise 1 block</button>
    </div>
    <div class="row" role="group" aria-label="Clock">
      <button type="button" data-action="clock-900">Clock +15 minutes</button>
      <button type="button" data-action="clock-86400">Clock +1 day</button>
    </div>
    <output id="wallet-said" aria-live="polite"></output>
  </details>`;
