import {
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import type { Session } from '@crypto-checkout/protocol/dashboard';
import { type Focus, followLinks, go, MOVED, SAY } from './navigate.ts';
import { type Route, type ViewName, pathTo, readRoute } from './route.ts';
import { read, GatewayError, SIGNED_OUT, write } from './server.ts';

const MENU: readonly (readonly [ViewName, string])[] = [
  ['home', 'Attention'],
  ['invoices', 'Invoices'],
  ['transactions', 'Transactions'],
  ['payouts', 'Payouts'],
  ['refunds', 'Refunds'],
  ['balances', 'Balances'],
  ['rules', 'Rules'],
  ['callbacks', 'Callbacks'],
  ['test', 'Test'],
];

/** The whole page: session, navigation, and the view of the address. */
export class OperatorDashboard extends LitElement {
  static override properties: PropertyDeclarations = {
    session: { state: true },
    route: { state: true },
    trouble: { state: true },
    sentence: { state: true },
  };

  /** Undefined while unknown; null without a session. */
  declare private session: Session | null | undefined;
  /** Null for an unknown address. */
  declare private route: Route | null;
  declare private trouble: string | undefined;
  /** Announced to screen readers. */
  declare private sentence: string;

  #listening: AbortController | undefined;
  #focusHeading = false;

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { signal } = (this.#listening = new AbortController());
    this.sentence = '';
    this.#move('stay');
    document.addEventListener('click', followLinks, { signal });
    window.addEventListener('popstate', () => this.#move('heading'), { signal });
    // A second sign-in link, opened in a signed-in browser.
    window.addEventListener('hashchange', () => this.requestUpdate(), { signal });
    window.addEventListener(MOVED, (event) => this.#move((event as CustomEvent<Focus>).detail), {
      signal,
    });
    window.addEventListener(SAY, (event) => this.#say((event as CustomEvent<string>).detail), {
      signal,
    });
    window.addEventListener(
      SIGNED_OUT,
      (event) => this.#left((event as CustomEvent<string>).detail),
      { signal },
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#listening?.abort();
  }

  #move(focus: Focus): void {
    // Reads the session again after sign-in.
    if (this.route?.view === 'sign-in') this.session = undefined;
    this.route = readRoute(location);
    this.#focusHeading = focus === 'heading';
    if (this.route?.view === 'sign-in') this.trouble = undefined;
    else if (!this.session) void this.#enter();
  }

  async #enter(): Promise<void> {
    try {
      this.session = (await read<{ result: Session }>('session/')).result;
      this.trouble = undefined;
    } catch (error) {
      this.session = error instanceof GatewayError && error.status === 401 ? null : this.session;
      this.trouble = error instanceof Error ? error.message : String(error);
    }
  }

  #left(sentence: string): void {
    this.session = null;
    this.trouble = sentence;
    this.#focusHeading = true;
  }

  /** Cleared in between, so that the same sentence twice is announced twice. */
  #say(sentence: string): void {
    this.sentence = '';
    setTimeout(() => (this.sentence = sentence), 50);
  }

  async #signOut(): Promise<void> {
    try {
      await write('sign-out/');
    } catch (error) {
      // Signing out of an expired session succeeds.
      if (!(error instanceof GatewayError && error.status === 401))
        return void (this.trouble = (error as Error).message);
    }
    this.session = null;
    this.trouble = undefined;
    go(pathTo('sign-in'));
  }

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('route') && !changed.has('session')) return;
    if (this.#focusHeading) void this.#focus();
    this.#showTab();
    const view = this.route?.view;
    const load = view && LAZY[view];
    if (load) void this.#define(view, load);
  }

  async #define(view: ViewName, load: () => Promise<CustomElementConstructor>): Promise<void> {
    try {
      const element = await load();
      if (!customElements.get(`${view}-view`)) customElements.define(`${view}-view`, element);
    } catch {
      this.trouble = 'This page could not be loaded. Reload it to try again.';
    }
  }

  /** Scrolls the row of tabs, and nothing else, to the current one. */
  #showTab(): void {
    const tab = this.querySelector<HTMLElement>('nav a:not([aria-current=false])');
    const row = tab?.parentElement;
    if (tab && row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }

  /** Moves the focus to the new content once it is rendered. */
  async #focus(): Promise<void> {
    const view = this.querySelector('main')?.firstElementChild;
    if (view?.localName.endsWith('-view')) await customElements.whenDefined(view.localName);
    await (view as Partial<LitElement> | null | undefined)?.updateComplete;
    const heading = this.querySelector('h1');
    if (!heading) return;
    this.#focusHeading = false;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  protected override render(): TemplateResult {
    const { session, route, trouble } = this;
    const inside = session && route?.view !== 'sign-in';
    return html`
      ${inside ? this.#header(session, route) : nothing}
      <main id="content" tabindex="-1">
        ${inside ? this.#view(session, route) : this.#outside(session, route, trouble)}
        ${inside && trouble ? html`<p class="trouble" role="alert">${trouble}</p>` : nothing}
      </main>
      <div class="hidden" role="status" aria-live="polite">${this.sentence}</div>
      <confirm-dialog></confirm-dialog>
    `;
  }

  #outside(
    session: Session | null | undefined,
    route: Route | null,
    trouble: string | undefined,
  ): TemplateResult {
    if (session === null || route?.view === 'sign-in')
      return html`<sign-in-view .trouble=${trouble}></sign-in-view>`;
    return trouble
      ? html`<p class="trouble" role="alert">${trouble}</p>`
      : html`<p class="loading">Loading …</p>`;
  }

  #header({ account, email }: Session, route: Route | null): TemplateResult {
    return html`<a class="skip" href="#content" @click=${this.#skip}>Skip to the content</a>
      <header>
        <div class="bar">
          <p class="account">
            <strong>${account.name}</strong>
            ${account.network === 'testnet' ? html`<span class="badge" data-tone="calm">test network</span>` : nothing}
          </p>
          <p class="who">
            ${email === null ? nothing : html`<span>${email}</span>`}
            <button type="button" class="quiet" title=${email ?? nothing} @click=${this.#signOut}>
              Sign out
            </button>
          </p>
        </div>
        <nav aria-label="Main">
          ${MENU.map(
            ([view, text]) =>
              html`<a
                href=${pathTo(view)}
                aria-current=${route?.view === view ? (route.id ? 'true' : 'page') : 'false'}
                >${text}</a
              >`,
          )}
        </nav>
      </header>`;
  }

  #skip(event: Event): void {
    event.preventDefault();
    document.querySelector('h1')?.focus();
  }

  #view(session: Session, route: Route | null): TemplateResult {
    if (route !== null && route.view !== 'sign-in') return VIEW_AT[route.view](session, route);
    document.title = 'Nothing here – Dashboard';
    return html`<h1 tabindex="-1">Nothing here</h1>
      <p>There is nothing at this address. <a href=${pathTo('home')}>Go to the start</a></p>`;
  }
}

/** Large views that are seldom opened. */
const LAZY: Readonly<Partial<Record<ViewName, () => Promise<CustomElementConstructor>>>> = {
  balances: async () => (await import('./view/balances.ts')).BalancesView,
  rules: async () => (await import('./view/rules.ts')).RulesView,
  test: async () => (await import('./view/test.ts')).TestView,
};

/** The detail view when the address has an id, else the list. */
const VIEW_AT: Readonly<
  Record<Exclude<ViewName, 'sign-in'>, (session: Session, route: Route) => TemplateResult>
> = {
  home: (session, route) => html`<home-view .session=${session} .route=${route}></home-view>`,
  invoices: (session, route) =>
    route.id
      ? html`<invoice-view .session=${session} .route=${route}></invoice-view>`
      : html`<invoices-view .session=${session} .route=${route}></invoices-view>`,
  transactions: (session, route) =>
    route.id
      ? html`<transaction-view .session=${session} .route=${route}></transaction-view>`
      : html`<transactions-view .session=${session} .route=${route}></transactions-view>`,
  payouts: (session, route) =>
    route.id
      ? html`<payout-view .session=${session} .route=${route}></payout-view>`
      : html`<payouts-view .session=${session} .route=${route}></payouts-view>`,
  refunds: (session, route) =>
    route.id
      ? html`<refund-view .session=${session} .route=${route}></refund-view>`
      : html`<refunds-view .session=${session} .route=${route}></refunds-view>`,
  balances: (session, route) =>
    html`<balances-view .session=${session} .route=${route}></balances-view>`,
  rules: (session, route) => html`<rules-view .session=${session} .route=${route}></rules-view>`,
  callbacks: (session, route) =>
    route.id
      ? html`<callback-view .session=${session} .route=${route}></callback-view>`
      : html`<callbacks-view .session=${session} .route=${route}></callbacks-view>`,
  test: (session, route) => html`<test-view .session=${session} .route=${route}></test-view>`,
};
