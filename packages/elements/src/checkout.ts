import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import './address.ts';
import './amount.ts';
import './coin-picker.ts';
import './countdown.ts';
import {
  CheckoutChangeEvent,
  CheckoutCloseEvent,
  CheckoutErrorEvent,
  CheckoutPaidEvent,
  CheckoutReadyEvent,
  type CheckoutSayEvent,
  type CoinPickEvent,
} from './event.ts';
import { pageLink } from './link.ts';
import { Live } from './live.ts';
import { directionOf, msg, str } from './locale.ts';
import { formatMoney } from './number.ts';
import { drawNote, drawStage } from './panel.ts';
import { Part, define } from './part.ts';
import './qr.ts';
import { Failure, ask, serverUrl } from './server.ts';
import { noteOf, sentenceFor, titleOf } from './stage.ts';
import './status.ts';
import { sentenceOfFailure } from './trouble.ts';
import { readCheckout } from './view.ts';

/** Time to read that it is paid, before the page goes back to the shop. */
const LEAVE_MS = 3000;
const FINAL = 'complete';
const SOURCES = ['server', 'order', 'checkoutId', 'invoice'];

/**
 * The whole checkout: choose a coin, pay, watch the payment arrive.
 *
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
 * @event {CheckoutErrorEvent} checkout-error - Something went wrong (`code`, `message`, `checkout`).
 * @event {CheckoutCloseEvent} checkout-close - The buyer is leaving (`stage`, `checkout`). Cancelling it keeps the buyer on the page.
 *
 * @csspart base - All of it.
 * @csspart header - Merchant, description and amount.
 * @csspart merchant - The merchant's name.
 * @csspart total - The order's amount.
 * @csspart test - That this is a test network.
 * @csspart connection - That the connection is lost.
 * @csspart alert - What went wrong.
 * @csspart stage - The stage with all that belongs to it.
 * @csspart status - Heading and sentence.
 * @csspart heading - The stage's heading.
 * @csspart text - The stage's sentence.
 * @csspart badge - The stage's round picture.
 * @csspart confirmations - The confirmations so far.
 * @csspart countdown - The time left.
 * @csspart note - A note beside the stage.
 * @csspart qr - The code's element.
 * @csspart qr-image - The code.
 * @csspart wallet-link - Opens a wallet.
 * @csspart amount - The amount's element.
 * @csspart address - The address's element.
 * @csspart field - Label, value and copy button of amount, address or tag.
 * @csspart label - The label of a field.
 * @csspart value - The value of a field.
 * @csspart hint - The line below a value.
 * @csspart copy-button - Copies a value.
 * @csspart only - Which coin on which network.
 * @csspart transactions - The payments so far.
 * @csspart transaction - One payment.
 * @csspart explorer-link - Shows a payment in an explorer.
 * @csspart success-link - Goes back to the shop after paying.
 * @csspart renew - The form that asks for a new price.
 * @csspart renew-button - Its button.
 * @csspart other-coin - The fold with the other coins.
 * @csspart picker - The coin picker's element.
 * @csspart search - The coin picker's search field.
 * @csspart list - The coin picker's list.
 * @csspart coin - One coin in it.
 * @csspart approx - About how much it is.
 * @csspart submit - The coin picker's button.
 * @csspart details - The fold with the payment's details.
 * @csspart retry - Tries again after an error.
 * @csspart redirect-link - Goes to the hosted page.
 * @csspart footer - The way back and the order's id.
 * @csspart shop-link - The way back to the shop.
 * @csspart voice - The live region.
 *
 * @cssproperty [--crypto-checkout-accent] - Buttons, links, focus rings.
 * @cssproperty [--crypto-checkout-on-accent] - Text on buttons.
 * @cssproperty [--crypto-checkout-text] - Text.
 * @cssproperty [--crypto-checkout-muted] - Text of less weight.
 * @cssproperty [--crypto-checkout-background] - Background.
 * @cssproperty [--crypto-checkout-surface] - Background of fields and rows under the pointer.
 * @cssproperty [--crypto-checkout-border] - Lines.
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
    theme: { reflect: true },
    snapshot: {},
    view: { state: true },
    failure: { state: true },
    refused: { state: true },
    lostAt: { state: true },
    busy: { state: true },
    leaving: { state: true },
  };

  #live = new Live({
    onCheckout: (checkout) => this.#accept(checkout),
    onConnection: (lost) => this.#onConnection(lost),
    onFailure: (failure) => this.#complain(failure),
  });
  /** Checkouts whose `checkout-ready` and `checkout-paid` were sent. */
  #ready = new Set<string>();
  #paid = new Set<string>();
  #request: AbortController | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #goodbye: ReturnType<typeof setTimeout> | undefined;
  #wasFocused = false;

  private view: Checkout | null = null;
  /** Why there is no view. */
  private failure: Failure | null = null;
  /** Why the last thing that the buyer asked for did not happen. */
  private refused: Failure | null = null;
  /** Since when there is no connection. */
  private lostAt = 0;
  private busy = false;
  private leaving = false;

  /** The checkout server's address. */
  server: string | null = null;

  /** An order token, signed by the shop's server. */
  order: string | null = null;

  /** The id of a checkout that is open already, instead of an order. */
  checkoutId: string | null = null;

  /** The id of an invoice, instead of an order. */
  invoice: string | null = null;

  /** The kind to pay with, when the buyer has not chosen yet. */
  kind: string | null = null;

  /** Where to go once it is paid. Followed only where the server allows it. */
  successUrl: string | null = null;

  /** `inline` shows the checkout here; `redirect` a link to the hosted page, as does `frame` for the time being. */
  mode: 'inline' | 'redirect' | 'frame' = 'inline';

  /** `light`, `dark`, or `auto` for what the buyer's device prefers. */
  theme: 'auto' | 'light' | 'dark' = 'auto';

  /** The checkout as the hosted page's server has drawn it, JSON. */
  snapshot: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('snapshot') && this.snapshot) this.view = readSnapshot(this.snapshot);
    else if (SOURCES.some((source) => changed.get(source))) this.view = null;
  }

  protected override updated(changed: PropertyValues): void {
    if (SOURCES.some((source) => changed.has(source))) this.#start();
    // The reader stood where nothing is any more: read on at the heading.
    if (!this.#wasFocused || this.shadowRoot?.activeElement) return;
    this.#wasFocused = false;
    const status = this.shadowRoot?.querySelector('crypto-status');
    void status?.updateComplete.then(() => status.focus());
  }

  /** What is shown now, or null before the server has answered. */
  get checkout(): Checkout | null {
    return this.view;
  }

  /** Asks the server now. */
  refresh = (): void => (this.view ? this.#live.refresh() : this.#start());

  get #inline(): boolean {
    return this.mode !== 'redirect' && this.mode !== 'frame';
  }

  /** An address on the checkout server, as the attribute names it: forms and links are drawn on a server too. */
  #url(path: string): string {
    return `${(this.server ?? '').replace(/\/+$/, '')}/${path}`;
  }

  #stop(): void {
    this.#live.stop();
    this.#request?.abort();
    clearTimeout(this.#again);
    clearTimeout(this.#goodbye);
  }

  #start(): void {
    this.#stop();
    this.voice();
    if (this.view) this.#accept(this.view);
    else void this.#open();
  }

  async #open(): Promise<void> {
    const { signal } = (this.#request = new AbortController());
    const { order } = this;
    const id = this.checkoutId || this.invoice;
    const wish = this.successUrl ? { success_url: this.successUrl } : {};
    try {
      if (!serverUrl(this.server)) throw new Failure('setup', 'the attribute "server" must be the address of a checkout server');
      if (!order && !id) throw new Failure('setup', 'one of the attributes "order", "checkout" and "invoice" is needed');
      const { checkout } = order
        ? await ask(this.#url('checkouts'), { body: { order, ...wish }, signal })
        : await ask(this.#url(`checkouts/${encodeURIComponent(id!)}?${new URLSearchParams(wish)}`), { signal });
      if (signal.aborted || !checkout) return;
      this.#attempts = 0;
      this.#accept(checkout);
      if (checkout.stage === 'choose' && this.#inline && checkout.coins.some(({ kind }) => kind === this.kind))
        void this.#post('payment', { kind: this.kind });
    } catch (error) {
      if (!signal.aborted) this.#fail(error as Failure);
    }
  }

  #fail(failure: Failure): void {
    if (this.failure?.code !== failure.code) this.#complain(failure);
    this.failure = failure;
    const waitMs = failure.retryAfterMs || Math.min(15_000, 1000 * 2 ** this.#attempts++);
    if (failure.passing) this.#again = setTimeout(() => this.#start(), waitMs * (0.8 + 0.4 * Math.random()));
  }

  #complain({ code, message }: Failure): void {
    this.dispatchEvent(new CheckoutErrorEvent(code, message, this.view));
    this.say(() => sentenceOfFailure(code));
  }

  /** Takes a view, unless it is older than ours. */
  #accept(next: Checkout): void {
    const now = this.view?.id === next.id && this.#ready.has(next.id) ? this.view : null;
    if (now && next.version < now.version && Date.parse(next.server_time) <= Date.parse(now.server_time)) return;
    const moved = now?.stage !== next.stage;
    this.#wasFocused ||= moved && Boolean(this.shadowRoot?.activeElement);
    this.view = next;
    this.failure = null;
    if (moved) this.refused = null;
    if (next.stage === FINAL) this.#live.stop();
    else if (this.isConnected) this.#live.start(new URL(this.#url(`checkouts/${encodeURIComponent(next.id)}`), document.baseURI).href);
    if (!now) this.dispatchEvent(new CheckoutReadyEvent(next));
    else if (moved) this.dispatchEvent(new CheckoutChangeEvent(now.stage, next));
    this.#ready.add(next.id);
    if (now) this.#tell(now, next);
    if (isPaidStage(next.stage) && !this.#paid.has(next.id)) this.#celebrate(next, now !== null);
  }

  /** Says what is new. */
  #tell(now: Checkout, next: Checkout): void {
    const notes = next.notes.filter((note) => !now.notes.includes(note));
    const [before, after] = [now.payment?.confirmations.have, next.payment?.confirmations];
    if (now.stage !== next.stage) this.say(() => `${titleOf(next.stage)}. ${sentenceFor(next)}`);
    else if (notes.length) this.say(() => notes.map(noteOf).join(' '));
    else if (after && after.have !== before && after.have <= after.need)
      this.say(() => msg(str`Confirmations: ${after.have} of ${after.need}`, { id: 'status.confirmations' }));
  }

  /** A page that was opened on a paid order stays; one that saw it being paid goes back to the shop. */
  #celebrate(checkout: Checkout, watched: boolean): void {
    this.#paid.add(checkout.id);
    const stay = !this.dispatchEvent(new CheckoutPaidEvent(checkout));
    const link = pageLink(checkout.success_url);
    if (stay || !watched || !link) return;
    this.leaving = true;
    this.#goodbye = setTimeout(() => {
      this.leaving = false;
      if (this.dispatchEvent(new CheckoutCloseEvent(this.view))) location.assign(link);
    }, LEAVE_MS);
  }

  #onConnection(lost: boolean): void {
    if (lost === this.lostAt > 0) return;
    this.lostAt = lost ? Date.now() : 0;
    this.say(() => (lost ? connectionLost(this.lostAt, this.language) : msg('Connected again.', { id: 'connection.back' })));
  }

  async #post(what: 'payment' | 'renew', body: object): Promise<void> {
    if (this.busy || !this.view) return;
    this.busy = true;
    this.refused = null;
    try {
      const { checkout } = await ask(this.#url(`checkouts/${encodeURIComponent(this.view.id)}/${what}`), { body });
      if (checkout) this.#accept(checkout);
    } catch (error) {
      this.refused = error as Failure;
      this.#complain(this.refused);
      this.#live.refresh();
    }
    this.busy = false;
  }

  #onSay(event: CheckoutSayEvent): void {
    event.preventDefault();
    event.stopPropagation();
    this.say(() => event.text);
  }

  #onPick(event: CoinPickEvent): void {
    event.preventDefault();
    void this.#post('payment', { kind: event.kind });
  }

  #onRenew = (event: Event): void => {
    event.preventDefault();
    void this.#post('renew', {});
  };

  #onLeave = (event: Event): void => {
    clearTimeout(this.#goodbye);
    if (!this.dispatchEvent(new CheckoutCloseEvent(this.view))) event.preventDefault();
  };

  protected override render(): TemplateResult {
    const { view, language, lostAt, refused } = this;
    return html`<section
      class="stack"
      part="base"
      lang=${language}
      dir=${directionOf(language)}
      aria-label=${msg('Payment', { id: 'checkout.label' })}
      @checkout-say=${this.#onSay}
      @coin-pick=${this.#onPick}
      @countdown-end=${this.refresh}
    >
      ${view ? this.#header(view) : nothing}${drawNote(
        lostAt ? connectionLost(lostAt, language) : null,
      )}${drawNote(refused && sentenceOfFailure(refused.code), 'bad')}${view ? this.#stage(view) : this.#opening()}${view ? this.#footer(view) : nothing}
    </section>`;
  }

  #header({ merchant, order, notes }: Checkout): TemplateResult {
    const { amount, description } = order;
    return html`<header class="row line" part="header">
        <div><b part="merchant">${merchant.name}</b><small>${description}</small></div>
        ${amount ? html`<bdi part="total">${formatMoney(amount.amount, this.language)} ${amount.currency}</bdi>` : nothing}
      </header>
      ${notes.includes('test_network') ? drawNote(noteOf('test_network')) : nothing}`;
  }

  #stage(checkout: Checkout): TemplateResult {
    const { language, busy, leaving } = this;
    const url = this.#url(`checkouts/${encodeURIComponent(checkout.id)}`);
    const paid = isPaidStage(checkout.stage);
    if (this.#inline || paid) return drawStage({ checkout, language, busy, leaving, url, onRenew: this.#onRenew, onLeave: this.#onLeave });
    const href = this.#url(`pay/${encodeURIComponent(checkout.id)}/`);
    return html`<a class="button primary" part="redirect-link" href=${href} @click=${this.#onLeave}
      >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</a
    >`;
  }

  #opening(): TemplateResult {
    const { failure } = this;
    return failure
      ? html`<crypto-status
            part="status"
            .stage=${'error'}
            .heading=${msg('This did not work', { id: 'error.title' })}
            .text=${sentenceOfFailure(failure.code)}
          ></crypto-status
          ><button class="primary" part="retry" @click=${this.refresh}>${msg('Try again', { id: 'error.retry' })}</button>`
      : html`<crypto-status part="status" .text=${msg('Your payment is being prepared.', { id: 'checkout.opening' })}></crypto-status>`;
  }

  #footer({ shop_url, order }: Checkout): TemplateResult {
    const link = pageLink(shop_url);
    return html`<footer class="row" part="footer">
      ${
        link
          ? html`<a part="shop-link" href=${link} @click=${this.#onLeave}>${msg('Back to the shop', { id: 'footer.shop' })}</a>`
          : nothing
      }${order.order_id ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'footer.order' })}</small>` : nothing}
    </footer>`;
  }
}

const readSnapshot = (json: string): Checkout | null => {
  try {
    return readCheckout(JSON.parse(json));
  } catch {
    return null;
  }
};

function connectionLost(at: number, language: string): string {
  const since = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeStyle: 'short' }).format(at);
  return msg(str`No connection since ${since}. A payment you have sent is safe: this page catches up by itself.`, {
    id: 'connection.lost',
  });
}

define('crypto-checkout', CryptoCheckout);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-checkout': CryptoCheckout;
  }
}
