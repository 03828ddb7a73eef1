import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { msg, str } from './locale.ts';
import { formatClock, formatDuration } from './number.ts';
import { Part, define } from './part.ts';

/** Seconds left at which the time is spoken; the clock itself is silent. */
const SPOKEN = [300, 60, 30];

/**
 * How long a price still counts, on the server's clock: the device's own may be a day off.
 *
 * @summary The time that is left to pay.
 * @status stable
 * @since 0.1.0
 *
 * @event {Event} countdown-end - No time is left.
 * @event {CheckoutSayEvent} checkout-say - The time left, in words: five minutes, one minute and half a minute before the end.
 *
 * @csspart clock - The time left.
 */
export class CryptoCountdown extends Part {
  static override properties: PropertyDeclarations = {
    expiresAt: { attribute: 'expires-at' },
    serverTime: { attribute: 'server-time' },
  };

  /** Seconds left. */
  #left = NaN;
  #startedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** When the price ends, as an ISO timestamp. */
  expiresAt: string | null = null;

  /** The server's time at this moment, as an ISO timestamp. Default: the device's. */
  serverTime: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('expiresAt') && !changed.has('serverTime')) return;
    this.#startedAt = performance.now();
    this.#left = this.#measure();
  }

  // At the start nothing has passed: what is drawn first depends on the two timestamps alone, and is the same on server and browser.
  #measure(): number {
    const start = this.serverTime ? Date.parse(this.serverTime) : Date.now();
    const passed = Math.floor(performance.now() - this.#startedAt);
    return Math.max(0, Math.round((Date.parse(this.expiresAt ?? '') - start - passed) / 1000));
  }

  #tick(): void {
    const before = this.#left;
    const left = (this.#left = this.#measure());
    if (left !== before) this.requestUpdate();
    if (before && !left) this.dispatchEvent(new Event('countdown-end', { bubbles: true, composed: true }));
    if (SPOKEN.some((second) => left <= second && second < before) && left)
      this.say(() => msg(str`Time left: ${formatDuration(left, this.language)}`, { id: 'countdown.said' }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const left = this.#left;
    return left >= 0
      ? html`<div
          class="row ${left < 60 ? 'soon' : ''}"
          part="clock"
          role="timer"
          aria-label=${msg('Time left', { id: 'countdown.label' })}
        >
          ${icon('clock')}${formatClock(left)}
        </div>`
      : nothing;
  }
}

define('crypto-countdown', CryptoCountdown);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-countdown': CryptoCountdown;
  }
}
