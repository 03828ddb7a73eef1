import { type CSSResult, LitElement, type PropertyDeclarations } from 'lit';
import { type After, later, loadAfter, picker } from './later.ts';
import { inLocale, loadLocale, pickLocale } from './locale.ts';
import { sheet } from './sheet.ts';

/** What all our elements share: a language, a voice, and that they never throw at the page. */
export class Part extends LitElement {
  static override styles: CSSResult = sheet;
  static override properties: PropertyDeclarations = { locale: {} };

  /**
   * The language, as a BCP 47 tag, also with `_` as shop systems write it. Default: that of the checkout around it, then the page's (`lang` of
   * its `<html>`), then the browser's. `lang` of the element itself is not read.
   */
  declare locale: string | null | undefined;

  /** The element of ours around this one. */
  get #outer(): Part | undefined {
    const { host } = (this.getRootNode?.() ?? {}) as Partial<ShadowRoot>;
    return host instanceof Part ? host : undefined;
  }

  /** The language that is drawn: one that we have. */
  get language(): string {
    const outer = this.locale ? undefined : this.#outer;
    return outer?.language ?? pickLocale(this.locale || globalThis.document?.documentElement.lang || globalThis.navigator?.language);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    root.addEventListener('submit', (event) => this.onSubmit(event as SubmitEvent));
    return root;
  }

  /** A form was sent in it. The event does not leave its shadow root by itself: it is handed on. */
  protected onSubmit(event: SubmitEvent): void {
    this.#outer?.onSubmit(event);
  }

  /** What has to be fetched before it can be drawn. */
  protected missing(): Promise<unknown> | undefined {
    // The first paint is already in the right language: the page fetches its texts beside this script.
    return loadLocale(this.language, Boolean(later() ?? picker()));
  }

  protected override scheduleUpdate(): void | Promise<unknown> {
    const missing = this.missing();
    return missing ? missing.then(() => super.scheduleUpdate()) : super.scheduleUpdate();
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    const { language } = this;
    try {
      inLocale(language, () => super.update(changed));
      // Inside another element, a part hands out its inner parts under their own names.
      const inner = this.#outer && [...this.renderRoot.querySelectorAll('[part]')].map(({ part }) => part.value).join();
      if (inner !== undefined && inner !== this.getAttribute('exportparts')) this.setAttribute('exportparts', inner);
    } catch (error) {
      this.broken(String(error));
    }
  }

  /** Something cannot be drawn. */
  protected broken(message: string): void {
    this.#outer?.broken(message);
  }

  /** Says a text to a screen reader, in the live region of the outermost element of ours. */
  say(text: (after: After) => string): void {
    const outer = this.#outer;
    if (outer) outer.say(text);
    else void loadAfter().then((after) => after?.speakFor(this, () => text(after)));
  }
}

/** Registers an element once: a page may load the script twice. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
