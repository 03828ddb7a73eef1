import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { loadAfter } from './later.ts';
import { Part, define } from './part.ts';

/** Modules of white around the code, which scanners need (ISO 18004). */
const QUIET = 4;

/**
 * A payment string as a QR code: dark on white with a quiet zone, whatever the theme.
 * The path comes from the server. Only where it is missing an encoder is fetched, about 6 kB.
 *
 * @tag crypto-qr
 * @summary A QR code of a payment string.
 * @status stable
 * @since 0.1.0
 *
 * @csspart image - The code on its white square.
 *
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Longest side of the image: the code with the white around it that scanners need, four modules on each side.
 */
export class CryptoQr extends Part {
  static override properties: PropertyDeclarations = { value: {}, path: {}, size: { type: Number }, label: {} };

  /** The path that was made here, for the value of then. @internal */
  declare made: string | undefined;

  /** The text that the code holds. */
  declare value: string | undefined;

  /** The code as SVG path data, in a square of `size` modules without quiet zone. */
  path = '';

  /** Modules on each side. */
  size = 0;

  /** The name of the image for those who do not see it. */
  declare label: string | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('value') && this.path === this.made) this.path = '';
  }

  protected override updated(): void {
    const { value, path } = this;
    if (value && !path) void loadAfter().then((after) => after?.encodeFor(this, value));
  }

  protected override render(): TemplateResult | typeof nothing {
    const side = this.size + 2 * QUIET;
    return this.path && this.size > 0
      ? html`<svg
          part="image"
          role="img"
          aria-label=${this.label || 'QR'}
          viewBox="${-QUIET} ${-QUIET} ${side} ${side}"
          shape-rendering="crispEdges"
        >
          <path d=${this.path} />
        </svg>`
      : nothing;
  }
}

define('crypto-qr', CryptoQr);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-qr': CryptoQr;
  }
}
