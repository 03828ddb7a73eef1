import { type PropertyDeclarations, type TemplateResult, html } from 'lit';
import { define } from '../base/checkout-element.ts';
import { type CopyField, CopyElement } from './copy-element.ts';

/**
 * Several values, each with its copy button: the answers for the form of an exchange.
 *
 * @tag crypto-copy-list
 * @summary Values to copy, one below the other.
 * @status stable
 * @since 0.1.0
 *
 * @csspart field - Label, value and copy button.
 * @csspart label - The label.
 * @csspart value - The value.
 * @csspart copy-button - Copies the value.
 */
export class CryptoCopyList extends CopyElement {
  static override properties: PropertyDeclarations = { entries: { attribute: false } };

  /** The values with their labels. */
  entries: readonly CopyField[] = [];

  protected override fields(): TemplateResult {
    return html`${this.entries.map((entry) => this.field(entry))}`;
  }
}

define('crypto-copy-list', CryptoCopyList);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-copy-list': CryptoCopyList;
  }
}
