import { type CSSResult, type TemplateResult, adoptStyles, css, html, render } from 'lit';
import type { CryptoCheckoutButton } from './button.ts';
import { ATTRIBUTES, NAMES, giveProperties, readAttribute } from './button-properties.ts';
import './checkout.ts';
import { CheckoutCloseEvent } from './event.ts';
import { loadAfter } from './later.ts';
import { pageLink } from './link.ts';
import { directionOf, inLocale, loadLocale, msg, pickLocale } from './locale.ts';
import { TOKENS, isValue } from './message.ts';
import { lockScroll, unlockScroll } from './scroll.ts';
import { addressOf, openCheckout } from './server.ts';
import { sheet } from './sheet.ts';

/** What goes from the button to the checkout in it. */
const HANDED_ON: string[] = Object.values(ATTRIBUTES);
/** What is more than a label: it is looked at closely then. */
const MORE = 'form, h1, h2, :not(svg *):nth-child(2)';
/** Attributes that every tag may have. */
const USUAL = /^(?:class$|exportparts$|(?:aria|data|hx|ng|v|x)-)|[:@]/;
/** Stages in which nothing is lost when the checkout is put away: later ones are followed on, so that the page hears of the payment. */
const IDLE = ['choose', 'complete'];

const dialogSheet: CSSResult = css`
  :host {
    display: inline-block;
  }
  dialog {
    color-scheme: light dark;
    inline-size: min(46rem, 100vw - 2rem);
    max-inline-size: none;
    max-block-size: calc(100dvh - 2rem);
    margin: auto;
    padding: 0;
    overflow: auto;
    overscroll-behavior: contain;
    /* What has the focus is not below the button that closes it. */
    scroll-padding-block-start: 52px;
    text-align: start;
    color: var(--_text);
    background: var(--_back);
    border: var(--_line);
    border-radius: var(--_radius);
    outline: 0;
  }
  :host([theme='light']) dialog {
    color-scheme: light;
  }
  :host([theme='dark']) dialog {
    color-scheme: dark;
  }
  dialog::backdrop {
    background: rgb(9 13 18 / 60%);
  }
  [part='close'] {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    margin-inline-start: auto;
    min-inline-size: 44px;
    padding: 0.5em;
    background: var(--_back);
    border-color: transparent;
  }
  crypto-checkout::part(base) {
    padding-block-start: 0;
    border: 0;
    border-radius: 0;
  }
  @media (max-width: 40em), (max-height: 24em) {
    dialog {
      inline-size: 100vw;
      block-size: 100dvh;
      max-block-size: none;
      border: 0;
      border-radius: 0;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    dialog[open] {
      animation: appear 0.15s ease-out;
    }
    @keyframes appear {
      from {
        opacity: 0;
        translate: 0 0.5rem;
      }
    }
  }
`;

/** What a `<crypto-checkout-button>` does: its trigger, the dialog, and the checkout in it. */
export class Dialog {
  readonly #host: CryptoCheckoutButton;
  readonly #root: ShadowRoot;
  readonly #checkout = document.createElement('crypto-checkout');
  /** Attributes that change are handed on, and the names of inner parts are handed out. */
  readonly #attributes = new MutationObserver(() => void this.draw());
  readonly #parts = new MutationObserver(() => this.#exportParts());
  /** Custom properties that are not to count. */
  readonly #unset = new CSSStyleSheet();
  #busy = false;
  /** The page was told that it closes. */
  #told = false;

  constructor(host: CryptoCheckoutButton) {
    this.#host = host;
    this.#root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    adoptStyles(this.#root, [sheet, dialogSheet, this.#unset]);
    host.addEventListener('click', (event) => this.#onClick(event));
    giveProperties(host, () => this.#checkout.checkout);
    this.#attributes.observe(host, { attributeFilter: NAMES });
    // What says it is fetched early only where there is something to say.
    if ([...host.attributes].some(({ name }) => !(name in host) && !NAMES.includes(name) && !USUAL.test(name))) void this.#advise();
  }

  async #advise(): Promise<void> {
    (await loadAfter())?.adviseOnNames(this.#host, NAMES);
  }

  /** A tag that is not closed has the rest of the page in it. */
  #lookInside(): void {
    if (this.#host.querySelector(MORE)) void this.#advise();
  }

  /** What is no value of what it sets is as if it were not set: nobody finds a button without its colours. */
  #leaveOut(): void {
    this.#unset.replaceSync('');
    const style = getComputedStyle(this.#host);
    const broken = TOKENS.filter((name) => !isValue(name, style.getPropertyValue(name).trim() || 'inherit'));
    if (!broken.length) return;
    const rules = broken.map((name) => `${name}: initial !important`);
    void this.#advise().then(() => this.#unset.replaceSync(`:host { ${rules.join('; ')} }`));
  }

  /** Draws the trigger and, once it is needed, the dialog. */
  async draw(): Promise<void> {
    const language = this.#language;
    await loadLocale(language);
    inLocale(language, () => render(this.#template(language), this.#root, { host: this }));
    this.#handOn();
    this.#leaveOut();
    this.#lookInside();
  }

  async open(): Promise<void> {
    if (this.#host.getAttribute('mode') === 'redirect' && (await this.#redirect())) return;
    this.#handOn();
    // Who presses it does not wait for the page to fill it: it says at once that it is empty.
    this.#checkout.invoice ??= '';
    if (!this.#root.querySelector('dialog')) await this.draw();
    const dialog = this.#root.querySelector('dialog');
    if (!dialog || dialog.open || !this.#host.isConnected) return;
    dialog.append(this.#checkout);
    void this.#advise();
    this.#parts.observe(this.#checkout.shadowRoot!, { subtree: true, childList: true, attributeFilter: ['part', 'exportparts'] });
    this.#told = false;
    dialog.showModal();
    dialog.focus();
    lockScroll(this);
  }

  /** Closes, unless the page keeps it open. */
  close(): void {
    const dialog = this.#root.querySelector('dialog');
    if (!dialog?.open || !this.#tell()) return;
    dialog.close();
  }

  /** The button has left the page. */
  end(): void {
    if (this.#host.isConnected) return;
    this.#root.querySelector('dialog')?.close();
    this.#checkout.remove();
    unlockScroll(this);
  }

  get #language(): string {
    return pickLocale(this.#host.getAttribute('locale') || document.documentElement.lang || navigator.language);
  }

  /** A link or a button of the shop's own, which takes the place of ours. */
  get #own(): HTMLElement | null {
    return this.#host.querySelector<HTMLElement>(':scope > a[href], :scope > button');
  }

  #template(language: string): TemplateResult {
    const text = html`<slot @slotchange=${this.draw}>${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</slot>`;
    const href = this.#hostedPage;
    const trigger = this.#own
      ? html`<slot @slotchange=${this.draw}></slot>`
      : href
        ? html`<a class="button primary" part="button" href=${href} lang=${language}>${text}</a>`
        : html`<button class="primary" part="button" type="button" aria-haspopup="dialog" aria-disabled=${this.#busy} lang=${language}>
            ${text}
          </button>`;
    return html`${trigger}
      <dialog
        part="dialog"
        tabindex="-1"
        lang=${language}
        dir=${directionOf(language)}
        aria-label=${msg('Payment', { id: 'checkout.label' })}
        @cancel=${this.#onCancel}
        @close=${this.#onClose}
        @click=${this.#onBackdrop}
        @keydown=${this.#onKey}
      >
        <button part="close" type="button" aria-label=${msg('Close', { id: 'close' })} @click=${this.close}>
          <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
            <path d="m5 5 14 14M19 5 5 19" />
          </svg>
        </button>
      </dialog>`;
  }

  /** With `mode="redirect"`: the page that a link can lead to, when it is known before the server was asked. */
  get #hostedPage(): string | undefined {
    const [server = null, mode, checkout, invoice] = ['server', 'mode', 'checkout', 'invoice'].map((name) =>
      readAttribute(this.#host, name),
    );
    if (mode !== 'redirect' || this.#host.hasAttribute('order') || !(checkout || invoice)) return undefined;
    return checkout ? `${addressOf(server, 'pay', checkout)}/` : `${addressOf(server, 'invoice', invoice!)}/`;
  }

  /** Goes to the hosted page. @returns false when the server did not open the checkout: then the dialog says why. */
  async #redirect(): Promise<boolean> {
    const [server = null, order, id, successUrl] = ['server', 'order', 'checkout', 'success-url'].map((name) =>
      readAttribute(this.#host, name),
    );
    if (this.#busy) return true;
    this.#busy = true;
    try {
      const page = this.#hostedPage ?? `${addressOf(server, 'pay', (await openCheckout({ server, order, id, successUrl })).id)}/`;
      const link = pageLink(new URL(page, document.baseURI).href);
      if (link) location.assign(link);
      return link !== undefined;
    } catch {
      return false;
    } finally {
      this.#busy = false;
    }
  }

  #handOn(): void {
    this.#checkout.opening = this.#host.opening;
    for (const name of HANDED_ON) {
      const value = readAttribute(this.#host, name);
      if (value === this.#checkout.getAttribute(name)) continue;
      if (value === null) this.#checkout.removeAttribute(name);
      else this.#checkout.setAttribute(name, value);
    }
  }

  #onClick(event: MouseEvent): void {
    const path = event.composedPath();
    const dialog = this.#root.querySelector('dialog');
    if (event.defaultPrevented || (dialog && path.includes(dialog)) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const trigger = path.find((node) => node instanceof HTMLAnchorElement || node instanceof HTMLButtonElement);
    // With `mode="redirect"` a link that leads somewhere already does what it should.
    if (!trigger || (trigger instanceof HTMLAnchorElement && this.#host.getAttribute('mode') === 'redirect')) return;
    event.preventDefault();
    void this.open();
  }

  // Escape. Pressed again and again, it closes all the same in some browsers: the page is told of that when it is so.
  #onCancel(event: Event): void {
    if (event.target !== event.currentTarget || !event.cancelable) return;
    event.preventDefault();
    this.close();
  }

  // What a frame hands on: in it, no key reaches the dialog by itself.
  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isTrusted || event.defaultPrevented) return;
    event.preventDefault();
    this.close();
  }

  /** Beside the dialog a click only closes what holds nothing yet: it happens by accident. */
  #onBackdrop(event: MouseEvent): void {
    if (event.target !== event.currentTarget) return;
    const { left, right, top, bottom } = (event.currentTarget as Element).getBoundingClientRect();
    const beside = event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
    if (beside && (this.#checkout.checkout?.stage ?? 'choose') === 'choose') this.close();
  }

  #onClose(event: Event): void {
    const dialog = event.currentTarget as HTMLDialogElement;
    // It may be open again by the time that this event comes.
    if (event.target !== dialog || dialog.open) return;
    if (!this.#told) this.#tell(false);
    unlockScroll(this);
    if (IDLE.includes(this.#checkout.checkout?.stage ?? 'choose')) this.#checkout.remove();
    // A live region has to be there before there is something to say.
    else void loadAfter().then((after) => after?.voiceOf(this.#root));
    // The browser gives the focus back to where it was; some never focus a button that is clicked.
    if (document.activeElement === document.body) (this.#own ?? this.#root.querySelector<HTMLElement>('[part=button]'))?.focus();
  }

  #tell(cancelable = true): boolean {
    this.#told = this.#host.dispatchEvent(new CheckoutCloseEvent(this.#checkout.checkout, cancelable));
    return this.#told;
  }

  #exportParts(): void {
    const inner = this.#checkout.shadowRoot?.querySelectorAll('[part], [exportparts]') ?? [];
    const names = new Set([...inner].flatMap((element) => [...element.part, ...(element.getAttribute('exportparts')?.split(',') ?? [])]));
    this.#checkout.setAttribute('exportparts', [...names].filter(Boolean).join());
  }
}
