import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { define } from '../base/checkout-element.ts';

// A framework may import this on a server, where HTMLElement does not exist.
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement);

/**
 * A button that opens the checkout in a dialog. It takes the attributes of `<crypto-checkout>` and
 * dispatches its events. Its behaviour is loaded lazily, including its properties; values that were
 * set earlier are kept. Without a script the buyer sees its own content, so put a link there.
 *
 * @tag crypto-checkout-button
 * @summary Opens a checkout in a dialog.
 * @status stable
 * @since 0.1.0
 *
 * @dependency crypto-checkout
 *
 * @event {CheckoutReadyEvent} checkout-ready - The first view is on the screen (`checkout`).
 * @event {CheckoutChangeEvent} checkout-change - The stage changed (`from`, `to`, `checkout`).
 * @event {CheckoutPaidEvent} checkout-paid - The order is paid (`checkout`). Dispatched once.
 * Preventing it keeps the buyer on the page.
 * @event {CheckoutErrorEvent} checkout-error - An error occurred (`code`, `message`, `checkout`).
 * `code` is `setup`, `network`, `unavailable`, `busy`, `not_found`, `refused`, `malformed` or
 * `tampered`; `message` is for developers; the buyer sees a sentence in the dialog.
 * @event {CheckoutCloseEvent} checkout-close - The dialog is closing, or the buyer is leaving
 * (`stage`, which is `error` without a checkout, and `checkout`). Preventing it keeps the dialog
 * open, unless the event is not cancelable: some browsers close a dialog when Escape is pressed
 * twice.
 *
 * @slot - The button's text. A link or button in it replaces ours, and works without a script.
 *
 * @csspart button - The button.
 * @csspart dialog - The dialog.
 * @csspart close - Closes the dialog.
 *
 * @cssproperty [--crypto-checkout-accent] - Background of the button, focus rings, and links and
 * icons in the dialog.
 * @cssproperty [--crypto-checkout-background] - Background of the dialog, and text on the button.
 * @cssproperty [--crypto-checkout-text] - Text in the dialog; muted text and lines mix it with
 * the background.
 * @cssproperty [--crypto-checkout-success] - Success in the dialog.
 * @cssproperty [--crypto-checkout-warning] - Warnings in the dialog.
 * @cssproperty [--crypto-checkout-danger] - Errors in the dialog.
 * @cssproperty [--crypto-checkout-radius=12px] - Corner radius of the button, the dialog and its
 * content.
 * @cssproperty [--crypto-checkout-font] - Font in the dialog, as the `font` shorthand. The button
 * inherits the page's font.
 * @cssproperty [--crypto-checkout-font-mono] - Font of addresses.
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Largest size of the QR code with its quiet zone.
 */
export class CryptoCheckoutButton extends Base {
  /**
   * The checkout server's address.
   * @attr server
   */
  declare server: string | null | undefined;

  /**
   * An order token, signed by the shop's server.
   * @attr order
   */
  declare order: string | null | undefined;

  /**
   * The id of an existing checkout, instead of an order.
   * @attr checkout
   */
  declare checkoutId: string | null | undefined;

  /**
   * The id of an invoice, instead of an order.
   * @attr invoice
   */
  declare invoice: string | null | undefined;

  /**
   * The preferred kind: its invoice is created as soon as the dialog opens, without a click. The
   * buyer can still choose another coin.
   * @attr kind
   */
  declare kind: string | null | undefined;

  /**
   * The language, as a BCP 47 tag, also with `_` instead of `-`. The element's own `lang` is not
   * read.
   * @attr locale
   */
  declare locale: string | null | undefined;

  /**
   * Public keys of the payment service, separated by spaces. With them the checkout shows no
   * address that the service has not signed, and no amount above the signed one. Only
   * with `mode="inline"`.
   * @attr proof-key
   */
  declare proofKey: string | null | undefined;

  /**
   * The page to open after payment. Used only if the server allows it.
   * @attr success-url
   */
  declare successUrl: string | null | undefined;

  /**
   * Content of the dialog: `inline` is the checkout, `frame` an iframe of the checkout server,
   * which takes `theme` and the custom properties but no `::part`. With `redirect` the button is a
   * link to the hosted page.
   * @attr mode
   */
  declare mode: 'inline' | 'frame' | 'redirect' | null | undefined;

  /**
   * `none` leaves out merchant, description and price, where the shop's page shows them already.
   * @attr header
   */
  declare header: string | null | undefined;

  /**
   * When the buyer returns to the shop after paying: after 20 to 60 seconds, `now`, or `off` for
   * only when they press the button. Default: after 20 seconds.
   * @attr redirect-after
   */
  declare redirectAfter: string | null | undefined;

  /**
   * The shop's help, as an https or mailto address: shown with errors that prevent the checkout.
   * @attr contact
   */
  declare contact: string | null | undefined;

  /**
   * Colour scheme. `auto`, the default, follows the buyer's device.
   * @attr theme
   */
  declare theme: 'auto' | 'light' | 'dark' | null | undefined;

  /**
   * Name of a scenario to play without a server.
   * @attr demo
   */
  declare demo: string | null | undefined;

  /**
   * The checkout on display, or null. A string that is assigned here is used as `checkoutId`.
   * @readonly
   */
  declare readonly checkout: Checkout | null;

  /**
   * Opens the checkout in place of the attributes.
   * @internal
   */
  declare opening: import('../checkout/checkout.ts').CryptoCheckout['opening'];

  #dialog: Promise<import('./dialog.ts').Dialog> | undefined;

  connectedCallback(): void {
    void this.#load().then((dialog) => dialog.draw());
  }

  disconnectedCallback(): void {
    void this.#dialog?.then((dialog) => dialog.end());
  }

  /** Opens the dialog. */
  async open(): Promise<void> {
    await (await this.#load()).open();
  }

  /** Closes the dialog, unless the page prevents it. */
  async close(): Promise<void> {
    (await this.#dialog)?.close();
  }

  #load(): Promise<import('./dialog.ts').Dialog> {
    return (this.#dialog ??= import('./dialog.ts').then((module) => new module.Dialog(this)));
  }
}

define('crypto-checkout-button', CryptoCheckoutButton);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-checkout-button': CryptoCheckoutButton;
  }
}
