import { type PropertyDeclarations, type TemplateResult, css, html, nothing } from 'lit';
export { drawPlain, lookAfter } from './clipboard.ts';
import { copyByHand } from './copy-by-hand.ts';
import { remember } from './guard.ts';
export { watchOver } from './guard.ts';
import { drawLargeCode, keepScreenOn, largeCodeSheet } from './large-code.ts';
import { inLocale, loadLocale, msg, str } from './locale.ts';
import { formatMoney } from './number.ts';
import { type Drawn, type Panel, type Tone, drawNote } from './panel.ts';
import { Part, define } from './part.ts';
import { pageToShare, shareLink } from './share.ts';
import { type Injected, type Outcome, findEthereum } from './wallet/ethereum.ts';
import { findLightning } from './wallet/lightning.ts';
import { linksOf } from './wallet/links.ts';
import { type WalletRequest, requestOf } from './wallet/request.ts';
import { findSolana } from './wallet/solana.ts';

/** Wallets that are shown at once; the others are folded away. */
const BEST = 3;
/** Requests that a wallet has sent: in the life of this page it is not asked for the same one again. */
const sent = new Set<string>();

/** What only some buyers look for is no louder than a link, and no higher than the room that is kept for it. */
const quiet = css`
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  .quiet {
    gap: 0.5em;
  }
  .quiet button {
    flex: 1;
    padding: 0.2em;
    font-size: 0.875em;
    line-height: 1.2;
    color: var(--_accent);
    border-color: transparent;
  }
`;

/** Ways to hand the payment to a wallet, or to somebody else. */
export function drawHandOff(panel: Panel): Drawn {
  remember(panel);
  return panel.checkout.payment ? html`<crypto-hand-off part="hand-off" .panel=${panel}></crypto-hand-off>` : nothing;
}

/**
 * Wallets of this browser and of this phone, sharing, and the code on the whole screen. Fetched while the buyer reads. Whatever a wallet
 * answers is told, but the stage is the server's alone.
 *
 * @tag crypto-hand-off
 * @summary Hands the payment to a wallet.
 * @status internal
 * @since 0.1.0
 *
 * @dependency crypto-qr
 *
 * @csspart note - What a wallet answered.
 * @csspart wallet-button - Asks a wallet in this browser.
 * @csspart wallet - Opens a wallet on this phone.
 * @csspart wallets - The fold with the other wallets.
 * @csspart share - Asks somebody else to pay.
 * @csspart large - Shows the code on the whole screen.
 * @csspart large-code - The code on the whole screen.
 * @csspart close-button - Closes it.
 */
export class CryptoHandOff extends Part {
  static override properties: PropertyDeclarations = { panel: { attribute: false } };

  /** Drawn in a browser only: a server knows no wallets, and the browser first draws what the server did. */
  #here = false;
  #wallets: Injected[] = [];
  /** The request that wallets were looked for. */
  #lookedFor = '';
  #endLooking = (): void => {};
  #asking = false;
  #told: { text: () => string; tone: Tone } | null = null;
  #large = false;
  #letScreenSleep = (): void => {};

  /** What the checkout draws its stage from. */
  declare panel: Panel | undefined;

  // None of its texts are among those that come with the first script.
  protected override missing(): Promise<unknown> | undefined {
    return loadLocale(this.language);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#endLooking();
    this.#lookedFor = '';
    this.#large = false;
    this.#letScreenSleep();
  }

  protected override updated(): void {
    if (!this.#here) {
      this.#here = true;
      for (const { styleSheet } of [quiet, largeCodeSheet])
        if (styleSheet) (this.renderRoot as ShadowRoot).adoptedStyleSheets.push(styleSheet);
      this.requestUpdate();
    }
    this.#look();
    const dialog = this.renderRoot.querySelector('dialog');
    if (!dialog || dialog.open) return;
    dialog.showModal();
    this.#letScreenSleep = keepScreenOn();
  }

  /** Looks for wallets in this browser, once for each request. */
  #look(): void {
    const request = this.#request;
    const key = JSON.stringify(request);
    if (key === this.#lookedFor) return;
    this.#endLooking();
    this.#lookedFor = key;
    this.#told = null;
    this.#wallets = request ? findLightning(request) : [];
    this.#endLooking = request ? this.#lookFurther(request) : () => {};
    this.requestUpdate();
  }

  /** Wallets that answer when they are called. Without an amount nothing can be asked of them. */
  #lookFurther({ family, chainId, units, amount }: WalletRequest): () => void {
    const { url, checkout } = this.panel!;
    if (chainId && units) return findEthereum((wallets) => this.#show(wallets));
    if (family.startsWith('solana') && amount)
      return findSolana({ url, test: checkout.network !== 'mainnet' }, (wallets) => this.#show(wallets));
    return () => {};
  }

  #show(wallets: Injected[]): void {
    this.#wallets = wallets;
    this.requestUpdate();
  }

  get #request(): WalletRequest | null {
    const payment = this.panel?.checkout.payment;
    return payment && payment.from !== 'exchange' ? requestOf(payment) : null;
  }

  /** Shows a text here and has it said. */
  #tell(text: () => string, tone: Tone = 'wait'): void {
    this.#told = { text, tone };
    this.say(text);
    this.requestUpdate();
  }

  async #pay({ name, pay }: Injected): Promise<void> {
    const request = this.#request;
    const key = this.#lookedFor;
    if (!request || this.#asking || sent.has(key)) return;
    this.#asking = true;
    this.#tell(() => msg(str`Please confirm the payment in ${name}.`, { id: 'wallet.asked' }));
    const outcome = await pay(request);
    this.#asking = false;
    if (outcome === 'sent') sent.add(key);
    const network = this.panel?.checkout.payment?.network ?? '';
    if (this.isConnected) this.#tell(() => sentenceOf(outcome, name, network), outcome === 'sent' ? 'good' : 'warn');
  }

  async #share(): Promise<void> {
    const { page, checkout } = this.panel!;
    const { merchant, order, payment } = checkout;
    const { amount, currency } = order.amount ?? {};
    const sum = amount ? `${formatMoney(amount, this.language)} ${currency}` : (payment?.symbol ?? '');
    const text = inLocale(this.language, () => msg(str`Please pay ${sum} to ${merchant.name}`, { id: 'share.text' }));
    const link = pageToShare(page);
    if (await shareLink(link, text)) return;
    const refused = await navigator.clipboard.writeText(link).then(
      () => '',
      () => inLocale(this.language, () => copyByHand(link, this.renderRoot as ShadowRoot)),
    );
    if (refused) this.#tell(() => refused, 'warn');
    else this.#tell(() => msg('The link was copied.', { id: 'share.copied' }), 'good');
  }

  #enlarge(large: boolean): void {
    this.#large = large;
    if (!large) this.#letScreenSleep();
    this.requestUpdate();
  }

  protected override render(): TemplateResult | typeof nothing {
    const payment = this.panel?.checkout.payment;
    if (!this.#here || !payment) return nothing;
    const told = this.#told;
    return html`<div class="stack tight">
      ${told ? drawNote(told.text(), told.tone) : nothing}${this.#drawInjected()}${this.#drawNamed()}
      <div class="row quiet">
        <button part="large" type="button" @click=${() => this.#enlarge(true)}>${msg('Show the code large', { id: 'qr.large' })}</button>
        <button part="share" type="button" @click=${this.#share}>${msg('Ask someone to pay', { id: 'share' })}</button>
      </div>
      ${this.#large ? drawLargeCode(payment, this.language, () => this.#enlarge(false)) : nothing}
    </div>`;
  }

  #drawInjected(): TemplateResult[] {
    const off = this.#asking || sent.has(this.#lookedFor);
    return this.#wallets.map(
      (wallet) =>
        html`<button part="wallet-button" type="button" aria-disabled=${off} @click=${() => this.#pay(wallet)}>
          ${payWith(wallet.name)}
        </button>`,
    );
  }

  /** Wallet apps: only on phones, where they are, and not inside a browser that is a wallet itself. */
  #drawNamed(): TemplateResult | typeof nothing {
    if (this.#wallets.length) return nothing;
    const links = linksOf(this.panel!).map(({ name, link }) => html`<a class="button" part="wallet" href=${link}>${payWith(name)}</a>`);
    const others = links.slice(BEST);
    return html`${links.slice(0, BEST)}${
      others.length
        ? html`<details part="wallets">
            <summary>${msg('Other wallets', { id: 'wallet.others' })}</summary>
            <div class="stack tight">${others}</div>
          </details>`
        : nothing
    }`;
  }
}

const payWith = (name: string): string => msg(str`Pay with ${name}`, { id: 'wallet.with' });

function sentenceOf(outcome: Outcome, name: string, network: string): string {
  switch (outcome) {
    case 'sent':
      return msg(str`${name} has sent the payment. It will show up here in a moment.`, { id: 'wallet.sent' });
    case 'refused':
      return msg(str`${name} did not send the payment. Nothing was paid.`, { id: 'wallet.refused' });
    case 'network':
      return msg(str`${name} could not switch to ${network}. Please switch it there and try again.`, { id: 'wallet.network' });
    case 'unknown':
      return msg(str`${name} did not say whether it paid. Please look there before you pay again.`, { id: 'wallet.unknown' });
    default:
      return assertNever(outcome);
  }
}

const assertNever = (outcome: never): never => {
  throw new Error(String(outcome));
};

define('crypto-hand-off', CryptoHandOff);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-hand-off': CryptoHandOff;
  }
}
