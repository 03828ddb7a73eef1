import {
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import type { Session } from '@crypto-checkout/protocol/dashboard';
import { say } from '../navigate.ts';
import { type Route, pathTo } from '../route.ts';

/**
 * Base class of the views: a heading and the loaded content of one address. Without a shadow root:
 * headings, labels and tables belong to one document, and one style sheet styles all.
 */
export abstract class View<T> extends LitElement {
  static override properties: PropertyDeclarations = {
    route: { attribute: false },
    session: { attribute: false },
    data: { state: true },
    trouble: { state: true },
    loading: { state: true },
    changing: { state: true },
  };

  declare route: Route;
  declare session: Session;
  declare protected data: T | undefined;
  /** The gateway's error message. */
  declare protected trouble: string | undefined;
  declare protected loading: boolean;
  /** Whether a change is being sent. */
  declare protected changing: boolean;

  #request: AbortController | undefined;
  /** The address whose content was announced last. */
  #announced: Route | undefined;

  /** Whether the content can become outdated. */
  protected readonly refreshable: boolean = true;

  protected abstract heading(): string;
  protected abstract load(signal: AbortSignal): Promise<T>;
  protected abstract content(data: T): TemplateResult;

  /** The announcement for loaded content. */
  protected summary(_data: T): string {
    return '';
  }

  protected override createRenderRoot(): this {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#request?.abort();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('route')) return;
    const before = changed.get('route') as Route | undefined;
    // The previous page of a list stays visible while the next one loads; another resource starts
    // empty.
    if (before?.id !== this.route.id) this.data = undefined;
    void this.reload();
  }

  /** Reloads; the current content stays visible meanwhile. */
  async reload(): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.loading = true;
    try {
      const data = await this.load(request.signal);
      if (request.signal.aborted) return;
      this.data = data;
      this.trouble = undefined;
      if (this.#announced !== this.route) say(this.summary(data));
      this.#announced = this.route;
    } catch (error) {
      if (request.signal.aborted) return;
      this.trouble = error instanceof Error ? error.message : String(error);
    }
    this.loading = false;
  }

  /**
   * Makes a change, then reloads in any case: the gateway may have applied it without being able to
   * answer.
   * @param work returns a message when the change did not happen
   */
  protected async change(work: () => Promise<string | undefined>): Promise<void> {
    if (this.changing) return;
    const before = document.activeElement;
    this.changing = true;
    const trouble = await work().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    await this.reload();
    this.trouble = trouble ?? this.trouble;
    this.changing = false;
    await this.updateComplete;
    this.#keepFocus(before);
  }

  /** The pressed button may be gone: then the focus moves to the heading. */
  #keepFocus(before: Element | null): void {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const stays = before instanceof HTMLElement && before !== document.body && before.isConnected;
    (stays ? before : this.querySelector('h1'))?.focus();
  }

  /** Not found, or an invalid request. */
  #wayOut(): TemplateResult | typeof nothing {
    const { view, id, query } = this.route;
    return id === null && query === ''
      ? nothing
      : html`<p><a href=${pathTo(view)}>Show everything</a></p>`;
  }

  protected override render(): TemplateResult {
    const { data, trouble, loading } = this;
    document.title = `${this.heading()} – Dashboard`;
    return html`
      <div class="title">
        <h1 tabindex="-1">${this.heading()}</h1>
        ${
          this.refreshable
            ? html`<button
                type="button"
                class="quiet"
                ?disabled=${loading}
                @click=${() => this.reload()}
              >
                Refresh
              </button>`
            : nothing
        }
      </div>
      ${trouble ? html`<p class="trouble" role="alert">${trouble}</p>` : nothing}
      <div aria-busy=${loading ? 'true' : 'false'}>
        ${data === undefined ? (loading ? html`<p class="loading">Loading …</p>` : this.#wayOut()) : this.content(data)}
      </div>
    `;
  }
}
