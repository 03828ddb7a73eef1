import { type TemplateResult, html, nothing } from 'lit';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Panel, Tone } from '../core/panel.ts';
import { msg, str } from '../i18n/locale.ts';
import type { Injected } from './ethereum.ts';
import { findInjected } from './injected.ts';
import { outcomeText } from './outcome.ts';
import { payWith } from './pay-with.ts';
import type { WalletRequest } from './request.ts';

/** Requests that a wallet has sent. The same request is not offered twice on this page. */
const sent = new Set<string>();

/**
 * Whether a wallet is being asked. It outlives an element that moves and a request that changes:
 * two open requests would be paid twice.
 */
let isAsking = false;

/** The element that shows the wallets. */
export interface OffersHost extends Element {
  panel: Panel | undefined;
  requestUpdate(): void;
  showMessage(text: () => string, tone?: Tone): void;
}

/** The wallets of this browser that can send a request. Loaded where one may be found. */
export class WalletOffers {
  readonly #host: OffersHost;
  readonly #request: WalletRequest;
  readonly #key: string;
  #wallets: Injected[] = [];
  /** Ends the search. */
  readonly end: () => void;

  constructor(host: OffersHost, request: WalletRequest, key: string) {
    this.#host = host;
    this.#request = request;
    this.#key = key;
    const { url, checkout, host: element } = host.panel!;
    const pinned = Boolean((element as Partial<CheckoutHost>).proofKey);
    const test = checkout.network !== 'mainnet';
    this.end = findInjected(request, { url, test, pinned }, (wallets) => {
      this.#wallets = wallets;
      host.toggleAttribute('found', this.isFound);
      host.requestUpdate();
    });
  }

  get isFound(): boolean {
    return this.#wallets.length > 0;
  }

  draw(): TemplateResult[] {
    const off = isAsking || sent.has(this.#key);
    return this.#wallets.map(
      (wallet) =>
        html`<button
          class="primary"
          part="wallet-button"
          type="button"
          aria-disabled=${off}
          @click=${() => this.#pay(wallet)}
        >
          ${wallet.icon ? html`<img src=${wallet.icon} width="24" height="24" alt="" />` : nothing}
          ${payWith(wallet.name)}
        </button>`,
    );
  }

  async #pay({ name, pay }: Injected): Promise<void> {
    const host = this.#host;
    if (isAsking || sent.has(this.#key)) return;
    isAsking = true;
    host.showMessage(() =>
      msg(str`Please confirm the payment in ${name}.`, { id: 'wallet.asked' }),
    );
    const outcome = await pay(this.#request);
    isAsking = false;
    if (outcome === 'sent') sent.add(this.#key);
    const network = host.panel?.checkout.payment?.network ?? '';
    if (host.isConnected)
      host.showMessage(
        () => outcomeText(outcome, name, network),
        outcome === 'sent' ? 'good' : 'warn',
      );
  }
}
