import { type PropertyDeclarations, type TemplateResult, css, html, nothing } from 'lit';
import { copyFallback } from '../copy/copy-fallback.ts';
import { endClipboardCheck } from '../copy/copy-feedback.ts';
import { inLocale, loadLocale, msg, str } from '../../i18n/locale.ts';
import { formatPrice } from '../../i18n/number.ts';
import type { Drawn, Panel, Tone } from '../../core/panel.ts';
import { marks } from '../../core/lazy-registry.ts';
import { drawNote } from '../checkout/note.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { pageToShare, shareLink } from '../../wallet/share.ts';
import { walletLink } from '../../server/safe-link.ts';
import { linksOf } from '../../wallet/links.ts';
import { payWith } from '../../wallet/pay-with.ts';
import type { WalletOffers } from '../../wallet/offers.ts';
import { phoneHere } from '../../wallet/phone.ts';
import { hasWallets, type WalletApp } from '../../wallet/wallets.ts';
import { type WalletRequest, requestOf } from '../../wallet/request.ts';

/** Wallets outside the collapsed list. */
const BEST = 3;
type LargeCode = typeof import('../qr/large-code.ts');

/** The links of more wallets have been loaded. */
let hasMoreLinks = false;

/** Time after which an app that opens has taken the focus. */
const OPENING_MS = 1500;

/** Items of the surrounding row: a wallet that was found comes first, the others share a line. */
const quiet = css`
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  :host,
  .items {
    display: contents;
  }
  .items > * {
    flex: 1 1 0;
    min-inline-size: min-content;
    padding: 0 0.4em;
    font-size: 0.8125em;
    line-height: 1.15;
  }
  /* A mark stands above a name that has no room beside it. */
  a {
    flex-wrap: wrap;
    align-content: center;
    gap: 0.2em 0.4em;
  }
  .spot svg {
    display: block;
    inline-size: 100%;
  }
  .items > .primary {
    flex: 1 0 100%;
    order: -1;
    padding: 0.5em 1em;
    font-size: 1em;
  }
  .items > .note,
  details[open] {
    flex: 1 0 100%;
  }
  .items > .note {
    padding: 0.6em;
    line-height: inherit;
  }
  details {
    border: var(--_line);
    border-radius: var(--_radius);
  }
  summary {
    min-block-size: 42px;
    text-align: center;
  }
`;

/** Rules of the checkout that matter with a script only. */
const around = css`
  .rim {
    fill: var(--_back);
  }
  .spot svg {
    inline-size: 100%;
    display: block;
  }
  .ways:has([found]) .wallet {
    flex: 1 1 0;
    font: inherit;
    font-size: 0.8125em;
    line-height: 1.15;
  }
  .fold:has(:focus-visible) {
    outline: 3px solid var(--_accent);
  }
  /* A folded code is not enlarged. */
  @media (max-device-width: 40em) {
    .pay:not(:has(.fold :checked)) ::part(large) {
      display: none;
    }
  }
`;

/** Draws the ways to hand the payment to a wallet or to another person. */
export function drawHandOff(panel: Panel): Drawn {
  return panel.checkout.payment
    ? html`<crypto-hand-off part="hand-off" .panel=${panel}></crypto-hand-off>`
    : nothing;
}

/**
 * Wallets of this browser and phone, sharing, and the large QR code. Loaded lazily. A wallet's
 * answer is displayed, but only the server changes the stage.
 *
 * @tag crypto-hand-off
 * @summary Hands the payment to a wallet.
 * @status internal
 * @since 0.1.0
 *
 * @dependency crypto-qr
 *
 * @csspart note - A wallet's answer.
 * @csspart wallet-button - Pays with a wallet in this browser.
 * @csspart wallet - Opens a wallet app on this phone.
 * @csspart wallets - The collapsible list of other wallets.
 * @csspart share - Shares the payment link.
 * @csspart large - Shows the QR code on the whole screen.
 * @csspart large-code - The QR code on the whole screen.
 * @csspart close-button - Closes the large QR code.
 */
export class CryptoHandOff extends CheckoutElement {
  static override properties: PropertyDeclarations = { panel: { attribute: false } };

  /** A server cannot detect wallets: the first browser draw must match the server's. */
  #inBrowser = false;
  /** The wallets of this browser, once one may be there. */
  #offers: WalletOffers | undefined;
  /** More wallet links are being loaded. */
  #isWaiting = false;
  /** The request of the last wallet search. */
  #searchedKey = '';
  #message: { text: () => string; tone: Tone } | null = null;
  /** The large code, while it is open. */
  #large: LargeCode | null = null;
  #openingTimer: ReturnType<typeof setTimeout> | undefined;
  #releaseScreen = (): void => {};

  /** Context of the stage. */
  declare panel: Panel | undefined;

  // All its texts are in the language's second file.
  protected override missing(): Promise<unknown> | undefined {
    return loadLocale(this.language);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.getRootNode().addEventListener('click', this.#onOpening);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.getRootNode().removeEventListener('click', this.#onOpening);
    clearTimeout(this.#openingTimer);
    this.#endOffers();
    this.#searchedKey = '';
    this.#large = null;
    this.#releaseScreen();
  }

  protected override updated(): void {
    if (!this.#inBrowser) {
      this.#inBrowser = true;
      if (quiet.styleSheet)
        (this.renderRoot as ShadowRoot).adoptedStyleSheets.push(quiet.styleSheet);
      const outer = this.getRootNode();
      if (outer instanceof ShadowRoot && around.styleSheet) {
        const worn = outer.adoptedStyleSheets;
        if (!worn.includes(around.styleSheet)) worn.push(around.styleSheet);
      }
      this.requestUpdate();
    }
    this.#findWallets();
    const dialog = this.renderRoot.querySelector('dialog');
    if (!dialog || dialog.open || !this.#large) return;
    dialog.showModal();
    this.#releaseScreen = this.#large.keepScreenOn();
  }

  /** Wallet apps of less common coins, or of iOS alone, have their links in a file of their own. */
  async #loadWalletLinks({ family }: WalletRequest): Promise<void> {
    const phone = phoneHere();
    if (!phone || hasMoreLinks || (phone !== 'ios' && hasWallets(family))) return;
    // Drawn at once, the buttons move nothing.
    this.#isWaiting = true;
    hasMoreLinks = await import('../../wallet/more-wallets.ts').then(
      () => true,
      () => false,
    );
    this.#isWaiting = false;
    this.requestUpdate();
  }

  /** Searches for wallets in this browser, once for each request. */
  #findWallets(): void {
    const request = this.#request;
    const key = JSON.stringify(request);
    if (key === this.#searchedKey) return;
    this.#endOffers();
    this.#searchedKey = key;
    this.#message = null;
    this.requestUpdate();
    if (request) void this.#loadWalletLinks(request);
    if (request && mayBeInjected(request)) void this.#discoverWallets(request, key);
  }

  #endOffers(): void {
    this.#offers?.end();
    this.#offers = undefined;
    this.removeAttribute('found');
  }

  async #discoverWallets(request: WalletRequest, key: string): Promise<void> {
    const wallets = await import('../../wallet/offers.ts').catch(() => null);
    if (!wallets || !this.isConnected || this.#searchedKey !== key) return;
    this.#offers = new wallets.WalletOffers(this, request, key);
  }

  get #request(): WalletRequest | null {
    const payment = this.panel?.checkout.payment;
    return payment && payment.from !== 'exchange' ? requestOf(payment) : null;
  }

  /**
   * Shows a message and announces it.
   * @internal
   */
  showMessage(text: () => string, tone: Tone = 'wait'): void {
    this.#message = { text, tone };
    this.say(text);
    this.requestUpdate();
  }

  async #share(): Promise<void> {
    const { page, checkout } = this.panel!;
    const { merchant, order, payment } = checkout;
    const sum = order.amount ? formatPrice(order.amount, this.language) : (payment?.symbol ?? '');
    const text = inLocale(this.language, () =>
      msg(str`Please pay ${sum} to ${merchant.name}`, { id: 'share.text' }),
    );
    const link = pageToShare(page);
    if (await shareLink(link, text)) return;
    endClipboardCheck();
    const refused = await navigator.clipboard.writeText(link).then(
      () => '',
      () => inLocale(this.language, () => copyFallback(link, this.renderRoot as ShadowRoot)),
    );
    if (refused) this.showMessage(() => refused, 'warn');
    else this.showMessage(() => msg('Link copied', { id: 'share.copied' }));
  }

  /**
   * A link without an app does nothing at all, in every browser. An app that opens takes the focus.
   */
  readonly #onOpening = (event: Event): void => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    if (!link?.part.value.startsWith('wallet') || /^https?:/.test(link.href)) return;
    clearTimeout(this.#openingTimer);
    this.#openingTimer = setTimeout(() => {
      if (!document.hasFocus() || document.hidden) return;
      this.showMessage(
        () =>
          phoneHere()
            ? msg('No wallet app opened. Copy the amount and address instead.', {
                id: 'wallet.none.phone',
              })
            : msg('No wallet app opened. Scan the code with your phone instead.', {
                id: 'wallet.none',
              }),
        'warn',
      );
    }, OPENING_MS);
  };

  async #enlarge(): Promise<void> {
    const large = await import('../qr/large-code.ts').catch(() => null);
    if (!large || !this.isConnected) return;
    const { styleSheet } = large.largeCodeSheet;
    const { adoptedStyleSheets } = this.renderRoot as ShadowRoot;
    if (styleSheet && !adoptedStyleSheets.includes(styleSheet)) adoptedStyleSheets.push(styleSheet);
    this.#large = large;
    this.requestUpdate();
  }

  #shrink(): void {
    this.#large = null;
    this.#releaseScreen();
    this.requestUpdate();
  }

  protected override render(): TemplateResult | typeof nothing {
    const payment = this.panel?.checkout.payment;
    if (!this.#inBrowser || this.#isWaiting || !payment) return nothing;
    const message = this.#message;
    // In the button itself it moves nothing.
    const copied = message?.tone === 'wait' && message.text();
    const links = this.#offers?.isFound ? [] : linksOf(this.panel!);
    const tools = html`<button part="share" type="button" @click=${this.#share}>
        ${copied || msg('Share payment link', { id: 'share' })}</button
      ><button part="large" type="button" @click=${this.#enlarge}>
        ${msg('Enlarge QR code', { id: 'qr.large' })}
      </button>`;
    return html`<div class="items">
      ${this.#offers?.draw() ?? nothing}${links.length ? this.#drawWalletLinks(links, tools) : tools}${
        message && !copied ? drawNote(message.text(), message.tone) : nothing
      }
      ${this.#large?.drawLargeCode(payment, this.language, () => this.#shrink()) ?? nothing}
    </div>`;
  }

  /**
   * Wallet apps: on phones only, and not in a wallet's own browser. Where no common link exists,
   * the first is the main one.
   */
  #drawWalletLinks(links: WalletApp[], tools: TemplateResult): TemplateResult {
    const main = !walletLink(this.panel!.checkout.payment!.strings.link);
    const [shown, others] = [links.slice(0, BEST), links.slice(BEST)];
    const draw = ({ name, mark, link }: WalletApp, at: number): TemplateResult =>
      html`<a
        class="button ${main && !at ? 'primary' : ''}"
        part="wallet"
        href=${link}
        aria-label=${payWith(name)}
        ><span class="spot">${marks()?.drawMark(mark)}</span
        >${main && !at ? payWith(name) : name}</a
      >`;
    return html`${shown.map(draw)}${
      others.length
        ? html`<details part="wallets">
            <summary>${msg('More wallets', { id: 'wallet.others' })}</summary>
            <div class="stack tight">${others.map((one) => draw(one, 1))}${tools}</div>
          </details>`
        : tools
    }`;
  }
}

/** Whether a wallet in this browser could send it: only then its code is loaded. */
const mayBeInjected = ({ family, chainId, units }: WalletRequest): boolean =>
  Boolean(chainId && units) || family.startsWith('solana') || 'webln' in globalThis;

define('crypto-hand-off', CryptoHandOff);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-hand-off': CryptoHandOff;
  }
}
