import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { CopyPart } from './copy.ts';
import { handOff, later, loadAfter, loadHandOff } from './later.ts';
import { msg } from './locale.ts';
import { define } from './part.ts';

/** Characters at both ends that a buyer compares after pasting. */
export const END = 6;

/**
 * Where to send: an address with its tag, or a lightning request. Both ends are drawn strong, and told after copying, so that a buyer can
 * compare what was pasted: there are programs that change addresses on the clipboard.
 *
 * @tag crypto-address
 * @summary An address, its tag, or a lightning request.
 * @status stable
 * @since 0.1.0
 *
 * @csspart field - Label, value and button, one for each text to copy.
 * @csspart label - What the value is.
 * @csspart value - The address, tag or request.
 * @csspart hint - The line below.
 * @csspart copy-button - Copies the value.
 * @csspart plain - The fold with the plain address.
 */
export class CryptoAddress extends CopyPart {
  static override properties: PropertyDeclarations = {
    address: {},
    tag: {},
    request: {},
    publicAddress: { attribute: 'public-address' },
    exchange: { type: Boolean },
  };

  /** The address. */
  declare address: string | null | undefined;

  /** XRP: the destination tag, which must be given with the address. */
  declare tag: string | null | undefined;

  /** Lightning: the request, instead of an address. */
  declare request: string | null | undefined;

  /** Liquid: the address that is not confidential, for exchanges that know no other. Folded away where the buyer uses a wallet. */
  declare publicAddress: string | null | undefined;

  /** The buyer pays from an exchange. */
  declare exchange: boolean | undefined;

  // Few coins have it: what is drawn around it is fetched.
  protected override updated(changed: PropertyValues): void {
    if (changed.has('publicAddress') && this.publicAddress) void Promise.all([loadHandOff(), loadAfter()]).then(() => this.requestUpdate());
  }

  protected override fields(): TemplateResult {
    const { address, tag, request, publicAddress, exchange } = this;
    const plain = (label: string, hint: string): TemplateResult => this.#ends(label, publicAddress!, { hint });
    const fold = publicAddress && later() ? handOff()?.drawPlain(plain, Boolean(exchange)) : nothing;
    const own = address ? this.#ends(msg('Address', { id: 'address' }), address) : nothing;
    return html`${exchange ? fold : nothing}${own}${
      tag
        ? this.field({
            label: msg('Destination tag', { id: 'tag' }),
            value: tag,
            hint: msg('Required for your payment to be found.', { id: 'tag.hint' }),
          })
        : nothing
    }${request ? this.#ends(msg('Lightning request', { id: 'request' }), request, { look: 'long' }) : nothing}${exchange ? nothing : fold}`;
  }

  #ends(label: string, value: string, { look = '', hint }: { look?: string; hint?: string } = {}): TemplateResult {
    return this.field({
      label,
      value,
      hint,
      shown: html`<code class=${look}
        ><strong>${value.slice(0, END)}</strong><span>${value.slice(END, -END)}</span><strong>${value.slice(-END)}</strong></code
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
