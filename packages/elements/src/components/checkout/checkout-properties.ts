import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CSSResult, PropertyDeclarations } from 'lit';
import type { Show } from '../../core/panel.ts';
import { type CheckoutLocation, parseCheckout } from '../../server/checkout-server.ts';
import { checkoutSheet } from '../../styles/checkout-sheet.ts';
import { sheet } from '../../styles/sheet.ts';
import { CheckoutElement } from '../base/checkout-element.ts';

/** Attributes that select the checkout. */
export const LOCATION = [
  'server',
  'order',
  'checkoutId',
  'invoice',
  'successUrl',
  'demo',
  'proofKey',
] as const;

/** Attributes and properties of `<crypto-checkout>`. */
export class CheckoutProperties extends CheckoutElement {
  static override styles: CSSResult[] = [sheet, checkoutSheet];
  static override properties: PropertyDeclarations = {
    server: {},
    order: {},
    // Some properties are listed under a second name, for frameworks that derive attribute names
    // from property names. The accessors of this one are in the subclass.
    checkout: { noAccessor: true },
    checkoutId: {},
    invoice: {},
    kind: {},
    proofKey: { attribute: 'proof-key' },
    'success-url': { noAccessor: true },
    successUrl: {},
    mode: {},
    show: {},
    header: {},
    redirectAfter: { attribute: 'redirect-after' },
    contact: {},
    theme: {},
    demo: {},
    snapshot: { converter: parseCheckout },
  };

  /** The checkout server's address. */
  declare server: string | null | undefined;

  /** An order token, signed by the shop's server. */
  declare order: string | null | undefined;

  /**
   * The id of an existing checkout, instead of an order.
   * @attr checkout
   */
  declare checkoutId: string | null | undefined;

  /** The id of an invoice, instead of an order. */
  declare invoice: string | null | undefined;

  /**
   * The preferred kind: its invoice is created at once, without a click. The buyer can still choose
   * another coin.
   */
  declare kind: string | null | undefined;

  /**
   * Public keys of the payment service, separated by spaces. With them the element shows no address
   * that the service has not signed, and no amount above the signed one. Only in `mode="inline"`.
   * @attr proof-key
   */
  declare proofKey: string | null | undefined;

  /**
   * The page to open after payment. Used only if the server allows it.
   * @attr success-url
   */
  declare successUrl: string | null | undefined;

  /** @internal */
  set 'success-url'(url: string | null | undefined) {
    this.successUrl = url;
  }

  /**
   * `inline` shows the checkout here, `frame` in an iframe of the checkout server. `redirect`, or
   * an unknown value, shows a link to the hosted page. A frame takes `theme` and the custom
   * properties, fonts as far as the device has them, but no `::part`.
   */
  declare mode: 'inline' | 'redirect' | 'frame' | undefined;

  /** The view: `stage`, the default, all `coins`, the `receipt`, or the form for a `refund`. */
  declare show: Show | null | undefined;

  /**
   * `none` leaves out merchant, description and price, where the shop's page shows them already.
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
   */
  declare contact: string | null | undefined;

  /** Colour scheme. `auto`, the default, follows the buyer's device. */
  declare theme: 'auto' | 'light' | 'dark' | null | undefined;

  /** Name of a scenario to play without a server; nothing is paid. */
  declare demo: string | null | undefined;

  /**
   * Opens the checkout in place of the attributes. Called again after each failure.
   * @internal
   */
  declare opening: (() => Promise<CheckoutLocation>) | undefined;

  /** The checkout that the hosted page's server has drawn, as JSON. */
  declare snapshot: Checkout | null | undefined;
}
