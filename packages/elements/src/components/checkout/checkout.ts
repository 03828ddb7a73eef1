import type { Checkout } from '@crypto-checkout/protocol/checkout';
import {
  CheckoutCloseEvent,
  type CheckoutErrorCode,
  CheckoutErrorEvent,
} from '../../events/checkout-events.ts';
import {
  frame,
  statusModule,
  loadAdvice,
  loadStatus,
  loadController,
  loadHandOff,
  loadPicker,
  needsStatus,
} from '../../core/lazy-registry.ts';
import { directionOf } from '../../i18n/locale.ts';
import { drawStage } from './stage.ts';
import { loadParts } from './load-parts.ts';
import { drawOrder } from './order-header.ts';
import type { CheckoutHost, Controller, ControllerHost } from '../../core/contracts.ts';
import { define } from '../base/checkout-element.ts';
import { type PropertyValues, type TemplateResult, html } from 'lit';
import { CheckoutProperties, LOCATION } from './checkout-properties.ts';
import {
  type Failure,
  type CheckoutLocation,
  addressOf,
  failure,
  openCheckout,
} from '../../server/checkout-server.ts';

/** Between retries. */
const RETRY_MS = 4000;

/**
 * The whole checkout: choose a coin, pay, follow the payment. Its custom properties also work with
 * `mode="frame"`.
 *
 * @tag crypto-checkout
 * @summary Pays one order with cryptocurrency.
 * @status stable
 * @since 0.1.0
 *
 * @dependency crypto-coin-picker
 * @dependency crypto-amount
 * @dependency crypto-address
 * @dependency crypto-qr
 * @dependency crypto-countdown
 * @dependency crypto-status
 *
 * @event {CheckoutReadyEvent} checkout-ready - The first view is on the screen (`checkout`).
 * @event {CheckoutChangeEvent} checkout-change - The stage changed (`from`, `to`, `checkout`).
 * @event {CheckoutPaidEvent} checkout-paid - The order is paid (`checkout`). Dispatched once.
 * Preventing it keeps the buyer on the page.
 * @event {CheckoutErrorEvent} checkout-error - An error occurred (`code`, `message`, `checkout`).
 * `code` is `setup`, `network`, `unavailable`, `busy`, `not_found`, `refused`, `malformed` or
 * `tampered`; `message` is for developers; the buyer sees a sentence in the element.
 * @event {CheckoutCloseEvent} checkout-close - The buyer is leaving (`stage`, which is `error`
 * without a checkout, and `checkout`). Preventing it keeps the buyer on the page.
 *
 * @csspart base - The whole checkout.
 * @csspart header - Merchant, description and amount.
 * @csspart logo - The merchant's logo.
 * @csspart merchant - The merchant's name.
 * @csspart total - The order's amount.
 * @csspart note - A note beside the stage, such as test network, lost connection, overpayment.
 * @csspart stage - The current stage.
 * @csspart status - The status element.
 * @csspart badge - The stage's icon.
 * @csspart heading - The stage's heading.
 * @csspart text - The stage's sentence.
 * @csspart confirmations - The confirmations so far.
 * @csspart usual - The usual duration.
 * @csspart countdown - The countdown element.
 * @csspart clock - The time left.
 * @csspart more - The form that asks for more time.
 * @csspart more-button - The button that asks for more time.
 * @csspart from - The choice between wallet and exchange.
 * @csspart other-address - The hint that another address was shown before.
 * @csspart twins - The choice between bitcoin's own network and lightning.
 * @csspart option - One option of a choice.
 * @csspart qr - The QR code element.
 * @csspart image - The QR code on its white square.
 * @csspart wallet-link - Opens a wallet.
 * @csspart hand-off - The element with wallets and sharing.
 * @csspart wallet-button - Pays with a wallet in this browser.
 * @csspart wallet - Opens a wallet app on this phone.
 * @csspart wallets - The collapsible list of other wallets.
 * @csspart refunds - The refunds and their states.
 * @csspart refund - One refund.
 * @csspart refund-link - Opens the form for a refund.
 * @csspart refund-replace - Opens it to use another address.
 * @csspart refund-form - The element that asks for a refund.
 * @csspart refund-address - The field for the buyer's address.
 * @csspart refund-tag - The field for a destination tag.
 * @csspart large - Shows the QR code on the whole screen.
 * @csspart large-code - The QR code on the whole screen.
 * @csspart close-button - Closes the large QR code.
 * @csspart share - Shares the payment link.
 * @csspart amount - The amount element.
 * @csspart address - The address element.
 * @csspart field - Label, value and copy button of amount, address or tag.
 * @csspart label - The label of a field.
 * @csspart value - The value of a field.
 * @csspart hint - The line below a value.
 * @csspart copy-button - Copies a value.
 * @csspart plain - The collapsible unconfidential address.
 * @csspart network - The network of the amount.
 * @csspart again - The collapsed payment details, where paying again is not the next step.
 * @csspart clear-button - Clears the search for a coin.
 * @csspart exchange-network - The network to choose at an exchange.
 * @csspart recipient - The collapsible answers to an exchange's questions about the recipient.
 * @csspart holds - Why the price is held longer.
 * @csspart transactions - The received payments.
 * @csspart transaction - One received payment.
 * @csspart explorer-link - Opens a payment in a block explorer.
 * @csspart success-link - Returns to the shop after paying.
 * @csspart stay-button - Keeps the buyer on the page after paying.
 * @csspart contact-link - Opens the shop's help.
 * @csspart check-link - Reloads the page, without a script.
 * @csspart renew - The form that asks for a new price.
 * @csspart renew-button - The button that asks for a new price.
 * @csspart other-coin - Opens the list of coins.
 * @csspart picker - The coin picker element.
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart asset - The coins of one asset.
 * @csspart mark - The round symbol of an asset.
 * @csspart approx - The approximate amount.
 * @csspart coin - The asset on one network.
 * @csspart gas - The coin that the network fee is paid in.
 * @csspart submit - The coin picker's submit button.
 * @csspart details - The collapsible payment details.
 * @csspart facts - The list of payment details.
 * @csspart fact - One payment detail.
 * @csspart receipt - The receipt.
 * @csspart receipt-link - Opens the receipt.
 * @csspart stage-link - Leads from the details of an unpaid order to its payment.
 * @csspart receipt-file - Opens the signed receipt.
 * @csspart receipt-mail - Opens the page that sends the receipt.
 * @csspart print-button - Prints the receipt.
 * @csspart keep - The permanent link to the payment.
 * @csspart keep-link - The permanent link itself.
 * @csspart close-link - Returns to the stage.
 * @csspart guard - The warning that replaces the checkout after tampering.
 * @csspart guard-link - Opens the payment page after tampering.
 * @csspart retry - Retries after an error.
 * @csspart frame - The iframe, with `mode="frame"`. No `::part` reaches its content.
 * @csspart redirect-link - Opens the hosted page.
 * @csspart footer - The link to the shop and the order's id.
 * @csspart shop-link - Returns to the shop.
 *
 * @cssproperty [--crypto-checkout-accent] - Buttons, links, focus rings and icons.
 * @cssproperty [--crypto-checkout-background] - Background, and the text on buttons.
 * @cssproperty [--crypto-checkout-text] - Text; muted text and lines mix it with the background.
 * @cssproperty [--crypto-checkout-success] - Success.
 * @cssproperty [--crypto-checkout-warning] - Warnings.
 * @cssproperty [--crypto-checkout-danger] - Errors.
 * @cssproperty [--crypto-checkout-radius=12px] - Corner radius.
 * @cssproperty [--crypto-checkout-font] - Font, as the `font` shorthand.
 * @cssproperty [--crypto-checkout-font-mono] - Font of addresses.
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Largest size of the QR code with its quiet zone.
 */
export class CryptoCheckout extends CheckoutProperties implements CheckoutHost {
  /** Incremented at each start: older answers are ignored. */
  #generation = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  #checkout: Checkout | null = null;
  /** Error that prevents the first view. */
  #failure: CheckoutErrorCode | null = null;
  /** Follows the checkout and sends the buyer's choices. */
  #controller: Controller | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  // Some stages are drawn by lazy modules. The previous content stays until they are loaded.
  protected override missing(): Promise<unknown> | undefined {
    const { snapshot } = this;
    const view = this.#checkout ?? snapshot;
    // A server-drawn page stays as it is until the browser can draw the same.
    const needed =
      snapshot ||
      this.#failure ||
      this.#controller?.refused ||
      !this.#inline ||
      this.show === 'receipt' ||
      (view && needsStatus(view));
    const loading = loadParts(this, view, Boolean(needed));
    return loading.length ? Promise.all(loading).then(() => super.missing()) : super.missing();
  }

  protected override broken(message: string): void {
    this.#stop();
    this.#checkout = null;
    this.#onFailure('malformed', message);
  }

  protected override willUpdate(changed: PropertyValues): void {
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- it may be a URL
    this.server &&= String(this.server);
    if (changed.has('snapshot')) this.#checkout = (!this.proofKey && this.snapshot) || null;
    else if (LOCATION.some((name) => changed.has(name))) this.#checkout = this.#failure = null;
  }

  protected override updated(changed: PropertyValues): void {
    const moved = LOCATION.some((name) => changed.has(name));
    if (moved) this.#controller?.forget();
    if (!this.#generation || moved || changed.has('mode')) this.#start();
  }

  /**
   * The checkout on display, or null before the server has answered. A string that is assigned here
   * is used as `checkoutId`: frameworks set attributes as properties of the same name.
   * @readonly
   */
  get checkout(): Checkout | null {
    return this.#checkout;
  }

  set checkout(id: string | null | undefined) {
    this.checkoutId = id;
  }

  /** Polls the server now. */
  refresh(): void {
    if (this.#checkout) this.#controller?.refresh();
    else this.#start();
  }

  // An unknown mode shows a link: it may mean `frame`, which keeps other scripts off the payment.
  get #inline(): boolean {
    return !this.mode || this.mode === 'inline';
  }

  #stop(): void {
    this.#generation += 1;
    this.#controller?.stop();
    clearTimeout(this.#retryTimer);
  }

  #start(): void {
    this.#stop();
    if (this.mode !== 'frame')
      for (const load of [loadController, loadPicker, loadStatus, loadHandOff]) void load();
    // An empty tag waits until the page sets its attributes.
    if (this.#checkout || LOCATION.some((name) => this[name] != null))
      void this.#open(this.#generation);
    else void this.#loadController();
  }

  /** Retries until the server answers. */
  async #open(round: number, view = this.#checkout): Promise<void> {
    try {
      const checkout =
        view ??
        (await (this.demo || this.opening || this.proofKey
          ? this.#openWithController()
          : openCheckout(this.#location)));
      if (round === this.#generation) this.#accept(checkout);
    } catch (error) {
      const { code, message, passing, retryAfterMs } = error as Failure;
      if (round !== this.#generation) return;
      if (!this.#checkout && code !== this.#failure) this.#onFailure(code, message);
      if (passing)
        this.#retryTimer = setTimeout(
          () => void this.#open(round, view),
          retryAfterMs || RETRY_MS * (0.5 + Math.random()),
        );
    }
  }

  /** Once a checkout is open, its own id counts. */
  get #location(): CheckoutLocation {
    const { server, order, successUrl } = this;
    const view = this.#checkout;
    return {
      server,
      order: view ? null : order,
      id: view?.id ?? (this.checkoutId || this.invoice),
      successUrl,
    };
  }

  async #openWithController(): Promise<Checkout> {
    const controller = await this.#loadController();
    if (!controller) throw failure('network', 'controller');
    return controller.open();
  }

  async #loadController(): Promise<Controller | undefined> {
    const module = await loadController();
    return module && (this.#controller ??= new module.CheckoutController(this, this.#callbacks));
  }

  readonly #callbacks: ControllerHost = {
    location: () => this.#location,
    onCheckout: (checkout) => this.#accept(checkout),
    onError: (...error) => this.#onFailure(...error),
    onLeave: () => this.dispatchEvent(new CheckoutCloseEvent(this.#checkout)),
  };

  // An error without a code happened before a request was sent.
  #onFailure(code: CheckoutErrorCode = 'setup', message: string, otherCoin = false): void {
    if (!this.#checkout) this.#failure = code;
    this.requestUpdate();
    const view = this.#checkout;
    void loadAdvice()
      .then((advice) => advice?.explainError(code, message, this) ?? message)
      .then((text) => this.dispatchEvent(new CheckoutErrorEvent(code, text, view)));
    this.say((status) => status.errorText(code, otherCoin));
  }

  /** Accepts a checkout unless it is older than the current one. */
  #accept(next: Checkout): void {
    const now = this.#checkout?.id === next.id ? this.#checkout : null;
    if (now && next.version < now.version && next.server_time <= now.server_time) return;
    this.#checkout = next;
    this.#failure = null;
    this.requestUpdate();
    void this.#attend(next);
  }

  async #attend(next: Checkout): Promise<void> {
    const round = this.#generation;
    const controller = await this.#loadController();
    if (round !== this.#generation) return;
    if (controller) controller.attend(next);
    // Some browsers cache a failed module request. The checkout is requested again instead.
    else this.#retryTimer = setTimeout(() => void this.#open(round, null), RETRY_MS);
  }

  // Forms and links work without a script; with one, the page stays.
  protected override onSubmit(event: SubmitEvent): void {
    const { submitter, defaultPrevented } = event;
    const form = event.target as HTMLFormElement;
    if (defaultPrevented || form.method !== 'post') return;
    event.preventDefault();
    void this.#loadController().then((controller) =>
      controller ? controller.submit(form, submitter) : form.submit(),
    );
  }

  #onLeave(event: Event): void {
    if (!this.#callbacks.onLeave()) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { language } = this;
    const view = this.#checkout;
    const framed = view && this.mode === 'frame' && frame();
    if (framed) return framed.drawFrame(this, this.#callbacks);
    return html`<div class="stack" part="base" lang=${language} dir=${directionOf(language)}>
      ${
        view
          ? html`${drawOrder(view, language, this.header === 'none')}${this.#stage(view)}
              <div class="row" part="footer">
                ${statusModule()?.drawShopLink(view, this.#onLeave)}
              </div>`
          : this.#failure && statusModule()
            ? statusModule()!.drawFailure(this.#failure, this.refresh, this.contact)
            : html`<crypto-status part="status"></crypto-status>`
      }
    </div>`;
  }

  #stage(checkout: Checkout): TemplateResult {
    const { server, language } = this;
    const controller = this.#controller;
    return html`${controller?.drawProblems()}${drawStage({
      host: this,
      checkout,
      language,
      url: addressOf(server, 'checkouts', checkout.id),
      page: `${addressOf(server, 'pay', checkout.id)}/`,
      redirect: !this.#inline,
      show: this.show || 'stage',
      moreTime: controller?.ending,
      busy: controller?.busy,
      onLeave: this.#onLeave,
    })}`;
  }
}

define('crypto-checkout', CryptoCheckout);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-checkout': CryptoCheckout;
  }
}
