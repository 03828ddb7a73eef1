import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type PropertyDeclarations, type TemplateResult, css, html, nothing } from 'lit';
import { CoinPickEvent } from './event.ts';
import { msg } from './locale.ts';
import { Part, define } from './part.ts';
import { sheet } from './sheet.ts';

/** From this many coins on there is a search field. */
const LONG = 8;

/** The colour by which a coin is known. */
const COLORS: Record<string, string> = {
  BTC: 'c76a00',
  ETH: '5470d6',
  USDT: '16845f',
  USDC: '2775ca',
  LTC: '345d9d',
  DOGE: '8f7412',
  SOL: '8a3ff0',
  TRX: 'd1202c',
  TON: '007ab8',
  BNB: '8d6b00',
};

/**
 * The coins that an order can be paid with: a real form with radio buttons, which also works before and without any script.
 * Grouped by asset, then network, in the order in which they come.
 *
 * @summary Pick a coin and a network.
 * @status stable
 * @since 0.1.0
 *
 * @event {CoinPickEvent} coin-pick - The buyer picked a coin (`kind`). Cancel it to keep the form from being sent to `action`.
 *
 * @csspart search - The search field of a long list.
 * @csspart list - All coins.
 * @csspart coin - One coin on one network.
 * @csspart approx - About how much it is.
 * @csspart submit - The button.
 */
export class CryptoCoinPicker extends Part {
  static override styles: CSSResult[] = [
    sheet,
    css`
      form,
      .name {
        display: grid;
        gap: 1em;
      }
      .name {
        flex: 1;
        min-inline-size: 0;
        gap: 0;
        line-height: 1.3;
      }
      [part='search'] {
        min-block-size: 44px;
        padding: 0.5em 0.9em;
        font: inherit;
        color: inherit;
        background: none;
      }
      [part='search'],
      [part='list'] {
        min-inline-size: 0;
        border: 1px solid var(--_line);
        border-radius: var(--_radius);
      }
      [part='list'] {
        padding: 0;
        overflow: hidden;
      }
      label {
        min-block-size: 60px;
        padding: 0.5em 0.9em;
        border-block-end: 1px solid var(--_line);
        cursor: pointer;
      }
      section:last-child label:last-child {
        border: 0;
      }
      label:has(:checked) {
        background: color-mix(in srgb, var(--_accent) 10%, transparent);
      }
      label:has(:focus-visible) {
        outline: 3px solid var(--_accent);
        outline-offset: -3px;
      }
      input {
        accent-color: var(--_accent);
        outline: 0;
      }
      [type='radio'],
      label svg {
        inline-size: 1.25em;
        block-size: 1.25em;
        flex: none;
      }
      label svg {
        inline-size: 2.25em;
        block-size: 2.25em;
      }
      [part='approx'] {
        text-align: end;
      }
    `,
  ];
  static override properties: PropertyDeclarations = {
    coins: { attribute: false },
    kind: {},
    action: {},
    busy: { type: Boolean },
  };

  #wanted: string[] = [];

  /** The coins to choose from. */
  coins: readonly CheckoutCoin[] = [];

  /** The kind that is chosen at first. */
  kind: string | null = null;

  /** Where the form goes without a script. */
  action = '';

  /** Nothing can be sent at the moment. */
  busy = false;

  #search(event: Event): void {
    this.#wanted = (event.target as HTMLInputElement).value.toLowerCase().split(/\s+/);
    this.requestUpdate();
  }

  #fits({ name, symbol, network, kind }: CheckoutCoin): boolean {
    const text = `${name} ${symbol} ${network} ${kind}`.toLowerCase();
    return this.#wanted.every((word) => text.includes(word));
  }

  #submit(event: SubmitEvent): void {
    const kind = String(new FormData(event.target as HTMLFormElement).get('kind'));
    const sent = !this.busy && this.dispatchEvent(new CoinPickEvent(kind));
    if (!sent || !this.action) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { coins, language, action } = this;
    const first = (coins.find(({ kind }) => kind === this.kind) ?? coins[0])?.kind;
    const search = msg('Search coin or network', { id: 'picker.search' });
    const symbols = [...new Set(coins.map(({ symbol }) => symbol))];
    return html`<form method="post" action=${action || nothing} @submit=${this.#submit}>
      <input type="hidden" name="lang" value=${language} />${
        coins.length < LONG
          ? nothing
          : html`<input class="script" part="search" type="search" placeholder=${search} aria-label=${search} @input=${this.#search} />`
      }
      <fieldset part="list" aria-label=${msg('Coin and network', { id: 'picker.legend' })}>
        ${symbols.map(
          (symbol) =>
            html`<section>${coins.filter((coin) => coin.symbol === symbol).map((coin) => this.#coin(coin, coin.kind === first))}</section>`,
        )}${coins.some((coin) => this.#fits(coin)) ? nothing : html`<label>${msg('No coin matches.', { id: 'picker.none' })}</label>`}
      </fieldset>
      <button class="primary" part="submit" aria-disabled=${this.busy}>${msg('Continue', { id: 'picker.submit' })}</button>
    </form>`;
  }

  #coin(coin: CheckoutCoin, checked: boolean): TemplateResult {
    const { kind, name, symbol, network, approx } = coin;
    return html`<label class="row" part="coin" ?hidden=${!this.#fits(coin)}
      ><input type="radio" name="kind" value=${kind} ?checked=${checked} /><svg viewBox="0 0 40 40" aria-hidden="true">
        <circle cx="20" cy="20" r="20" fill="#${COLORS[symbol] ?? '5b6775'}" />
        <text x="20" y="24" text-anchor="middle" font-size="11" font-weight="700" fill="#fff">${symbol.slice(0, 4)}</text></svg
      ><span class="name"><b>${name}</b><small>${network}</small></span
      >${approx ? html`<small part="approx"><bdi dir="ltr">≈ ${approx} ${symbol}</bdi></small>` : nothing}</label
    >`;
  }
}

define('crypto-coin-picker', CryptoCoinPicker);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-coin-picker': CryptoCoinPicker;
  }
}
