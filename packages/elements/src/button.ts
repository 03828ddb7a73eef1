import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { define } from './part.ts';

// On a server, where a framework may import it, there are no elements.
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement);

/**
 * A button that opens the checkout in a dialog. It takes the attributes of `<crypto-checkout>` and tells its events. All that it does is
 * fetched once one is on the page, its properties too: what is set before is taken over; without a script its own content is what the buyer sees, so a link belongs into it.
 *
 * @tag crypto-checkout-button
 * @summary Opens a checkout in a dialog.
 * @status stable
 * @since 0.1.0
 *
 * @dependency crypto-checkout
 *
 * @event {CheckoutReadyEvent} checkout-ready - The first view of the checkout is there (`checkout`).
 * @event {CheckoutChangeEvent} checkout-change - It went from one stage to another (`from`, `to`, `checkout`).
 * @event {CheckoutPaidEvent} checkout-paid - It is paid (`checkout`). Once. Cancelling it keeps the buyer on the page.
 * @event {CheckoutErrorEvent} checkout-error - Something went wrong (`code`, `message`, `checkout`). `code` is `setup`, `network`, `unavailable`, `busy`, `not_found`, `refused`, `malformed` or `tampered`; `message` is for developers: the buyer reads a sentence in the dialog.
 * @event {CheckoutCloseEvent} checkout-close - The dialog is closing, or the buyer is leaving (`stage`, which is `error` where there is no checkout, and `checkout`). Cancelling it keeps it open, where it can be cancelled: not when the browser closes the dialog all the same, as some do when Escape is pressed again.
 *
 * @slot - The button's text. A link or a button in it takes the place of ours, and works without a script.
 *
 * @csspart button - The button.
 * @csspart dialog - The dialog.
 * @csspart close - Closes the dialog.
 *
 * @cssproperty [--crypto-checkout-accent] - The button's background, focus rings, and in the dialog links and pictures.
 * @cssproperty [--crypto-checkout-background] - The dialog's background, and the text on the button.
 * @cssproperty [--crypto-checkout-text] - Text in the dialog; quieter text and lines are mixed from it and the background.
 * @cssproperty [--crypto-checkout-success] - In the dialog: paid.
 * @cssproperty [--crypto-checkout-warning] - In the dialog: attention.
 * @cssproperty [--crypto-checkout-danger] - In the dialog: failed.
 * @cssproperty [--crypto-checkout-radius=12px] - Corners of the button, the dialog and what is in it.
 * @cssproperty [--crypto-checkout-font] - Font in the dialog, as the shorthand. The button has that of the page around it.
 * @cssproperty [--crypto-checkout-font-mono] - Font of addresses.
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Longest side of the code's image, with the white around it that scanners need.
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
   * The id of a checkout that is open already, instead of an order.
   * @attr checkout
   */
  declare checkoutId: string | null | undefined;

  /**
   * The id of an invoice, instead of an order.
   * @attr invoice
   */
  declare invoice: string | null | undefined;

  /**
   * The kind to pay with, when the buyer has not chosen yet: its invoice is made once the dialog opens, without a click. The buyer can
   * still take another coin.
   * @attr kind
   */
  declare kind: string | null | undefined;

  /**
   * The language, as a BCP 47 tag, also with `_` as shop systems write it. `lang` of the element is not read.
   * @attr locale
   */
  declare locale: string | null | undefined;

  /**
   * Where to go once it is paid. Followed only where the server allows it.
   * @attr success-url
   */
  declare successUrl: string | null | undefined;

  /**
   * What is in the dialog: the checkout, or with `frame` a frame of the checkout server, which takes `theme` and the custom properties but
   * no `::part`; with `redirect` the button is a link to the hosted page.
   * @attr mode
   */
  declare mode: 'inline' | 'frame' | 'redirect' | null | undefined;

  /**
   * `auto`, the default, is what the buyer's device prefers.
   * @attr theme
   */
  declare theme: 'auto' | 'light' | 'dark' | null | undefined;

  /**
   * The name of a scenario that is played instead of asking a server.
   * @attr demo
   */
  declare demo: string | null | undefined;

  /**
   * What its checkout shows now, or null while there is none. A text that is set here is taken as `checkoutId`.
   * @readonly
   */
  declare readonly checkout: Checkout | null;

  /**
   * What its checkout is given in place of attributes that say how it is opened.
   * @internal
   */
  declare opening: import('./checkout.ts').CryptoCheckout['opening'];

  #dialog: Promise<import('./dialog.ts').Dialog> | undefined;

  connectedCallback(): void {
    void this.#load().then((dialog) => dialog.draw());
  }

  disconnectedCallback(): void {
    void this.#dialog?.then((dialog) => dialog.end());
  }

  /** Opens the checkout. */
  async open(): Promise<void> {
    await (await this.#load()).open();
  }

  /** Closes it, unless the page keeps it open. */
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
