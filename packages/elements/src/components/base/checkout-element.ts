import { type CSSResult, LitElement, type PropertyDeclarations } from 'lit';
import { statusModule, loadStatus, picker } from '../../core/lazy-registry.ts';
import { inLocale, loadLocale, pickLocale } from '../../i18n/locale.ts';
import { sheet } from '../../styles/sheet.ts';
import type { StatusModule } from '../../core/contracts.ts';

/**
 * Base class of all elements: language, announcements, and error handling. Elements never throw
 * into the page.
 */
export class CheckoutElement extends LitElement {
  static override styles: CSSResult | CSSResult[] = sheet;
  static override properties: PropertyDeclarations = { locale: {} };

  /**
   * The language, as a BCP 47 tag, also with `_` instead of `-`. Default: the language of the
   * surrounding checkout, then of the page (`lang` of `<html>`), then of the browser. The element's
   * own `lang` is not read.
   */
  declare locale: string | null | undefined;

  /** The surrounding element of this package. */
  get #parent(): CheckoutElement | undefined {
    const { host } = (this.getRootNode?.() ?? {}) as Partial<ShadowRoot>;
    return host instanceof CheckoutElement ? host : undefined;
  }

  /** The supported language that is drawn. */
  get language(): string {
    const outer = this.locale ? undefined : this.#parent;
    return (
      outer?.language ??
      pickLocale(
        this.locale || globalThis.document?.documentElement.lang || globalThis.navigator?.language,
      )
    );
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    root.addEventListener('submit', (event) => this.onSubmit(event as SubmitEvent));
    return root;
  }

  /** Handles a submitted form. Submit events do not leave a shadow root by themselves. */
  protected onSubmit(event: SubmitEvent): void {
    this.#parent?.onSubmit(event);
  }

  /** Loads what the next update needs. */
  protected missing(): Promise<unknown> | undefined {
    // The page loads the language's texts together with this script, so that the first paint is
    // translated.
    return loadLocale(this.language, Boolean(statusModule() ?? picker()));
  }

  protected override scheduleUpdate(): void | Promise<unknown> {
    const missing = this.missing();
    return missing ? missing.then(() => super.scheduleUpdate()) : super.scheduleUpdate();
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    const { language } = this;
    try {
      inLocale(language, () => super.update(changed));
      // Forward the names of inner parts, so that the outermost element exports them all.
      const inner =
        this.#parent &&
        [...this.renderRoot.querySelectorAll('[part]')].map(({ part }) => part.value).join();
      if (inner !== undefined && inner !== this.getAttribute('exportparts'))
        this.setAttribute('exportparts', inner);
    } catch (error) {
      this.broken(String(error));
    }
  }

  /** Handles an error while drawing. */
  protected broken(message: string): void {
    this.#parent?.broken(message);
  }

  /** Announces a text to screen readers, in the live region of the outermost element. */
  say(text: (status: StatusModule) => string): void {
    const outer = this.#parent;
    if (outer) outer.say(text);
    else void loadStatus().then((status) => status?.speakIn(this, () => text(status)));
  }
}

/** Registers an element once: a page may load the script twice. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
