import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html } from 'lit';
import type { Attendant, Duties } from './attend.ts';
import { CheckoutCloseEvent, type CheckoutErrorCode, CheckoutErrorEvent } from './event.ts';
import { frame, handOff, later, loadAfter, loadAttend, loadFrame, loadHandOff, loadPicker, needsAfter, picker } from './later.ts';
import { directionOf } from './locale.ts';
import { drawOrder } from './order.ts';
import { type Show, drawStage } from './panel.ts';
import { Part, define } from './part.ts';
import { type Failure, type Place, addressOf, failure, openCheckout, parseCheckout } from './server.ts';

/** Between questions while there is no answer. */
const AGAIN_MS = 4000;
/** Attributes that say which checkout it is. */
const PLACE = ['server', 'order', 'checkoutId', 'invoice', 'successUrl', 'demo'] as const;

/**
 * The whole checkout: choose a coin, pay, watch the payment arrive.
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
 * @event {CheckoutReadyEvent} checkout-ready - The first view of the checkout is there (`checkout`).
 * @event {CheckoutChangeEvent} checkout-change - It went from one stage to another (`from`, `to`, `checkout`).
 * @event {CheckoutPaidEvent} checkout-paid - It is paid (`checkout`). Once. Cancelling it keeps the buyer on the page.
 * @event {CheckoutErrorEvent} checkout-error - Something went wrong (`code`, `message`, `checkout`). `code` is `setup`, `network`, `unavailable`, `busy`, `not_found`, `refused`, `malformed` or `tampered`; `message` is for developers: the buyer reads a sentence in the element.
 * @event {CheckoutCloseEvent} checkout-close - The buyer is leaving (`stage`, which is `error` where there is no checkout, and `checkout`). Cancelling it keeps the buyer on the page.
 *
 * @csspart base - All of it.
 * @csspart header - Merchant, description and amount.
 * @csspart merchant - The merchant's name.
 * @csspart total - The order's amount.
 * @csspart note - Anything said beside the stage: a test network, a lost connection, what was refused, paid too much, …
 * @csspart stage - The stage with all that belongs to it.
 * @csspart status - The element with the stage's words.
 * @csspart badge - The stage's round picture.
 * @csspart heading - The stage's heading.
 * @csspart text - The stage's sentence.
 * @csspart confirmations - The confirmations so far.
 * @csspart usual - How long it usually takes.
 * @csspart countdown - The countdown's element.
 * @csspart clock - The time left.
 * @csspart more - The form that asks for more time.
 * @csspart more-button - Its button.
 * @csspart from - The question whether to pay from a wallet or an exchange.
 * @csspart twins - The choice between a coin's own network and lightning.
 * @csspart option - One side of a choice.
 * @csspart qr - The code's element.
 * @csspart image - The code on its white square.
 * @csspart wallet-link - Opens a wallet.
 * @csspart hand-off - The element with other ways to pay.
 * @csspart wallet-button - Asks a wallet in this browser.
 * @csspart wallet - Opens a wallet on this phone.
 * @csspart wallets - The fold with the other wallets.
 * @csspart large - Shows the code on the whole screen.
 * @csspart large-code - The code on the whole screen.
 * @csspart close-button - Closes it.
 * @csspart share - Asks somebody else to pay.
 * @csspart amount - The amount's element.
 * @csspart address - The address's element.
 * @csspart field - Label, value and copy button of amount, address or tag.
 * @csspart label - The label of a field.
 * @csspart value - The value of a field.
 * @csspart hint - The line below a value.
 * @csspart copy-button - Copies a value.
 * @csspart plain - The fold with the plain address.
 * @csspart exchange-network - Which network to choose at an exchange.
 * @csspart holds - Why the price holds longer.
 * @csspart transactions - The payments so far.
 * @csspart transaction - One payment.
 * @csspart explorer-link - Shows a payment in an explorer.
 * @csspart success-link - Goes back to the shop after paying.
 * @csspart stay-button - Keeps the buyer on the page after paying.
 * @csspart contact-link - Leads to the shop's help.
 * @csspart check-link - Looks again, without a script.
 * @csspart renew - The form that asks for a new price.
 * @csspart renew-button - Its button.
 * @csspart other-coin - Leads to the other coins.
 * @csspart picker - The coin picker's element.
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart all - The fold with the less used coins.
 * @csspart asset - The coins of one asset.
 * @csspart mark - The round picture of an asset.
 * @csspart approx - About how much it is.
 * @csspart coin - The asset on one network.
 * @csspart gas - Which other coin the picked one needs for the network's fee.
 * @csspart submit - The coin picker's button.
 * @csspart details - The fold with the payment's details.
 * @csspart facts - The payment's details, and those on the receipt.
 * @csspart fact - One of them.
 * @csspart receipt - What proves the payment.
 * @csspart receipt-link - Leads to it.
 * @csspart print-button - Prints it.
 * @csspart keep - The link that always shows the payment.
 * @csspart keep-link - The link itself.
 * @csspart close-link - Leads back to the stage.
 * @csspart guard - What stands in place of everything when another program has changed it.
 * @csspart guard-link - Leads from there to the payment page.
 * @csspart retry - Tries again after an error.
 * @csspart frame - The frame, with `mode="frame"`. No `::part` reaches what is in it.
 * @csspart redirect-link - Goes to the hosted page.
 * @csspart footer - The way back and the order's id.
 * @csspart shop-link - The way back to the shop.
 *
 * @cssproperty [--crypto-checkout-accent] - Buttons, links, focus rings, pictures. This and all that follow also go into a frame.
 * @cssproperty [--crypto-checkout-background] - Background, and the text on buttons.
 * @cssproperty [--crypto-checkout-text] - Text; quieter text and lines are mixed from it and the background.
 * @cssproperty [--crypto-checkout-success] - Paid.
 * @cssproperty [--crypto-checkout-warning] - Attention.
 * @cssproperty [--crypto-checkout-danger] - Failed.
 * @cssproperty [--crypto-checkout-radius=12px] - Corners.
 * @cssproperty [--crypto-checkout-font] - Font, as the shorthand.
 * @cssproperty [--crypto-checkout-font-mono] - Font of addresses.
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Longest side of the code's image, with the white around it that scanners need.
 */
export class CryptoCheckout extends Part {
  static override properties: PropertyDeclarations = {
    server: {},
    order: {},
    // Each also under the name that a framework's server, or who writes the property into HTML, makes an attribute of.
    checkout: {},
    checkoutId: {},
    invoice: {},
    kind: {},
    'success-url': { noAccessor: true },
    successUrl: {},
    mode: {},
    show: {},
    theme: {},
    demo: {},
    snapshot: { converter: parseCheckout },
  };

  /** Grows with each start: what was asked before it does not count any more. */
  #round = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  #view: Checkout | null = null;
  /** Why there is no view. */
  #failure: CheckoutErrorCode | null = null;
  /** Looks after the checkout once there is one: follows it, and asks for what the buyer wants. */
  #attendant: Attendant | undefined;

  /** The checkout server's address. */
  declare server: string | null | undefined;

  /** An order token, signed by the shop's server. */
  declare order: string | null | undefined;

  /**
   * The id of a checkout that is open already, instead of an order.
   * @attr checkout
   */
  declare checkoutId: string | null | undefined;

  /** The id of an invoice, instead of an order. */
  declare invoice: string | null | undefined;

  /**
   * The kind to pay with, when the buyer has not chosen yet: its invoice is made at once, without a click. The buyer can still take another
   * coin.
   */
  declare kind: string | null | undefined;

  /**
   * Where to go once it is paid. Followed only where the server allows it.
   * @attr success-url
   */
  declare successUrl: string | null | undefined;

  /**
   * `inline` shows the checkout here; `frame` in a frame of the checkout server, `redirect`, or what nobody knows, a link to its page. Into a
   * frame go `theme` and the custom properties, fonts as far as the device has them; no `::part` reaches what is in it.
   */
  declare mode: 'inline' | 'redirect' | 'frame' | undefined;

  /** What the buyer looks at: the stage, which is the default, all `coins`, or the `receipt`. */
  declare show: Show | null | undefined;

  /** `auto`, the default, is what the buyer's device prefers. */
  declare theme: 'auto' | 'light' | 'dark' | null | undefined;

  /** The name of a scenario that is played instead of asking a server: nothing is paid. */
  declare demo: string | null | undefined;

  /**
   * Opens the checkout, where the attributes cannot say how: its place in place of theirs. Asked again after each failure.
   * @internal
   */
  declare opening: (() => Promise<Place>) | undefined;

  /** The checkout as the hosted page's server has drawn it, JSON. */
  declare snapshot: Checkout | null | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  // Some stages are drawn by code that is fetched while the buyer pays: the words stay until it is there.
  protected override missing(): Promise<unknown> | undefined {
    const { mode, snapshot } = this;
    const view = this.#view ?? snapshot;
    // The hosted page's server has all of it: what it has drawn stays until the browser can draw the same.
    const needed =
      snapshot || this.#failure || this.#attendant?.refused || !this.#inline || this.show === 'receipt' || (view && needsAfter(view));
    const loading = [
      needed && (later() ?? loadAfter()),
      (view?.stage === 'choose' || this.show === 'coins') && (picker() ?? loadPicker()),
      snapshot && (handOff() ?? loadHandOff()),
      mode === 'frame' && (frame() ?? loadFrame()),
    ].filter((one) => one instanceof Promise);
    return loading.length ? Promise.all(loading).then(() => super.missing()) : super.missing();
  }

  protected override broken(message: string): void {
    this.#stop();
    this.#view = null;
    this.#onFailure('malformed', message);
  }

  protected override willUpdate(changed: PropertyValues): void {
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- it may be a URL
    this.server &&= String(this.server);
    if (changed.has('snapshot')) this.#view = this.snapshot ?? null;
    else if (PLACE.some((name) => changed.has(name))) this.#view = this.#failure = null;
  }

  protected override updated(changed: PropertyValues): void {
    const moved = PLACE.some((name) => changed.has(name));
    if (moved) this.#attendant?.forget();
    if (!this.#round || moved || changed.has('mode')) this.#start();
  }

  /**
   * What is shown now, or null before the server has answered. A text that is set here is taken as `checkoutId`: frameworks set
   * attributes as properties of the same name.
   * @readonly
   */
  get checkout(): Checkout | null {
    return this.#view;
  }

  set checkout(id: string | null | undefined) {
    this.checkoutId = id;
  }

  /** @internal */
  set 'success-url'(url: string | null | undefined) {
    this.successUrl = url;
  }

  /** Asks the server now. */
  refresh(): void {
    if (this.#view) this.#attendant?.refresh();
    else this.#start();
  }

  // A word that nobody knows may have meant the frame: the page's other scripts get nothing to change, and the buyer a link.
  get #inline(): boolean {
    return !this.mode || this.mode === 'inline';
  }

  #stop(): void {
    this.#round += 1;
    this.#attendant?.stop();
    clearTimeout(this.#again);
  }

  #start(): void {
    this.#stop();
    if (this.mode !== 'frame') for (const load of [loadAttend, loadPicker, loadAfter, loadHandOff]) void load();
    // A tag that is still empty waits for the page to say which checkout it is.
    if (this.#view || PLACE.some((name) => this[name] != null)) void this.#open(this.#round);
    else void this.#call();
  }

  /** Asks until there is an answer. */
  async #open(round: number, view = this.#view): Promise<void> {
    try {
      const checkout = view ?? (await (this.demo || this.opening ? this.#play() : openCheckout(this.#place)));
      if (round === this.#round) this.#accept(checkout);
    } catch (error) {
      const { code, message, passing, retryAfterMs } = error as Failure;
      if (round !== this.#round) return;
      if (!this.#view && code !== this.#failure) this.#onFailure(code, message);
      if (passing) this.#again = setTimeout(() => void this.#open(round, view), retryAfterMs || AGAIN_MS * (0.5 + Math.random()));
    }
  }

  /** Which checkout it is: once it is open, its own id counts. */
  get #place(): Place {
    const { server, order, successUrl } = this;
    const view = this.#view;
    return { server, order: view ? null : order, id: view?.id ?? (this.checkoutId || this.invoice), successUrl };
  }

  async #play(): Promise<Checkout> {
    const attendant = await this.#call();
    if (!attendant) throw failure('network', 'attend.ts');
    return attendant.open();
  }

  async #call(): Promise<Attendant | undefined> {
    const module = await loadAttend();
    return module && (this.#attendant ??= new module.Attendant(this, this.#duties));
  }

  /** What others tell this element, and ask it. */
  readonly #duties: Duties = {
    place: () => this.#place,
    onCheckout: (checkout) => this.#accept(checkout),
    onError: (code, message) => this.#onFailure(code, message),
    onLeave: () => this.dispatchEvent(new CheckoutCloseEvent(this.#view)),
  };

  // What fails without a code was in the way before a server was asked.
  #onFailure(code: CheckoutErrorCode = 'setup', message: string): void {
    if (!this.#view) this.#failure = code;
    this.requestUpdate();
    const view = this.#view;
    void loadAfter().then((after) =>
      this.dispatchEvent(new CheckoutErrorEvent(code, after?.explain(code, message, this) ?? message, view)),
    );
    this.say((after) => after.sentenceOfFailure(code));
  }

  /** Takes a view, unless it is older than ours. */
  #accept(next: Checkout): void {
    const now = this.#view?.id === next.id ? this.#view : null;
    if (now && next.version < now.version && next.server_time <= now.server_time) return;
    this.#view = next;
    this.#failure = null;
    this.requestUpdate();
    void this.#attend(next);
  }

  async #attend(next: Checkout): Promise<void> {
    const round = this.#round;
    const attendant = await this.#call();
    if (round !== this.#round) return;
    if (attendant) attendant.attend(next);
    // The code cannot be had for now, and some browsers remember that: the state can.
    else this.#again = setTimeout(() => void this.#open(round, null), AGAIN_MS);
  }

  // Forms and links work without a script; with one, the page stays.
  protected override onSubmit(event: SubmitEvent): void {
    const { submitter, defaultPrevented } = event;
    const form = event.target as HTMLFormElement;
    if (defaultPrevented || form.method !== 'post') return;
    event.preventDefault();
    void this.#call().then((attendant) => (attendant ? attendant.submit(form, submitter) : form.submit()));
  }

  #onLeave(event: Event): void {
    if (!this.#duties.onLeave()) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { language } = this;
    const view = this.#view;
    const framed = view && this.mode === 'frame' && frame();
    if (framed) return framed.drawFrame(this, this.#duties);
    return html`<div class="stack" part="base" lang=${language} dir=${directionOf(language)}>
      ${
        view
          ? html`${drawOrder(view, language)}${this.#stage(view)}
              <div class="row" part="footer">${later()?.drawWayBack(view, this.#onLeave)}</div>`
          : this.#failure && later()
            ? later()!.drawFailure(this.#failure, this.refresh)
            : html`<crypto-status part="status"></crypto-status>`
      }
    </div>`;
  }

  #stage(checkout: Checkout): TemplateResult {
    const { server, language } = this;
    const { id } = checkout;
    const attendant = this.#attendant;
    return html`${attendant?.drawTrouble()}${drawStage({
      host: this,
      checkout,
      language,
      url: addressOf(server, 'checkouts', id),
      page: `${addressOf(server, 'pay', id)}/`,
      redirect: !this.#inline,
      show: this.show || 'stage',
      moreTime: attendant?.ending,
      busy: attendant?.busy,
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
