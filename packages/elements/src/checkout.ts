import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import {
  CheckoutChangeEvent,
  CheckoutCloseEvent,
  type CheckoutErrorCode,
  CheckoutErrorEvent,
  CheckoutPaidEvent,
  CheckoutReadyEvent,
  type CoinPickEvent,
} from './event.ts';
import { pageLink } from './link.ts';
import { type After, later, loadAfter, needsAfter } from './later.ts';
import { directionOf, msg, str } from './locale.ts';
import { formatMoney } from './number.ts';
import { drawNote, drawStage } from './panel.ts';
import { Part, define } from './part.ts';
import { type Answer, type Failure, ask, failure, parseCheckout, post } from './server.ts';

const FINAL = 'complete';
/** Between questions while nothing follows the checkout yet. */
const AGAIN_MS = 4000;
const readSnapshot = (json: string | null): Checkout | null => {
  try {
    return parseCheckout(json ?? '');
  } catch {
    return null;
  }
};
const SOURCES = ['server', 'order', 'checkoutId', 'invoice'];

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
 * @attr {'auto' | 'light' | 'dark'} theme - `auto`, the default, is what the buyer's device prefers.
 *
 * @event {CheckoutReadyEvent} checkout-ready - The first view of the checkout is there (`checkout`).
 * @event {CheckoutChangeEvent} checkout-change - It went from one stage to another (`from`, `to`, `checkout`).
 * @event {CheckoutPaidEvent} checkout-paid - It is paid (`checkout`). Once. Cancelling it keeps the buyer on the page.
 * @event {CheckoutErrorEvent} checkout-error - Something went wrong (`code`, `message`, `checkout`).
 * @event {CheckoutCloseEvent} checkout-close - The buyer is leaving (`stage`, `checkout`). Cancelling it keeps the buyer on the page.
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
 * @csspart countdown - The countdown's element.
 * @csspart clock - The time left.
 * @csspart qr - The code's element.
 * @csspart image - The code on its white square.
 * @csspart wallet-link - Opens a wallet.
 * @csspart amount - The amount's element.
 * @csspart address - The address's element.
 * @csspart field - Label, value and copy button of amount, address or tag.
 * @csspart label - The label of a field.
 * @csspart value - The value of a field.
 * @csspart hint - The line below a value.
 * @csspart copy-button - Copies a value.
 * @csspart transactions - The payments so far.
 * @csspart transaction - One payment.
 * @csspart explorer-link - Shows a payment in an explorer.
 * @csspart success-link - Goes back to the shop after paying.
 * @csspart renew - The form that asks for a new price.
 * @csspart renew-button - Its button.
 * @csspart other-coin - The fold with the other coins.
 * @csspart picker - The coin picker's element.
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart asset - The coins of one asset.
 * @csspart mark - The round picture of an asset.
 * @csspart approx - About how much it is.
 * @csspart coin - The asset on one network.
 * @csspart submit - The coin picker's button.
 * @csspart details - The fold with the payment's details.
 * @csspart retry - Tries again after an error.
 * @csspart redirect-link - Goes to the hosted page.
 * @csspart footer - The way back and the order's id.
 * @csspart shop-link - The way back to the shop.
 *
 * @cssproperty [--crypto-checkout-accent] - Buttons, links, focus rings, pictures.
 * @cssproperty [--crypto-checkout-background] - Background, and the text on buttons.
 * @cssproperty [--crypto-checkout-text] - Text; quieter text and lines are mixed from it and the background.
 * @cssproperty [--crypto-checkout-success] - Paid.
 * @cssproperty [--crypto-checkout-warning] - Attention.
 * @cssproperty [--crypto-checkout-danger] - Failed.
 * @cssproperty [--crypto-checkout-radius=12px] - Corners.
 * @cssproperty [--crypto-checkout-font] - Font, as the shorthand.
 * @cssproperty [--crypto-checkout-font-mono] - Font of addresses.
 * @cssproperty [--crypto-checkout-qr-size=15rem] - Longest side of the code.
 */
export class CryptoCheckout extends Part {
  static override properties: PropertyDeclarations = {
    server: {},
    order: {},
    checkoutId: { attribute: 'checkout' },
    invoice: {},
    kind: {},
    successUrl: { attribute: 'success-url' },
    mode: {},
    snapshot: { converter: readSnapshot },
  };

  /** Follows the checkout, once the code for it is here. */
  #live: InstanceType<After['Live']> | undefined;
  /** Checkouts whose `checkout-ready` and `checkout-paid` were sent. */
  #ready = new Set<string>();
  #paid = new Set<string>();
  /** Grows with each start: what was asked before it does not count any more. */
  #round = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #wasFocused = false;

  #view: Checkout | null = null;
  /** Why there is no view. */
  #failure: CheckoutErrorCode | null = null;
  /** Why the last thing that the buyer asked for did not happen. */
  #refused: CheckoutErrorCode | null = null;
  /** Since when there is no connection. */
  #lostAt = 0;
  #busy = false;

  /** The checkout server's address. */
  declare server: string | null | undefined;

  /** An order token, signed by the shop's server. */
  declare order: string | null | undefined;

  /** The id of a checkout that is open already, instead of an order. */
  declare checkoutId: string | null | undefined;

  /** The id of an invoice, instead of an order. */
  declare invoice: string | null | undefined;

  /** The kind to pay with, when the buyer has not chosen yet. */
  declare kind: string | null | undefined;

  /** Where to go once it is paid. Followed only where the server allows it. */
  declare successUrl: string | null | undefined;

  /** `inline` shows the checkout here; `redirect` a link to the hosted page, as does `frame` for the time being. */
  declare mode: 'inline' | 'redirect' | 'frame' | undefined;

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
    const view = this.#view ?? this.snapshot;
    const needed = this.#failure || this.#refused || !this.#inline || (view && needsAfter(view));
    return needed && !later() ? loadAfter().then(() => super.missing()) : super.missing();
  }

  protected override broken(message: string): void {
    this.#stop();
    this.#view = null;
    this.#onFailure(failure('malformed', message));
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('snapshot')) this.#view = this.snapshot ?? null;
    else if (SOURCES.some((source) => changed.has(source))) this.#view = this.#failure = null;
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.#round || SOURCES.some((source) => changed.has(source))) this.#start();
    // The reader stood where nothing is any more: read on at the heading.
    const wasFocused = this.#wasFocused;
    this.#wasFocused = false;
    if (!wasFocused || this.shadowRoot?.activeElement) return;
    const status = this.shadowRoot?.querySelector('crypto-status');
    void status?.updateComplete.then(() => status.focus());
  }

  /** What is shown now, or null before the server has answered. */
  get checkout(): Checkout | null {
    return this.#view;
  }

  /** Asks the server now. */
  refresh(): void {
    if (this.#live && this.#view) this.#live.refresh();
    else this.#start();
  }

  get #inline(): boolean {
    return this.mode !== 'redirect' && this.mode !== 'frame';
  }

  /** An address on the checkout server, as the attribute names it: forms and links are drawn on a server too. */
  #url(path: string): string {
    return `${(this.server ?? '').replace(/\/+$/, '')}/${path}`;
  }

  get #here(): string {
    return this.#url(`checkouts/${encodeURIComponent(this.#view?.id ?? '')}`);
  }

  #stop(): void {
    this.#round += 1;
    this.#live?.stop();
    clearTimeout(this.#again);
  }

  #start(): void {
    this.#stop();
    if (this.#view) this.#accept(this.#view);
    else void this.#ask(this.#round);
  }

  /** Asks until there is an answer. */
  async #ask(round: number): Promise<void> {
    try {
      const { checkout } = await this.#open();
      if (round === this.#round) this.#accept(checkout!);
    } catch (error) {
      const { code, passing, retryAfterMs } = error as Failure;
      if (round !== this.#round) return;
      if (code !== this.#failure) this.#onFailure(error as Failure);
      if (passing) this.#again = setTimeout(() => void this.#ask(round), retryAfterMs || AGAIN_MS * (0.5 + Math.random()));
    }
  }

  async #open(): Promise<Answer> {
    const { order } = this;
    const id = this.checkoutId || this.invoice;
    const missing = this.server == null ? 'server' : order || id ? '' : 'order';
    if (missing) throw failure('setup', `the attribute "${missing}" is missing`);
    const wish = this.successUrl || undefined;
    if (order) return ask(this.#url('checkouts'), post({ order, success_url: wish }));
    return ask(this.#url(`checkouts/${encodeURIComponent(id!)}${wish ? `?success_url=${encodeURIComponent(wish)}` : ''}`));
  }

  /** Follows the checkout, as soon as the code for it is here. */
  async #follow(): Promise<void> {
    const round = this.#round;
    const after = await loadAfter();
    if (round !== this.#round || !this.isConnected) return;
    after?.voiceOf(this.renderRoot);
    this.#live ??=
      after &&
      new after.Live({
        onCheckout: (checkout) => this.#accept(checkout),
        onConnection: (lost) => this.#onConnection(lost),
        onFailure: (failure) => this.#onFailure(failure),
      });
    if (this.#live) return this.#live.follow(this.#here);
    // The code cannot be had for now, and some browsers remember that: the state can.
    clearTimeout(this.#again);
    this.#again = setTimeout(
      () =>
        void ask(this.#here).then(
          ({ checkout }) => this.#accept(checkout!),
          () => this.#follow(),
        ),
      AGAIN_MS,
    );
  }

  #onFailure({ code, message }: Failure): void {
    if (!this.#view) this.#failure = code;
    this.requestUpdate();
    this.dispatchEvent(new CheckoutErrorEvent(code, message, this.#view));
    this.say((after) => after.sentenceOfFailure(code));
  }

  #onConnection(lost: boolean): void {
    if (lost === this.#lostAt > 0) return;
    this.#lostAt = lost ? Date.now() : 0;
    this.requestUpdate();
    this.say((after) => after.connection(this.#lostAt, this.language));
  }

  /** Takes a view, unless it is older than ours. */
  #accept(next: Checkout): void {
    const { id, stage } = next;
    const now = this.#view?.id === id && this.#ready.has(id) ? this.#view : null;
    if (now && next.version < now.version && next.server_time <= now.server_time) return;
    const moved = now?.stage !== stage;
    if (moved) {
      this.#wasFocused = Boolean(this.shadowRoot?.activeElement);
      this.#refused = null;
    }
    this.#view = next;
    this.#failure = null;
    this.requestUpdate();
    if (stage === FINAL) this.#live?.stop();
    else void this.#follow();
    if (!now) this.dispatchEvent(new CheckoutReadyEvent(next));
    else if (moved) this.dispatchEvent(new CheckoutChangeEvent(now.stage, next));
    this.#ready.add(id);
    if (now) this.say((after) => after.newsOf(now, next));
    if (isPaidStage(stage) && !this.#paid.has(id)) {
      this.#paid.add(id);
      // A page that was opened on a paid order stays; one that saw it being paid goes back to the shop.
      if (this.dispatchEvent(new CheckoutPaidEvent(next)) && now)
        void loadAfter().then((after) => after?.leave(this, () => this.dispatchEvent(new CheckoutCloseEvent(next))));
    }
    if (!now && stage === 'choose' && next.coins.some((coin) => coin?.kind === this.kind)) void this.#post('payment', { kind: this.kind });
  }

  async #post(what: string, body: object): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.#refused = null;
    this.requestUpdate();
    try {
      const { checkout } = await ask(`${this.#here}/${what}`, post(body));
      this.#accept(checkout!);
    } catch (error) {
      this.#refused = (error as Failure).code;
      this.#onFailure(error as Failure);
      this.refresh();
    }
    this.#busy = false;
    this.requestUpdate();
  }

  #onPick(event: CoinPickEvent): void {
    event.preventDefault();
    void this.#post('payment', { kind: event.kind });
  }

  #onRenew(event: Event): void {
    event.preventDefault();
    void this.#post('renew', {});
  }

  #onLeave(event: Event): void {
    if (!this.dispatchEvent(new CheckoutCloseEvent(this.#view))) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { language } = this;
    const view = this.#view;
    const after = later();
    return html`<div
      class="stack"
      part="base"
      lang=${language}
      dir=${directionOf(language)}
      @coin-pick=${this.#onPick}
      @countdown-end=${this.refresh}
    >
      ${view ? this.#header(view) : nothing}${this.#lostAt || this.#refused ? after?.drawTrouble(this.#lostAt, this.#refused, language) : nothing}${
        view
          ? drawStage({
              host: this,
              checkout: view,
              language,
              url: this.#here,
              page: this.#inline ? '' : this.#url(`pay/${encodeURIComponent(view.id)}/`),
              busy: this.#busy,
              onRenew: this.#onRenew,
              onLeave: this.#onLeave,
            })
          : this.#failure && after
            ? after.drawFailure(this.#failure, this.refresh)
            : html`<crypto-status part="status"></crypto-status>`
      }${view ? this.#footer(view) : nothing}
    </div>`;
  }

  #header({ merchant, order, notes }: Checkout): TemplateResult {
    const { amount, description } = order;
    return html`<header class="row line" part="header">
        <div>
          <b part="merchant"><bdi>${merchant.name}</bdi></b
          ><small><bdi>${description}</bdi></small>
        </div>
        ${amount ? html`<bdi part="total">${formatMoney(amount.amount, this.language)} ${amount.currency}</bdi>` : nothing}
      </header>
      ${notes.includes('test_network') ? drawNote(msg('Test network: these coins have no value.', { id: 'test' })) : nothing}`;
  }

  #footer({ shop_url, order }: Checkout): TemplateResult {
    const link = pageLink(shop_url);
    return html`<footer class="row" part="footer">
      ${
        link ? html`<a part="shop-link" href=${link} @click=${this.#onLeave}>${msg('Back to the shop', { id: 'back' })}</a>` : nothing
      }${order.order_id ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'order' })}</small>` : nothing}
    </footer>`;
  }
}

define('crypto-checkout', CryptoCheckout);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-checkout': CryptoCheckout;
  }
}
