/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { approxText } from './approx.ts';
import { groupByAsset, isOnOwnChain, isVariant, meantBy } from './asset.ts';
import { chooseTexts, drawUsual, moreText, networkText, searchLabel } from './coin-texts.ts';
import { lastKind } from './last-kind.ts';
import { RareMarks } from './rare-marks.ts';
import { CoinPickEvent } from '../../events/coin-pick-event.ts';
import { loadMarks, loadSearch, marks, search } from '../../core/lazy-registry.ts';
import { loadLocale, msg, str } from '../../i18n/locale.ts';
import { networkName } from '../../core/payment.ts';
import { drawAnew } from '../checkout/draw-anew.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { sheet } from '../../styles/sheet.ts';
import { pickerSheet } from './styles.ts';

/** Number of coins from which there is a search field. */
const SEARCH_FROM = 8;
/** Networks of an asset outside its collapsed list, unless only one more would be in it. */
const NETWORKS_AT_FIRST = 2;
/** Delay after the last keystroke before the result is announced. */
const SEARCH_DELAY_MS = 500;

/**
 * The coins that an order can be paid with: a tap on one picks it. It is a form with radio buttons,
 * for keyboards and pages without a script. Coins are grouped by asset, then by network, in the
 * given order; less common networks are collapsed.
 *
 * @tag crypto-coin-picker
 * @summary Pick a coin and a network.
 * @status stable
 * @since 0.1.0
 *
 * @event {CoinPickEvent} coin-pick - The buyer picked a coin (`kind`). Preventing it keeps the form
 * from being sent to `action`.
 *
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart asset - The coins of one asset.
 * @csspart mark - The round symbol of an asset.
 * @csspart approx - The approximate amount.
 * @csspart coin - The asset on one network.
 * @csspart usual - The usual network fee and duration.
 * @csspart clear-button - Clears the search.
 * @csspart submit - The submit button.
 */
export class CryptoCoinPicker extends CheckoutElement {
  static override styles: CSSResult[] = [sheet, pickerSheet];
  static override properties: PropertyDeclarations = {
    coins: { attribute: false },
    kind: {},
    action: {},
    busy: { type: Boolean },
  };

  #query = '';
  #announceTimer: ReturnType<typeof setTimeout> | undefined;
  /** The form was submitted without a choice among the search results. */
  #needsChoice = false;
  #hasChosen = false;
  /** The kind that was picked last on this device; undefined until it was looked up. */
  #lastUsed: string | null | undefined;
  readonly #rare = new RareMarks(() => this.requestUpdate());

  /**
   * The kinds that the buyer's wallet holds.
   * @internal
   */
  declare held: readonly string[] | undefined;

  /** The coins to choose from. */
  coins: readonly CheckoutCoin[] = [];

  /** The preselected kind. Default: the one that was picked last on this device, then the first. */
  declare kind: string | null | undefined;

  /** The form's target without a script. */
  declare action: string | undefined;

  /** Disables submitting. */
  declare busy: boolean | undefined;

  // All its texts are in the language's second file.
  protected override missing(): Promise<unknown> | undefined {
    return loadLocale(this.language);
  }

  // A server cannot read the device's storage: the first browser draw must match the server's.
  // Later the order changes only if the buyer has not chosen yet, because a moved radio button
  // loses the focus.
  protected override updated(): void {
    if (!marks()) void loadMarks().then((loaded) => loaded && this.requestUpdate());
    else this.#rare.watch(this.renderRoot);
    if (this.#lastUsed !== undefined) return;
    this.#lastUsed =
      this.kind || this.renderRoot.querySelector(':checked:not([checked])') ? null : lastKind();
    if (this.#lastUsed) this.requestUpdate();
    const since = performance.now();
    // An extension may only announce itself. On a touch screen, a wallet's own browser is found.
    if (!matchMedia('(pointer: coarse)').matches || 'ethereum' in globalThis)
      void import('../../wallet/holdings.ts').then(
        ({ moveHeldUp }) => moveHeldUp(this, since),
        () => {},
      );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#announceTimer);
  }

  async #search(event: Event): Promise<void> {
    this.#setQuery((event.target as HTMLInputElement).value);
    if (!search()) {
      await loadSearch();
      this.#setQuery(this.#query);
    }
    clearTimeout(this.#announceTimer);
    if (this.#query.trim())
      this.#announceTimer = setTimeout(
        () => this.say(() => this.#searchResultText()),
        SEARCH_DELAY_MS,
      );
  }

  #setQuery(query: string): void {
    this.#query = query;
    this.#needsChoice = this.#hasChosen = false;
    this.requestUpdate();
    void search()?.keepChoice(this);
  }

  /** The result of a search, for screen readers: the only coin, or the number of coins. */
  #searchResultText(): string {
    const [coin, ...others] = this.#found;
    if (!coin) return search()?.missText(this.#query) ?? '';
    return `${searchLabel()}: ${others.length ? others.length + 1 : `${coin.name}, ${this.#nameOf(coin)}`}`;
  }

  /**
   * A tap on a coin goes on at once, on the name above several networks with the first one on
   * screen. Keys move the choice first, without a `detail`.
   */
  #onTap(event: MouseEvent): void {
    const row = (event.target as Element).closest('label, section > :first-child');
    const radio =
      row?.querySelector('input') ??
      row?.nextElementSibling?.querySelector<HTMLInputElement>(':not([hidden]) > input');
    if (!radio || !event.detail) return;
    // The click on the label would be repeated on its radio button.
    event.preventDefault();
    // A browser restores the radio button after a prevented click. One request is sent at a time.
    setTimeout(() => {
      if (this.busy) return;
      radio.checked = this.#hasChosen = true;
      radio.form!.requestSubmit();
    });
  }

  get #found(): CheckoutCoin[] {
    return this.coins.filter((coin) => this.#matches(coin));
  }

  #matches(coin: CheckoutCoin): boolean {
    return search()?.matchesSearch(coin, this.#query) ?? true;
  }

  #submit(event: SubmitEvent): void {
    const form = event.target as HTMLFormElement;
    const radios = form['kind'] as RadioNodeList;
    const found = this.#found;
    // The checked coin may be hidden by the search. A single visible one is meant.
    const [only, another] = found;
    if (only && !another) radios.value = only.kind;
    const kind = radios.value;
    const meant = this.#hasChosen ? found : meantBy(this.#query, found);
    if (!meant.some((coin) => coin.kind === kind)) {
      event.preventDefault();
      return this.#askToChoose();
    }
    const both = form['with_lightning'] as HTMLInputElement | undefined;
    if (both) both.disabled = !kind.startsWith('BTC');
    lastKind(kind);
    const sent = !this.busy && this.dispatchEvent(new CoinPickEvent(kind));
    if (!sent || !this.action) event.preventDefault();
  }

  /** Asks for a choice among the visible coins; the checked one, or the first, gets the focus. */
  #askToChoose(): void {
    this.#needsChoice = this.#hasChosen = this.#found.length > 0;
    this.requestUpdate();
    this.say(() => (this.#needsChoice ? this.#askText() : this.#searchResultText()));
    const visible = (which: string): HTMLElement | null =>
      this.renderRoot.querySelector(`label:not([hidden]) ${which}`);
    (visible(':checked') ?? visible('input'))?.focus();
  }

  #askText(): string {
    const names = new Set(this.#found.map(({ name }) => name));
    return names.size > 1 ? chooseTexts().title : networkText();
  }

  #onChoice(): void {
    this.#needsChoice = false;
    this.#hasChosen = true;
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { coins, action } = this;
    const find = (wanted: string | null | undefined): CheckoutCoin | undefined =>
      coins.find(({ kind }) => kind === wanted);
    const given = find(this.kind);
    const last = given || this.#query ? undefined : find(this.#lastUsed);
    const held = coins.filter(({ kind }) => this.held?.includes(kind));
    // The asset of the given coin comes first, then those in the buyer's wallet.
    const ordered = [...new Set([given ?? [], held, coins].flat())];
    const chosen = last ? undefined : ordered[0];
    const assets = groupByAsset(
      (search()?.ranked(ordered, this.#query) ?? ordered).filter((coin) => coin !== last),
      coins,
    ).map((asset) => this.#asset(asset, chosen));
    const label = searchLabel();
    return html`<form
      class="stack ${this.busy ? 'busy' : ''}"
      method="post"
      action=${action ?? ''}
      @submit=${this.#submit}
    >
      ${
        coins.length < SEARCH_FROM
          ? nothing
          : html`<input
              class="script"
              part="search"
              type="search"
              placeholder=${label}
              aria-label=${label}
              @focus=${loadSearch}
              @input=${this.#search}
            />`
      }
      <fieldset
        part="list"
        aria-label=${chooseTexts().title}
        @change=${this.#onChoice}
        @click=${this.#onTap}
      >
        ${this.#drawHint()}
        ${last ? this.#coin(last, true, this.#head(last, this.#lastUsedText(last), true)) : nothing}${drawAnew(
          // A search moves the rows: no radio button may stay checked and stand for another coin.
          // The mark keeps the buyer's words apart from other keys.
          search() && this.#query ? `?${this.#query}` : '',
          html`${assets}`,
        )}
      </fieldset>
      ${
        // Bitcoin's code then also holds a lightning request.
        coins.some(({ kind }) => kind === 'BTC_LIGHTNING')
          ? html`<input type="hidden" name="with_lightning" value="true" />`
          : nothing
      }<button
        class="primary"
        part="submit"
        ?hidden=${!this.#found.length}
        aria-disabled=${Boolean(this.busy)}
      >
        ${msg('Continue', { id: 'continue' })}
      </button>
    </form>`;
  }

  #lastUsedText(coin: CheckoutCoin): string {
    const words = msg('Used last time', { id: 'choose.last' });
    return isOnOwnChain(coin, this.coins) ? words : `${this.#nameOf(coin)} · ${words}`;
  }

  /** Draws the reason for an empty result, or the request to choose. */
  #drawHint(): TemplateResult | typeof nothing {
    if (!this.#found.length) return search()?.drawMiss(this.#query) ?? nothing;
    return this.#needsChoice ? html`<p class="note warn">${this.#askText()}</p>` : nothing;
  }

  /** Draws an asset: one row, or its first networks side by side, with the others collapsed. */
  #asset(coins: CheckoutCoin[], chosen: CheckoutCoin | undefined): TemplateResult {
    const [coin, second] = coins as [CheckoutCoin, ...CheckoutCoin[]];
    if (!second)
      return this.#coin(
        coin,
        coin === chosen,
        this.#head(coin, isOnOwnChain(coin, this.coins) ? '' : this.#networkOf(coin), true),
      );
    const options = coins.map((one) =>
      this.#coin(
        one,
        one === chosen,
        html`<span class="spot">${marks()?.drawNetwork(one.network)}</span>
          <span class="name">${this.#networkOf(one)}${drawUsual(one, this.language)}</span>`,
        'coin',
      ),
    );
    // Tokens are many: the name above them has to do, in the first response of the page.
    const label = coin.gas ? nothing : coin.name;
    // lit-analyzer takes no `nothing` for a role.
    const role = (coin.gas ? nothing : 'group') as 'group';
    const more = coins.length > NETWORKS_AT_FIRST + 1 ? options.splice(NETWORKS_AT_FIRST) : [];
    return html`<section
      class="line"
      part="asset"
      role=${role}
      aria-label=${label}
      ?hidden=${!coins.some((one) => this.#matches(one))}
    >
      <div class="row">${this.#head(coin)}</div>
      <div class="row tight networks">
        ${options}${
          more.length
            ? html`<details ?open=${Boolean(this.#query)}>
                <summary
                  class="button"
                  ?hidden=${Boolean(this.#query)}
                  aria-label=${moreText(more)}
                >
                  +${more.length}
                </summary>
                <div class="row tight networks">${more}</div>
              </details>`
            : nothing
        }
      </div>
    </section>`;
  }

  #coin(
    coin: CheckoutCoin,
    checked: boolean,
    text: TemplateResult,
    part = 'asset',
  ): TemplateResult {
    return html`<label class="row" part=${part} ?hidden=${!this.#matches(coin)}
      ><input type="radio" name="kind" value=${coin.kind} ?checked=${checked} />${text}</label
    >`;
  }

  #head(coin: CheckoutCoin, line?: string, alone = false): TemplateResult {
    return html`<span part="mark" aria-hidden="true">${this.#mark(coin, alone)}</span>
      <span class="name">
        <b>${coin.name}</b
        >${line ? html`<small dir="auto">${line}</small>` : nothing}${alone ? drawUsual(coin, this.language) : nothing}
      </span>
      <small part="approx"><bdi>${approxText(coin, this.language, alone)}</bdi></small>`;
  }

  /** The coin's mark, or its symbol where it has none; empty until the marks are loaded. */
  #mark({ symbol, network }: CheckoutCoin, alone: boolean): TemplateResult | string {
    const drawn = marks()?.drawCoin(symbol, alone ? network : null);
    return drawn === null ? symbol.replace(/^L-(?=U)|-/, '').slice(0, 4) : (drawn ?? '');
  }

  /** The network as exchanges name it, with the kind where two coins share it. */
  #networkOf(coin: CheckoutCoin): string {
    return isVariant(coin, this.coins) ? `${coin.network} · ${coin.kind}` : networkName(coin);
  }

  /** The coin with its network, where it stands alone. */
  #nameOf(coin: CheckoutCoin): string {
    const { network, symbol, gas } = coin;
    return gas ? msg(str`${symbol} on ${network}`, { id: 'coin.on' }) : this.#networkOf(coin);
  }
}

define('crypto-coin-picker', CryptoCoinPicker);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-coin-picker': CryptoCoinPicker;
  }
}
