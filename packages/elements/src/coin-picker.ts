/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { CoinPickEvent } from './event.ts';
import { later, loadAfter } from './later.ts';
import { msg } from './locale.ts';
import { Part, define } from './part.ts';
import { wordsOf } from './stage.ts';

/** From this many coins on there is a search field. */
const LONG = 8;

/**
 * The coins that an order can be paid with: a real form with radio buttons, which also works before and without any script.
 * Grouped by asset, then network, in the order in which they come.
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
 * @csspart asset - The coins of one asset.
 * @csspart mark - The round picture of an asset.
 * @csspart approx - About how much it is.
 * @csspart coin - The asset on one network.
 * @csspart submit - The button.
 */
export class CryptoCoinPicker extends Part {
  static override properties: PropertyDeclarations = {
    coins: { attribute: false },
    kind: {},
    action: {},
    busy: { type: Boolean },
  };

  #wanted = '';

  /** The coins to choose from. */
  coins: readonly CheckoutCoin[] = [];

  /** The kind that is chosen at first. */
  declare kind: string | null | undefined;

  /** Where the form goes without a script. */
  declare action: string | undefined;

  /** Nothing can be sent at the moment. */
  declare busy: boolean | undefined;

  #search(event: Event): void {
    this.#wanted = (event.target as HTMLInputElement).value;
    void loadAfter().then(() => this.requestUpdate());
  }

  #fits(coin: CheckoutCoin): boolean {
    return !this.#wanted || (later()?.fits(coin, this.#wanted) ?? true);
  }

  #submit(event: SubmitEvent): void {
    const { value } = (event.target as HTMLFormElement)['kind'] as RadioNodeList;
    const sent = !this.busy && this.dispatchEvent(new CoinPickEvent(value));
    if (!sent || !this.action) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { coins, action } = this;
    const first = coins.find(({ kind }) => kind === this.kind) ?? coins[0];
    const symbols = [...new Set(coins.map(({ symbol }) => symbol))];
    return html`<form class="stack" method="post" action=${action ?? ''} @submit=${this.#submit}>
      ${
        coins.length < LONG
          ? nothing
          : html`<input class="script" part="search" type="search" placeholder=${msg('Search', { id: 'search' })} @input=${this.#search} />`
      }
      <fieldset part="list" aria-label=${wordsOf('choose').title}>
        ${symbols.map((symbol) =>
          this.#asset(
            coins.filter((coin) => coin.symbol === symbol),
            first,
          ),
        )}${coins.some((coin) => this.#fits(coin)) ? nothing : later()?.drawNothing()}
      </fieldset>
      <button class="primary" part="submit" aria-disabled=${Boolean(this.busy)}>${msg('Continue', { id: 'continue' })}</button>
    </form>`;
  }

  #asset(coins: CheckoutCoin[], first: CheckoutCoin | undefined): TemplateResult {
    const { name, symbol, approx } = coins[0]!;
    return html`<section
      class="row line wrap"
      part="asset"
      role="group"
      aria-label="${name} ${symbol}"
      ?hidden=${!coins.some((coin) => this.#fits(coin))}
    >
      <div class="row">
        <i part="mark" aria-hidden="true">${symbol.slice(0, 4)}</i>
        <div>
          <b>${name}</b><small part="approx"><bdi>${approx ? `≈ ${approx} ${symbol}` : symbol}</bdi></small>
        </div>
      </div>
      <div class="row wrap">
        ${coins.map((coin) => {
          const { kind, network } = coin;
          const twins = coins.filter((other) => other.network === network).length > 1;
          return html`<label class="row" part="coin" ?hidden=${!this.#fits(coin)}
            ><input type="radio" name="kind" value=${kind} ?checked=${coin === first} />${twins ? `${network} · ${kind}` : network}</label
          >`;
        })}
      </div>
    </section>`;
  }
}

define('crypto-coin-picker', CryptoCoinPicker);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-coin-picker': CryptoCoinPicker;
  }
}
