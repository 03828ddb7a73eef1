import { type PropertyDeclarations, type TemplateResult, html } from 'lit';
import { CopyElement } from '../copy/copy-element.ts';
import { msg } from '../../i18n/locale.ts';
import { formatSum } from '../../i18n/number.ts';
import { define } from '../base/checkout-element.ts';

/**
 * An exact amount of a coin, with a button that copies the bare number. It is displayed with the
 * language's decimal separator, like every other number on the page. The copied text always has a
 * decimal point, because wallets accept nothing else; a manual selection is copied the same way.
 *
 * @tag crypto-amount
 * @summary An amount to send.
 * @status stable
 * @since 0.1.0
 *
 * @csspart field - Label, value and copy button.
 * @csspart label - The label.
 * @csspart value - The amount and its coin.
 * @csspart hint - The line below.
 * @csspart copy-button - Copies the amount.
 */
export class CryptoAmount extends CopyElement {
  static override properties: PropertyDeclarations = {
    amount: {},
    symbol: {},
    label: {},
    hint: {},
  };

  /** The amount, as a decimal string. */
  amount = '';

  /** The coin's symbol. */
  declare symbol: string | undefined;

  /** The label. Default: "Amount" in the language. */
  declare label: string | undefined;

  /** A line below, such as the rate. */
  declare hint: string | undefined;

  protected override fields(): TemplateResult {
    return this.field({
      label: this.label || msg('Amount', { id: 'amount' }),
      value: this.amount,
      shown: html`<b>${formatSum(this.amount, this.symbol, this.language)}</b> ${this.symbol}`,
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
