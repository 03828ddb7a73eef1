import {
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import { msg } from '../../i18n/locale.ts';
import { CLOCK, icon } from '../../styles/icons.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';

/**
 * The time until a price ends, on the server's clock: the device's own may be wrong by a day.
 *
 * @tag crypto-countdown
 * @summary The time left to pay.
 * @status stable
 * @since 0.1.0
 *
 * @event {Event} countdown-end - No time is left.
 *
 * @csspart clock - The time left.
 */
export class CryptoCountdown extends CheckoutElement {
  static override properties: PropertyDeclarations = {
    expiresAt: { attribute: 'expires-at' },
    serverTime: { attribute: 'server-time' },
  };

  /** Seconds left. */
  #left = NaN;
  #startedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** End of the price, as an ISO timestamp. */
  declare expiresAt: string | null | undefined;

  /** The server's current time, as an ISO timestamp. Default: the device's time. */
  declare serverTime: string | null | undefined;

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
    if (changed.has('expiresAt')) this.#left = this.#measure();
    // A corrected clock with the same end still announces the remaining time.
    else this.#tick();
  }

  // The first draw depends on the two timestamps only, so that server and browser draw the same.
  #measure(): number {
    const start = this.serverTime ? Date.parse(this.serverTime) : Date.now();
    const passed = performance.now() - this.#startedAt;
    return Math.max(0, Math.ceil((Date.parse(this.expiresAt ?? '') - start - passed) / 1000));
  }

  #tick(): void {
    const before = this.#left;
    const left = (this.#left = this.#measure());
    if (Object.is(left, before)) return;
    this.requestUpdate();
    this.say((status) => status.timeLeft(before, left, this.language));
    if (!left) this.dispatchEvent(new Event('countdown-end', { bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const left = this.#left;
    // Hidden until the last day. Screen readers read the label instead of the timer's content.
    return left < 86_400
      ? html`<div
          class="script row ${left < 60 ? 'soon' : ''}"
          part="clock"
          role="timer"
          aria-label="${msg('Time left', { id: 'time' })} ${formatClock(left)}"
        >
          ${icon(CLOCK)}${formatClock(left)}
        </div>`
      : nothing;
  }
}

/** Formats seconds, less than a day, as a clock: `04:05`, `01:04:05`. */
const formatClock = (seconds: number): string =>
  seconds === 3600
    ? '60:00'
    : new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19);

define('crypto-countdown', CryptoCountdown);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-countdown': CryptoCountdown;
  }
}
