import { type TemplateResult, adoptStyles, html, render } from 'lit';
import type { CryptoCheckoutButton } from './button.ts';
import { ATTRIBUTES, NAMES, defineProperties, readAttribute } from './button-attributes.ts';
import '../checkout/checkout.ts';
import { CheckoutCloseEvent } from '../../events/checkout-events.ts';
import { loadAdvice, loadStatus } from '../../core/lazy-registry.ts';
import { pageLink } from '../../server/safe-link.ts';
import { directionOf, inLocale, loadLocale, msg, pickLocale } from '../../i18n/locale.ts';
import { TOKENS, isValue } from '../../styles/custom-properties.ts';
import { dialogSheet } from './styles.ts';
import { lockScroll, unlockScroll } from './scroll-lock.ts';
import { addressOf, openCheckout } from '../../server/checkout-server.ts';
import { sheet } from '../../styles/sheet.ts';

/** Attributes that are copied to the inner checkout. */
const FORWARDED: string[] = Object.values(ATTRIBUTES);
/** Content that is more than a label, which is then checked. */
const UNEXPECTED = 'form, h1, h2, :not(svg *):nth-child(2)';
/** Attributes that any tag may have. */
const COMMON_ATTRIBUTES = /^(?:class$|exportparts$|(?:aria|data|hx|ng|v|x)-)|[:@]/;
/**
 * Stages in which a closed checkout is dropped. In the others it keeps running, so that the page
 * receives the events of the payment.
 */
const IDLE = ['choose', 'complete'];

/** The behaviour of a `<crypto-checkout-button>`: trigger, dialog and inner checkout. */
export class Dialog {
  readonly #host: CryptoCheckoutButton;
  readonly #root: ShadowRoot;
  readonly #element = document.createElement('crypto-checkout');
  /** Forwards changed attributes inwards, and part names outwards. */
  readonly #attributes = new MutationObserver(() => void this.draw());
  readonly #parts = new MutationObserver(() => this.#exportParts());
  /** Resets custom properties with invalid values. */
  readonly #resets = new CSSStyleSheet();
  #busy = false;
  /** `checkout-close` was dispatched. */
  #closeEmitted = false;

  constructor(host: CryptoCheckoutButton) {
    this.#host = host;
    this.#root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    adoptStyles(this.#root, [sheet, dialogSheet, this.#resets]);
    host.addEventListener('click', (event) => this.#onClick(event));
    defineProperties(host, () => this.#element.checkout);
    this.#attributes.observe(host, { attributeFilter: NAMES });
    // The advice is loaded only if there are unusual attributes.
    if (
      [...host.attributes].some(
        ({ name }) => !(name in host) && !NAMES.includes(name) && !COMMON_ATTRIBUTES.test(name),
      )
    )
      void this.#checkNames();
  }

  async #checkNames(): Promise<void> {
    (await loadAdvice())?.checkNames(this.#host, NAMES);
  }

  /** An unclosed tag contains the rest of the page. */
  #checkContent(): void {
    if (this.#host.querySelector(UNEXPECTED)) void this.#checkNames();
  }

  /** Invalid custom properties are reset, because they would make the button unreadable. */
  #resetInvalidTokens(): void {
    this.#resets.replaceSync('');
    const style = getComputedStyle(this.#host);
    const broken = TOKENS.filter(
      (name) => !isValue(name, style.getPropertyValue(name).trim() || 'inherit'),
    );
    if (!broken.length) return;
    const rules = broken.map((name) => `${name}: initial !important`);
    void this.#checkNames().then(() => this.#resets.replaceSync(`:host { ${rules.join('; ')} }`));
  }

  /** Draws the trigger and the dialog. */
  async draw(): Promise<void> {
    const language = this.#language;
    await loadLocale(language);
    inLocale(language, () => render(this.#template(language), this.#root, { host: this }));
    this.#forwardAttributes();
    this.#resetInvalidTokens();
    this.#checkContent();
  }

  async open(): Promise<void> {
    if (this.#host.getAttribute('mode') === 'redirect' && (await this.#redirect())) return;
    this.#forwardAttributes();
    // An empty string makes the checkout report missing attributes at once, instead of waiting for
    // the page to set them.
    this.#element.invoice ??= '';
    if (!this.#root.querySelector('dialog')) await this.draw();
    const dialog = this.#root.querySelector('dialog');
    if (!dialog || dialog.open || !this.#host.isConnected) return;
    dialog.append(this.#element);
    void this.#checkNames();
    this.#parts.observe(this.#element.shadowRoot!, {
      subtree: true,
      childList: true,
      attributeFilter: ['part', 'exportparts'],
    });
    this.#closeEmitted = false;
    dialog.showModal();
    dialog.focus();
    lockScroll(this);
  }

  /** Closes the dialog, unless the page prevents it. */
  close(): void {
    const dialog = this.#root.querySelector('dialog');
    if (!dialog?.open || !this.#emitClose()) return;
    dialog.close();
  }

  /** Cleans up after the button was removed from the page. */
  end(): void {
    if (this.#host.isConnected) return;
    this.#root.querySelector('dialog')?.close();
    this.#element.remove();
    unlockScroll(this);
  }

  get #language(): string {
    return pickLocale(
      this.#host.getAttribute('locale') || document.documentElement.lang || navigator.language,
    );
  }

  /** The shop's own link or button, which replaces ours. */
  get #ownTrigger(): HTMLElement | null {
    return this.#host.querySelector<HTMLElement>(':scope > a[href], :scope > button');
  }

  #template(language: string): TemplateResult {
    const text = html`<slot @slotchange=${this.draw}
      >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</slot
    >`;
    const href = this.#hostedPage;
    const trigger = this.#ownTrigger
      ? html`<slot @slotchange=${this.draw}></slot>`
      : href
        ? html`<a class="button primary" part="button" href=${href} lang=${language}>${text}</a>`
        : html`<button
            class="primary"
            part="button"
            type="button"
            aria-haspopup="dialog"
            aria-disabled=${this.#busy}
            lang=${language}
          >
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
        <button
          part="close"
          type="button"
          aria-label=${msg('Close', { id: 'close' })}
          @click=${this.close}
        >
          <svg
            viewBox="0 0 24 24"
            fill="none"
            stroke="currentColor"
            stroke-width="2"
            stroke-linecap="round"
            aria-hidden="true"
          >
            <path d="m5 5 14 14M19 5 5 19" />
          </svg>
        </button>
      </dialog>`;
  }

  /** `mode="redirect"`: the hosted page, if its address is known without a request. */
  get #hostedPage(): string | undefined {
    const [server = null, mode, checkout, invoice] = ['server', 'mode', 'checkout', 'invoice'].map(
      (name) => readAttribute(this.#host, name),
    );
    if (mode !== 'redirect' || this.#host.hasAttribute('order') || !(checkout || invoice))
      return undefined;
    return checkout
      ? `${addressOf(server, 'pay', checkout)}/`
      : `${addressOf(server, 'invoice', invoice!)}/`;
  }

  /**
   * Opens the hosted page.
   * @returns false if the server did not open the checkout: the dialog then shows the error
   */
  async #redirect(): Promise<boolean> {
    const [server = null, order, id, successUrl] = [
      'server',
      'order',
      'checkout',
      'success-url',
    ].map((name) => readAttribute(this.#host, name));
    if (this.#busy) return true;
    this.#busy = true;
    try {
      const page =
        this.#hostedPage ??
        `${addressOf(server, 'pay', (await openCheckout({ server, order, id, successUrl })).id)}/`;
      const link = pageLink(new URL(page, document.baseURI).href);
      if (link) location.assign(link);
      return link !== undefined;
    } catch {
      return false;
    } finally {
      this.#busy = false;
    }
  }

  #forwardAttributes(): void {
    this.#element.opening = this.#host.opening;
    for (const name of FORWARDED) {
      const value = readAttribute(this.#host, name);
      if (value === this.#element.getAttribute(name)) continue;
      if (value === null) this.#element.removeAttribute(name);
      else this.#element.setAttribute(name, value);
    }
  }

  #onClick(event: MouseEvent): void {
    const path = event.composedPath();
    const dialog = this.#root.querySelector('dialog');
    if (
      event.defaultPrevented ||
      (dialog && path.includes(dialog)) ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey
    )
      return;
    const trigger = path.find(
      (node) => node instanceof HTMLAnchorElement || node instanceof HTMLButtonElement,
    );
    // `mode="redirect"`: a link already opens the right page.
    if (
      !trigger ||
      (trigger instanceof HTMLAnchorElement && this.#host.getAttribute('mode') === 'redirect')
    )
      return;
    event.preventDefault();
    void this.open();
  }

  // Escape. Some browsers close the dialog on repeated Escape although it was prevented; `close`
  // reports that case.
  #onCancel(event: Event): void {
    if (event.target !== event.currentTarget || !event.cancelable) return;
    event.preventDefault();
    this.close();
  }

  // Escape inside the frame, which forwards it as a synthetic event.
  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isTrusted || event.defaultPrevented) return;
    event.preventDefault();
    this.close();
  }

  /**
   * A click on the backdrop closes the dialog only before a coin is chosen: such clicks are often
   * accidental.
   */
  #onBackdrop(event: MouseEvent): void {
    if (event.target !== event.currentTarget) return;
    const { left, right, top, bottom } = (event.currentTarget as Element).getBoundingClientRect();
    const beside =
      event.clientX < left ||
      event.clientX > right ||
      event.clientY < top ||
      event.clientY > bottom;
    if (beside && (this.#element.checkout?.stage ?? 'choose') === 'choose') this.close();
  }

  #onClose(event: Event): void {
    const dialog = event.currentTarget as HTMLDialogElement;
    // The dialog may be open again when this event arrives.
    if (event.target !== dialog || dialog.open) return;
    if (!this.#closeEmitted) this.#emitClose(false);
    unlockScroll(this);
    if (IDLE.includes(this.#element.checkout?.stage ?? 'choose')) this.#element.remove();
    // A live region must exist before it is filled.
    else void loadStatus().then((status) => status?.liveRegionOf(this.#root));
    // Browsers restore the focus, except to a button that never received it on click.
    if (document.activeElement === document.body)
      (this.#ownTrigger ?? this.#root.querySelector<HTMLElement>('[part=button]'))?.focus();
  }

  #emitClose(cancelable = true): boolean {
    this.#closeEmitted = this.#host.dispatchEvent(
      new CheckoutCloseEvent(this.#element.checkout, cancelable),
    );
    return this.#closeEmitted;
  }

  #exportParts(): void {
    const inner = this.#element.shadowRoot?.querySelectorAll('[part], [exportparts]') ?? [];
    const names = new Set(
      [...inner].flatMap((element) => [
        ...element.part,
        ...(element.getAttribute('exportparts')?.split(',') ?? []),
      ]),
    );
    this.#element.setAttribute('exportparts', [...names].filter(Boolean).join());
  }
}
