import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { CoinPickEvent } from './event.ts';
import { msg } from './locale.ts';
import { Part, define } from './part.ts';

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
 * @csspart asset - The coins of one asset.
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

  #fits = ({ name, symbol, network, kind }: CheckoutCoin): boolean => {
    const text = `${name} ${symbol} ${network} ${kind}`.toLowerCase();
    return this.#wanted.every((word) => text.includes(word));
  };

  #submit(event: SubmitEvent): void {
    const kind = String(new FormData(event.target as HTMLFormElement).get('kind'));
    const sent = !this.busy && this.dispatchEvent(new CoinPickEvent(kind));
    if (!sent || !this.action) event.preventDefault();
  }

  protected override render(): TemplateResult {
    const { coins, language, action } = this;
    const first = coins.find(({ kind }) => kind === this.kind) ?? coins[0];
    const search = msg('Search coin or network', { id: 'picker.search' });
    const symbols = [...new Set(coins.map(({ symbol }) => symbol))];
    return html`<form class="stack" method="post" action=${action || nothing} @submit=${this.#submit}>
      <input type="hidden" name="lang" value=${language} />${
        coins.length < LONG
          ? nothing
          : html`<input class="script" part="search" type="search" placeholder=${search} aria-label=${search} @input=${this.#search} />`
      }
      <fieldset part="list" aria-label=${msg('Coin and network', { id: 'picker.legend' })}>
        ${symbols.map((symbol) =>
          this.#asset(
            coins.filter((coin) => coin.symbol === symbol),
            first,
          ),
        )}${coins.some(this.#fits) ? nothing : html`<p part="asset">${msg('No coin matches.', { id: 'picker.none' })}</p>`}
      </fieldset>
      <button class="primary" part="submit" aria-disabled=${this.busy}>${msg('Continue', { id: 'picker.submit' })}</button>
    </form>`;
  }

  #asset(coins: CheckoutCoin[], first: CheckoutCoin | undefined): TemplateResult {
    const { name, symbol, approx } = coins[0]!;
    return html`<section class="row line" part="asset" role="group" aria-label="${name} ${symbol}" ?hidden=${!coins.some(this.#fits)}>
      <div class="row">
        <svg class="mark" viewBox="0 0 40 40" aria-hidden="true">
          <circle cx="20" cy="20" r="20" fill="#${COLORS[symbol] ?? '5b6775'}" />
          <text x="20" y="24" text-anchor="middle" font-size="11" font-weight="700" fill="#fff">${symbol.slice(0, 4)}</text>
        </svg>
        <div>
          <b>${name}</b><small part="approx"><bdi>${approx ? `≈ ${approx} ${symbol}` : symbol}</bdi></small>
        </div>
      </div>
      <div class="row">
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
