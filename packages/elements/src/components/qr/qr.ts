import {
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import { loadStatus } from '../../core/lazy-registry.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';

/** Width of the quiet zone in modules (ISO 18004). */
const QUIET = 4;

/**
 * A payment string as a QR code: dark on white with a quiet zone, in every theme. The server sends
 * its path; if it is missing, an encoder of about 6 kB is loaded.
 *
 * @tag crypto-qr
 * @summary A QR code of a payment string.
 * @status stable
 * @since 0.1.0
 *
 * @csspart image - The QR code on its white square.
 *
 * @cssproperty [--crypto-checkout-qr-size=16rem] - Largest size of the image, including a quiet
 * zone of four modules on each side.
 */
export class CryptoQr extends CheckoutElement {
  static override properties: PropertyDeclarations = {
    value: {},
    path: {},
    size: { type: Number },
    label: {},
  };

  /**
   * The path that was encoded here for the previous value.
   * @internal
   */
  declare made: string | undefined;

  /** The text of the code. */
  declare value: string | undefined;

  /** The code as SVG path data, in a square of `size` modules without quiet zone. */
  path = '';

  /** Modules on each side. */
  size = 0;

  /** Accessible name of the image. */
  declare label: string | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('value') && this.path === this.made) this.path = '';
  }

  protected override updated(): void {
    const { value, path } = this;
    if (value && !path) void loadStatus().then((status) => status?.encodeQrFor(this, value));
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
