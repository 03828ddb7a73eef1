import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html, nothing, render } from 'lit';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Panel } from '../core/panel.ts';
import { CheckoutErrorEvent } from '../events/checkout-events.ts';
import { ALERT, icon } from '../styles/icons.ts';
import { pageLink } from '../server/safe-link.ts';
import { directionOf, inLocale, loadLocale, msg } from '../i18n/locale.ts';
import {
  type ExpectedContent,
  asReceived,
  isDrawnAsExpected,
  drawnRootsOf,
  shadowRootsOf,
  expectedContent,
} from './tamper-check.ts';

/**
 * Interval of the check, and the delay before a difference is confirmed, because elements draw one
 * after the other. Together less than half a second.
 */
const CHECK_MS = 200;
const CONFIRM_MS = 120;
/** Combines many mutations into one check. */
const DEBOUNCE_MS = 30;
/** Capture the timers before other scripts can patch them. */
const { setTimeout: after, setInterval: every } = globalThis;

/** The last drawn panel of each checkout, out of reach of other scripts. */
const panels = new WeakMap<Element, Panel>();

/** Records what is being drawn. */
export function recordPanel(panel: Panel): void {
  panels.set(panel.host, panel);
  asReceived(panel.checkout);
}

/**
 * Detects other scripts of the page that change address, amount, tag, code or wallet link inside
 * the element, and hides the element within half a second. Best effort: a script in the same page
 * can also cover or replace the element, or stop this check. `mode="frame"` and the hosted page are
 * out of reach of other scripts.
 * @returns a function that ends the check
 */
export function guard(host: CheckoutHost): () => void {
  const running = new Guard(host);
  return () => running.end();
}

class Guard {
  #host: CheckoutHost;
  #observer = new MutationObserver(
    () => (this.#scheduled ??= after(() => this.#check(), DEBOUNCE_MS)),
  );
  #scheduled: ReturnType<typeof setTimeout> | undefined;
  #observed = new WeakSet<ShadowRoot>();
  #timer: ReturnType<typeof setInterval>;
  #confirmTimer: ReturnType<typeof setTimeout> | undefined;
  /** The last view that was drawn correctly: the next one is drawn with a delay. */
  #lastGood: ExpectedContent | undefined;
  /** First address of each invoice, which never changes. */
  #targets = new Map<string, string>();
  #overlay: HTMLElement | undefined;

  constructor(host: CheckoutHost) {
    this.#host = host;
    this.#timer = every(() => this.#check(), CHECK_MS);
    this.#check();
  }

  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#confirmTimer);
    clearTimeout(this.#scheduled);
    this.#observer.disconnect();
    this.#overlay?.remove();
    if (this.#overlay)
      for (const child of this.#host.shadowRoot?.children ?? []) child.removeAttribute('hidden');
  }

  #check(): void {
    clearTimeout(this.#scheduled);
    this.#scheduled = undefined;
    for (const root of shadowRootsOf(this.#host)) {
      if (this.#observed.has(root)) continue;
      this.#observed.add(root);
      this.#observer.observe(root, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    }
    if (this.#overlay) return this.#cover();
    if (this.#isIntact()) {
      clearTimeout(this.#confirmTimer);
      this.#confirmTimer = undefined;
    } else
      this.#confirmTimer ??= after(() => {
        this.#confirmTimer = undefined;
        if (!this.#isIntact()) this.#hide();
      }, CONFIRM_MS);
  }

  #isIntact(): boolean {
    const view = this.#host.checkout;
    const { payment } = view ?? {};
    if (!view || !payment) return true;
    if (JSON.stringify(view) !== asReceived(view)) return false;
    const { invoice_id, kind, address, tag } = payment;
    const [invoice, target] = [`${invoice_id} ${kind}`, [address, tag].join()];
    if (address && (this.#targets.get(invoice) ?? target) !== target) return false;
    const truth = expectedContent(view, panels.get(this.#host), this.#host.language);
    const parts = drawnRootsOf(this.#host);
    if (isDrawnAsExpected(parts, truth, true)) this.#lastGood = truth;
    else if (!this.#lastGood || !isDrawnAsExpected(parts, this.#lastGood, false)) return false;
    if (address) this.#targets.set(invoice, target);
    return true;
  }

  #hide(): void {
    const host = this.#host;
    this.#overlay = document.createElement('div');
    this.#cover();
    for (const root of shadowRootsOf(host))
      for (const dialog of root.querySelectorAll('dialog')) dialog.close();
    void Promise.resolve(loadLocale(host.language)).then(() => this.#draw());
    const message = 'another script changed the payment details';
    console.error(`crypto-checkout: ${message}, so that they are hidden now`, host);
    host.dispatchEvent(new CheckoutErrorEvent('tampered', message, host.checkout));
  }

  /** Hides everything but the warning. */
  #cover(): void {
    const root = this.#host.shadowRoot;
    const overlay = this.#overlay!;
    if (!root) return;
    // Unchanged nodes are not touched, because each mutation triggers another check.
    for (const child of root.children)
      if (child !== overlay && child.role !== 'status' && !child.hasAttribute('hidden'))
        child.setAttribute('hidden', '');
    if (overlay.parentNode !== root) root.append(overlay);
    if (overlay.hidden) overlay.hidden = false;
  }

  #draw(): void {
    const { language } = this.#host;
    const page = panels.get(this.#host)?.page;
    const view = this.#host.checkout;
    // As received: the object itself may have been changed.
    const shop = view && pageLink((JSON.parse(asReceived(view)) as Checkout).shop_url);
    const words = inLocale(language, () => ({
      title: msg('Please do not pay here', { id: 'guard.title' }),
      text: msg(
        'Another program has changed the payment details on this page. Open the payment page itself, or go back to the shop.',
        {
          id: 'guard.text',
        },
      ),
      link: msg('Open the payment page', { id: 'guard.link' }),
      back: msg('Back to the shop', { id: 'back' }),
    }));
    render(
      html`<div
        class="stack"
        part="base"
        role="alert"
        lang=${language}
        dir=${directionOf(language)}
      >
        <div class="stack tight bad picture" part="guard">
          <div part="badge">${icon(ALERT)}</div>
          <h2 part="heading">${words.title}</h2>
          <p part="text">${words.text}</p>
        </div>
        ${page ? html`<a class="button primary" part="guard-link" href=${page} rel="noreferrer">${words.link}</a>` : nothing}${
          shop ? html`<a part="shop-link" href=${shop}>${words.back}</a>` : nothing
        }
      </div>`,
      this.#overlay!,
    );
  }
}
