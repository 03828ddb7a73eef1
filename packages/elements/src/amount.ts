import { type PropertyDeclarations, type TemplateResult, html } from 'lit';
import { CopyPart } from './copy.ts';
import { msg } from './locale.ts';
import { formatCoins } from './number.ts';
import { define } from './part.ts';

/**
 * An exact amount of a coin, with a button that copies the bare number. It is shown with the language's own decimal separator, as every
 * other number beside it: a dot must not mean one thing here and another in the price below. What is copied has a dot, because wallets
 * read nothing else, also when it is selected by hand.
 *
 * @tag crypto-amount
 * @summary An amount to send.
 * @status stable
 * @since 0.1.0
 *
 * @csspart field - Label, value and button.
 * @csspart label - What the value is.
 * @csspart value - The amount and its coin.
 * @csspart hint - The line below.
 * @csspart copy-button - Copies the amount.
 */
export class CryptoAmount extends CopyPart {
  static override properties: PropertyDeclarations = { amount: {}, symbol: {}, label: {}, hint: {} };

  /** The amount, as a decimal string. */
  amount = '';

  /** The coin's symbol. */
  declare symbol: string | undefined;

  /** What the amount is. Default: "Amount" in the language. */
  declare label: string | undefined;

  /** A line below, such as the rate. */
  declare hint: string | undefined;

  protected override fields(): TemplateResult {
    return this.field({
      label: this.label || msg('Amount', { id: 'amount' }),
      value: this.amount,
      shown: html`<b>${formatCoins(this.amount, this.language)}</b> ${this.symbol}`,
      hint: this.hint,
    });
  }
}

define('crypto-amount', CryptoAmount);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-amount': CryptoAmount;
  }
}
