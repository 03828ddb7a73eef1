import { type CSSResult, LitElement, type PropertyDeclarations } from 'lit';
import { CheckoutSayEvent } from './event.ts';
import { inLocale, loadLocale, pickLocale } from './locale.ts';
import { sheet } from './sheet.ts';

/** Between making a live region and filling it: one that is born with its text is not read. */
const VOICE_MS = 100;

/** What all our elements share: a language of their own, and a voice. */
export class Part extends LitElement {
  static override styles: CSSResult = sheet;
  static override properties: PropertyDeclarations = { locale: {} };

  #voice: HTMLElement | undefined;

  /** The language, as a BCP 47 tag. Default: that of the checkout around it, then the page's, then the browser's. */
  locale: string | null = null;

  /** The language that is drawn: one that we have. */
  get language(): string {
    const { host } = (this.getRootNode?.() ?? {}) as Partial<ShadowRoot>;
    if (!this.locale && host instanceof Part) return host.language;
    return pickLocale(this.locale || globalThis.document?.documentElement.lang || globalThis.navigator?.language);
  }

  // The first paint is already in the right language: drawing waits for its texts, which the page fetches beside this script.
  protected override scheduleUpdate(): void | Promise<unknown> {
    const loading = loadLocale(this.language);
    return loading ? loading.then(() => super.scheduleUpdate()) : super.scheduleUpdate();
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    inLocale(this.language, () => super.update(changed));
  }

  /** Says a text to a screen reader: through the element around it, which cancels the event, or in a live region of its own. */
  protected say(text: () => string): void {
    const said = inLocale(this.language, text);
    if (!this.dispatchEvent(new CheckoutSayEvent(said))) return;
    const voice = this.voice();
    // The same words again are only read when the text changes.
    setTimeout(() => (voice.textContent = voice.textContent === said ? `${said}\u00a0` : said), VOICE_MS);
  }

  /** The live region: one in each element that stands alone. */
  protected voice(): HTMLElement {
    if (!this.#voice?.isConnected) {
      this.#voice = document.createElement('span');
      this.#voice.role = 'status';
      this.renderRoot.append(this.#voice);
    }
    return this.#voice;
  }
}

/** Registers an element once: a page may load the script twice. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
