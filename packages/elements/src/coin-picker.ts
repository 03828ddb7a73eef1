/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type PropertyDeclarations, type TemplateResult, css, html, nothing } from 'lit';
import { drawUsual, fits, wordsOfChoice } from './coin-words.ts';
import { CoinPickEvent } from './event.ts';
import { loadLocale, msg, str } from './locale.ts';
import { formatCoins } from './number.ts';
import { Part, define } from './part.ts';
import { sheet } from './sheet.ts';

/** From this many coins on there is a search field. */
const LONG = 8;
/** Assets that are shown at once; the others are folded away, unless they are hardly more. */
const FIRST = 6;
/** After the last letter, before it is said what was found: nobody listens while typing. */
const QUIET_MS = 500;
/** Where the buyer's device keeps the kind that was picked last. Nothing else is kept, and it is never sent. */
const MEMORY = 'crypto-checkout-kind';

/**
 * The coins that an order can be paid with: a real form with radio buttons, which also works before and without any script.
 * Grouped by asset, then network, in the order in which they come: the most used first, the rest folded away.
 *
 * @tag crypto-coin-picker
 * @summary Pick a coin and a network.
 * @status stable
 * @since 0.1.0
 *
 * @event {CoinPickEvent} coin-pick - The buyer picked a coin (`kind`). Cancel it to keep the form from being sent to `action`.
 *
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart all - The fold with the less used coins.
 * @csspart asset - The coins of one asset; a fold where it is on many networks.
 * @csspart mark - The round picture of an asset.
 * @csspart approx - About how much it is.
 * @csspart coin - The asset on one network.
 * @csspart usual - How long it usually takes.
 * @csspart gas - Which other coin the picked one needs for the network's fee.
 * @csspart submit - The button.
 */
export class CryptoCoinPicker extends Part {
  static override styles: CSSResult = css`
    ${sheet}
    label,
    [type='search'] {
      min-block-size: 44px;
      padding: 0.5em 1em;
      font: inherit;
      color: inherit;
      background: none;
      border: var(--_line);
      border-radius: var(--_radius);
      cursor: pointer;
    }
    /* A field is known by its edge, which lines between rows need not be seen as well as. */
    [type='search'],
    ::placeholder {
      border-color: var(--_muted);
      color: var(--_muted);
      opacity: 1;
    }
    [aria-disabled='true'] {
      opacity: 0.6;
    }
    label:has(:checked) {
      border-color: var(--_accent);
    }
    label:has(:focus-visible) {
      outline: 3px solid var(--_accent);
      outline-offset: 2px;
    }
    [type='radio'] {
      inline-size: 1.15em;
      block-size: 1.15em;
      accent-color: var(--_accent);
      outline: 0;
    }
    [part='mark'] {
      display: grid;
      place-items: center;
      inline-size: 3.5em;
      block-size: 3.5em;
      color: var(--_accent);
      background: color-mix(in srgb, var(--_accent) 12%, var(--_back));
      border: 1px solid transparent;
      border-radius: 50%;
      font-size: 0.7em;
    }
    fieldset {
      border: var(--_line);
      border-radius: var(--_radius);
    }
    /* What is used most is seen whole, whatever is opened in it; of all the rest a part, or the button would be far below. */
    .rest {
      max-block-size: max(24em, 50vh);
      overflow: auto;
    }
    .networks {
      align-items: stretch;
      margin-block-start: 0.35em;
    }
    label[part='coin'] {
      flex: 1;
      padding: 0.5em 0.4em;
      gap: 0.4em;
    }
    [part='asset'] {
      padding: 0.6em 0.9em;
      border-width: 0 0 1px;
      border-radius: 0;
      outline-offset: -3px;
    }
    [part='asset']:last-child,
    [part='all'] {
      border: 0;
    }
    [part='all'] > summary {
      padding-inline: 0.9em;
    }
    [part='asset'] div {
      flex: 1;
    }
    details > label {
      margin-block: 0.5em;
    }
    summary.row::after {
      content: '▾';
      /* A reader has "collapsed" for it. */
      content: '▾' / '';
    }
    [part='gas'] {
      display: none;
    }
    :checked ~ div [part='gas'] {
      display: inline;
    }
    [type='radio'] {
      order: 1;
    }
  `;
  static override properties: PropertyDeclarations = {
    coins: { attribute: false },
    kind: {},
    action: {},
    busy: { type: Boolean },
  };

  #wanted = '';
  #telling: ReturnType<typeof setTimeout> | undefined;
  /** The buyer goes on without having chosen one of those that were found. */
  #undecided = false;
  /** The kind that was picked last on this device; undefined until that was looked up. */
  #last: string | null | undefined;

  /** The coins to choose from. */
  coins: readonly CheckoutCoin[] = [];

  /** The kind that is chosen at first. Default: the one that was picked last on this device, then the first. */
  declare kind: string | null | undefined;

  /** Where the form goes without a script. */
  declare action: string | undefined;

  /** Nothing can be sent at the moment. */
  declare busy: boolean | undefined;

  // None of its texts are among those that come with the first script.
  protected override missing(): Promise<unknown> | undefined {
    return loadLocale(this.language);
  }

  // A server knows nothing of the device: first both draw the same. A choice that was made meanwhile stays, and one that is made from now
  // on moves nothing: what has the focus would lose it.
  protected override updated(): void {
    if (this.#last !== undefined) return;
    this.#last = this.kind || this.renderRoot.querySelector(':checked:not([checked])') ? null : remembered();
    if (this.#last) this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#telling);
  }

  #search(event: Event): void {
    this.#wanted = (event.target as HTMLInputElement).value;
    this.#undecided = false;
    this.requestUpdate();
    clearTimeout(this.#telling);
    if (this.#wanted.trim()) this.#telling = setTimeout(() => this.say(() => this.#wordsOfFound()), QUIET_MS);
  }

  /** What a search has found: the only coin by its name, or how many there are. */
  #wordsOfFound(): string {
    const [coin, ...others] = this.#found;
    if (!coin) return wordsOfNone();
    return `${wordsOfSearch()}: ${others.length ? others.length + 1 : `${coin.name}, ${this.#nameOf(coin)}`}`;
  }

  get #found(): CheckoutCoin[] {
    return this.coins.filter((coin) => this.#fits(coin));
  }

  #fits(coin: CheckoutCoin): boolean {
    return !this.#wanted || fits(coin, this.#wanted);
  }

  #submit(event: SubmitEvent): void {
    const { value } = (event.target as HTMLFormElement)['kind'] as RadioNodeList;
    const found = this.#found;
    const radioOf = (kind: string): HTMLInputElement | null => this.renderRoot.querySelector(`[value='${CSS.escape(kind)}']`);
    // The coin that is checked may be one that the search has hidden, and is not meant: the only one that is left is.
    const [only] = found.length === 1 ? found : [];
    if (only) radioOf(only.kind)!.checked = true;
    else if (!found.some(({ kind }) => kind === value)) {
      event.preventDefault();
      return this.#askAgain();
    }
    const kind = only?.kind ?? value;
    remembered(kind);
    const sent = !this.busy && this.dispatchEvent(new CoinPickEvent(kind));
    if (!sent || !this.action) event.preventDefault();
  }

  /** None of those that were found is chosen: says so, and leads to them. */
  #askAgain(): void {
    this.#undecided = this.#found.length > 0;
    this.requestUpdate();
    this.say(() => (this.#undecided ? wordsOfChoice().title : wordsOfNone()));
    this.renderRoot.querySelector<HTMLElement>('label:not([hidden]) input')?.focus();
  }

  #decide(): void {
    this.#undecided = false;
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { coins, action } = this;
    const find = (wanted: string | null | undefined): CheckoutCoin | undefined => coins.find(({ kind }) => kind === wanted);
    const given = find(this.kind);
    const last = given ? undefined : find(this.#last);
    const chosen = given ?? (last ? undefined : coins[0]);
    const groups = new Map<string, CheckoutCoin[]>();
    // The given coin's asset comes first.
    for (const coin of new Set(given ? [given, ...coins] : coins)) {
      // By its name: Tether on Liquid has another symbol, and is Tether all the same.
      const asset = this.#isTwin(coin) ? coin.kind : coin.name;
      if (coin !== last) groups.set(asset, [...(groups.get(asset) ?? []), coin]);
    }
    const assets = [...groups.values()].map((asset) => this.#asset(asset, chosen));
    const shown = assets.length > FIRST + 2 ? FIRST : assets.length;
    const search = wordsOfSearch();
    return html`<form class="stack" method="post" action=${action ?? ''} @submit=${this.#submit}>
      ${
        coins.length < LONG
          ? nothing
          : html`<input class="script" part="search" type="search" placeholder=${search} aria-label=${search} @input=${this.#search} />`
      }
      <fieldset part="list" aria-label=${wordsOfChoice().title} @change=${this.#decide}>
        ${last ? this.#coin(last, true, this.#head(last, this.#wordsOfLast(last))) : nothing}${assets.slice(0, shown)}${
          shown < assets.length
            ? html`<details part="all" ?open=${Boolean(this.#wanted)}>
                <summary ?hidden=${Boolean(this.#wanted)}>${msg(str`All coins (${assets.length})`, { id: 'choose.all' })}</summary>
                <div class="rest">${assets.slice(shown)}</div>
              </details>`
            : nothing
        }${this.#drawHint()}
      </fieldset>
      <button class="primary" part="submit" aria-disabled=${Boolean(this.busy)}>${msg('Continue', { id: 'continue' })}</button>
    </form>`;
  }

  #wordsOfLast(coin: CheckoutCoin): string {
    const words = msg('Used last time', { id: 'choose.last' });
    return this.#isPlain(coin) ? words : `${this.#nameOf(coin)} · ${words}`;
  }

  /** That nothing is found, or that one of what is found is to be chosen. */
  #drawHint(): TemplateResult | typeof nothing {
    if (!this.#found.length) return html`<p part="asset">${wordsOfNone()}</p>`;
    return this.#undecided ? html`<p class="note warn">${wordsOfChoice().title}</p>` : nothing;
  }

  /** An asset: one row, two networks side by side, or a fold with many. */
  #asset(coins: CheckoutCoin[], chosen: CheckoutCoin | undefined): TemplateResult {
    const [coin, second, third] = coins as [CheckoutCoin, ...CheckoutCoin[]];
    if (!second) return this.#coin(coin, coin === chosen, this.#head(coin, this.#isPlain(coin) ? '' : this.#nameOf(coin)));
    const hidden = !coins.some((one) => this.#fits(one));
    const options = coins.map((one) => this.#coin(one, one === chosen, html`<div>${this.#nameOf(one)}${this.#usual(one)}</div>`, 'coin'));
    return third || coin.gas
      ? html`<details class="line" part="asset" ?open=${Boolean(this.#wanted) || coins.includes(chosen!)} ?hidden=${hidden}>
          <summary class="row">${this.#head(coin)}</summary>
          ${options}
        </details>`
      : html`<section class="stack tight line" part="asset" role="group" aria-label="${coin.name} ${coin.symbol}" ?hidden=${hidden}>
          <div class="row">${this.#head(coin)}</div>
          <div class="row tight networks">${options}</div>
        </section>`;
  }

  #coin(coin: CheckoutCoin, checked: boolean, text: TemplateResult, part = 'asset'): TemplateResult {
    return html`<label class="row" part=${part} ?hidden=${!this.#fits(coin)}
      ><input type="radio" name="kind" value=${coin.kind} ?checked=${checked} />${text}</label
    >`;
  }

  #head(coin: CheckoutCoin, line?: string): TemplateResult {
    const { name, symbol, approx } = coin;
    return html`<span part="mark" aria-hidden="true">${symbol.replace(/^L-(?=U)|-/, '').slice(0, 4)}</span>
      <div>
        <b>${name}</b><small part="approx"><bdi>${approx ? `≈ ${this.#about(approx)} ${symbol}` : symbol}</bdi></small
        >${line ? html`<small>${line}</small>` : nothing}${line === undefined ? nothing : this.#usual(coin)}
      </div>`;
  }

  /** As the payment is going to say it; but one decimal alone is half a price: `18.5` dollars are 18.50. */
  #about(approx: string): string {
    return formatCoins(approx.replace(/\.\d$/, '$&0'), this.language);
  }

  #usual(coin: CheckoutCoin): TemplateResult {
    return html`<small part="usual">${drawUsual(coin, this.language)}</small>`;
  }

  /** A kind that buyers cannot tell from one before it, as bitcoin's forms of addresses. */
  #isTwin(coin: CheckoutCoin): boolean {
    return this.coins.find(({ symbol, network }) => symbol === coin.symbol && network === coin.network) !== coin;
  }

  /** The asset alone says where it is sent: no other network is offered for it, wherever that stands, and it is on its own chain. */
  #isPlain(coin: CheckoutCoin): boolean {
    const { kind, name, network, symbol, gas } = coin;
    const alone = this.coins.every((other) => other === coin || other.name !== name);
    return alone && !gas && (kind === symbol || network.startsWith(name));
  }

  /** The asset on its network, as exchanges name it. */
  #nameOf(coin: CheckoutCoin): string {
    const { kind, network, symbol, gas } = coin;
    if (this.#isTwin(coin)) return `${network} · ${kind}`;
    return gas ? msg(str`${symbol} on ${network}`, { id: 'coin.on' }) : network;
  }
}

const wordsOfSearch = (): string => msg('Search', { id: 'search' });
const wordsOfNone = (): string => msg('Nothing found.', { id: 'search.none' });

/** The kind that was picked last on this device; a new one takes its place. Devices may refuse to remember. */
function remembered(kind?: string): string | null {
  try {
    if (kind) localStorage.setItem(MEMORY, kind);
    return localStorage.getItem(MEMORY);
  } catch {
    return null;
  }
}

define('crypto-coin-picker', CryptoCoinPicker);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-coin-picker': CryptoCoinPicker;
  }
}
