import {
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import { CopyElement } from '../copy/copy-element.ts';
import { handOff, statusModule, loadStatus, loadHandOff } from '../../core/lazy-registry.ts';
import { msg } from '../../i18n/locale.ts';
import { define } from '../base/checkout-element.ts';

/** Characters at each end that a buyer compares after pasting. */
export const END = 6;

/**
 * An address with its tag, or a lightning request. Both ends are bold and announced after copying,
 * so that a buyer can compare the pasted text: malware may replace addresses on the clipboard.
 *
 * @tag crypto-address
 * @summary An address, its tag, or a lightning request.
 * @status stable
 * @since 0.1.0
 *
 * @csspart field - A label, value and copy button.
 * @csspart label - The label.
 * @csspart value - The address, tag or request.
 * @csspart hint - The line below.
 * @csspart copy-button - Copies the value.
 * @csspart plain - The collapsible unconfidential address.
 */
export class CryptoAddress extends CopyElement {
  static override properties: PropertyDeclarations = {
    address: {},
    tag: {},
    request: {},
    publicAddress: { attribute: 'public-address' },
    exchange: { type: Boolean },
  };

  /** The address. */
  declare address: string | null | undefined;

  /** XRP: the destination tag, which must be sent with the address. */
  declare tag: string | null | undefined;

  /** The lightning request, in place of an address or beside one. */
  declare request: string | null | undefined;

  /**
   * Liquid: the unconfidential address, for exchanges that support no other. Collapsed unless
   * `exchange` is set.
   */
  declare publicAddress: string | null | undefined;

  /** The buyer pays from an exchange. */
  declare exchange: boolean | undefined;

  // Only Liquid needs this, so that its parts are loaded lazily.
  protected override updated(changed: PropertyValues): void {
    if (changed.has('publicAddress') && this.publicAddress)
      void Promise.all([loadHandOff(), loadStatus()]).then(() => this.requestUpdate());
  }

  protected override fields(): TemplateResult {
    const { address, tag, request, publicAddress, exchange } = this;
    const plain = (label: string, hint: string): TemplateResult =>
      this.#ends(label, publicAddress!, { hint });
    const fold =
      publicAddress && statusModule()
        ? handOff()?.drawPlainAddress(plain, Boolean(exchange))
        : nothing;
    const own = address ? this.#ends(msg('Address', { id: 'address' }), address) : nothing;
    return html`${exchange ? fold : nothing}${own}${
      tag
        ? this.field({
            label: msg('Destination tag', { id: 'tag' }),
            value: tag,
            hint: msg('Without this tag, your payment can’t be matched to your order.', {
              id: 'tag.hint',
            }),
          })
        : nothing
    }${request ? this.#ends(msg('Lightning request', { id: 'request' }), request, { look: 'long' }) : nothing}${exchange ? nothing : fold}`;
  }

  #ends(
    label: string,
    value: string,
    { look = '', hint }: { look?: string; hint?: string } = {},
  ): TemplateResult {
    return this.field({
      label,
      value,
      hint,
      shown: html`<code class=${look}
        ><strong>${value.slice(0, END)}</strong><span>${value.slice(END, -END)}</span
        ><strong>${value.slice(-END)}</strong></code
      >`,
    });
  }
}

define('crypto-address', CryptoAddress);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-address': CryptoAddress;
  }
}
