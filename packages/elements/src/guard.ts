import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html, nothing, render } from 'lit';
import type { CryptoCheckout } from './checkout.ts';
import { copyExactly } from './clipboard.ts';
import { CheckoutErrorEvent } from './event.ts';
import { ALERT, icon } from './icon.ts';
import { pageLink } from './link.ts';
import { directionOf, inLocale, loadLocale, msg } from './locale.ts';
import type { Panel } from './panel.ts';
import { type Truth, asReceived, isDrawn, partsOf, rootsOf, truthOf } from './truth.ts';

/** Between two looks, and before a difference counts: our own parts draw one after the other. Together less than half a second. */
const LOOK_MS = 200;
const SURE_MS = 120;
/** Many changes are one look. */
const SOON_MS = 30;
/** As they are now: a script that comes later may change them. */
const { setTimeout: after, setInterval: every } = globalThis;

/** What was drawn last, by checkout: kept here, where no other script gets at it. */
const panels = new WeakMap<Element, Panel>();

/** Tells the guard what is being drawn. */
export function remember(panel: Panel): void {
  panels.set(panel.host, panel);
  asReceived(panel.checkout);
}

/**
 * Looks out for other scripts of the shop's page that change address, amount, tag, code or wallet link inside the element, and hides
 * all of it within half a second. Best effort: a script that runs in the same page can also cover the element, replace it, or stop this
 * one. Who needs certainty uses `mode="frame"` or the hosted page, which no other script can reach. What is copied from it by hand is exact.
 * @returns its end
 */
export function watchOver(host: CryptoCheckout): () => void {
  const guard = new Guard(host);
  host.addEventListener('copy', copyExactly);
  return () => {
    guard.end();
    host.removeEventListener('copy', copyExactly);
  };
}

class Guard {
  #host: CryptoCheckout;
  #observer = new MutationObserver(() => (this.#soon ??= after(() => this.#look(), SOON_MS)));
  #soon: ReturnType<typeof setTimeout> | undefined;
  #observed = new WeakSet<ShadowRoot>();
  #timer: ReturnType<typeof setInterval>;
  #doubt: ReturnType<typeof setTimeout> | undefined;
  /** The view that was last seen to be drawn as it is: the next one is drawn a moment after it came. */
  #good: Truth | undefined;
  /** Where each invoice is paid to, as it was first told. An invoice never moves. */
  #targets = new Map<string, string>();
  #veil: HTMLElement | undefined;

  constructor(host: CryptoCheckout) {
    this.#host = host;
    this.#timer = every(() => this.#look(), LOOK_MS);
    this.#look();
  }

  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#doubt);
    clearTimeout(this.#soon);
    this.#observer.disconnect();
    this.#veil?.remove();
    if (this.#veil) for (const child of this.#host.shadowRoot?.children ?? []) child.removeAttribute('hidden');
  }

  #look(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    for (const root of rootsOf(this.#host)) {
      if (this.#observed.has(root)) continue;
      this.#observed.add(root);
      this.#observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    if (this.#veil) return this.#cover();
    if (this.#fits()) {
      clearTimeout(this.#doubt);
      this.#doubt = undefined;
    } else
      this.#doubt ??= after(() => {
        this.#doubt = undefined;
        if (!this.#fits()) this.#hide();
      }, SURE_MS);
  }

  #fits(): boolean {
    const view = this.#host.checkout;
    const { payment } = view ?? {};
    if (!view || !payment) return true;
    if (JSON.stringify(view) !== asReceived(view)) return false;
    const { invoice_id, kind, address, tag } = payment;
    const [invoice, target] = [`${invoice_id} ${kind}`, [address, tag].join()];
    if (address && (this.#targets.get(invoice) ?? target) !== target) return false;
    const truth = truthOf(view, panels.get(this.#host), this.#host.language);
    const parts = partsOf(this.#host);
    if (isDrawn(parts, truth, true)) this.#good = truth;
    else if (!this.#good || !isDrawn(parts, this.#good, false)) return false;
    if (address) this.#targets.set(invoice, target);
    return true;
  }

  #hide(): void {
    const host = this.#host;
    this.#veil = document.createElement('div');
    this.#cover();
    for (const root of rootsOf(host)) for (const dialog of root.querySelectorAll('dialog')) dialog.close();
    void Promise.resolve(loadLocale(host.language)).then(() => this.#draw());
    const message = 'another script changed the payment details';
    console.error(`crypto-checkout: ${message}, so that they are hidden now`, host);
    host.dispatchEvent(new CheckoutErrorEvent('tampered', message, host.checkout));
  }

  /** Nothing but the warning, whatever is drawn below. */
  #cover(): void {
    const root = this.#host.shadowRoot;
    const veil = this.#veil!;
    if (!root) return;
    // What is as it should be is not touched: each change is looked at again.
    for (const child of root.children)
      if (child !== veil && child.role !== 'status' && !child.hasAttribute('hidden')) child.setAttribute('hidden', '');
    if (veil.parentNode !== root) root.append(veil);
    if (veil.hidden) veil.hidden = false;
  }

  #draw(): void {
    const { language } = this.#host;
    const page = panels.get(this.#host)?.page;
    const view = this.#host.checkout;
    // As it came: the object may be what was changed.
    const shop = view && pageLink((JSON.parse(asReceived(view)) as Checkout).shop_url);
    const words = inLocale(language, () => ({
      title: msg('Please do not pay here', { id: 'guard.title' }),
      text: msg('Another program has changed the payment details on this page. Open the payment page itself, or go back to the shop.', {
        id: 'guard.text',
      }),
      link: msg('Open the payment page', { id: 'guard.link' }),
      back: msg('Back to the shop', { id: 'back' }),
    }));
    render(
      html`<div class="stack" part="base" role="alert" lang=${language} dir=${directionOf(language)}>
        <div class="stack tight bad picture" part="guard">
          <div part="badge">${icon(ALERT)}</div>
          <h2 part="heading">${words.title}</h2>
          <p part="text">${words.text}</p>
        </div>
        ${page ? html`<a class="button primary" part="guard-link" href=${page} rel="noreferrer">${words.link}</a>` : nothing}${
          shop ? html`<a part="shop-link" href=${shop}>${words.back}</a>` : nothing
        }
      </div>`,
      this.#veil!,
    );
  }
}
