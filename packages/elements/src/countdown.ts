import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { CLOCK, icon } from './icon.ts';
import { msg } from './locale.ts';
import { formatClock } from './number.ts';
import { Part, define } from './part.ts';

/**
 * How long a price still counts, on the server's clock: the device's own may be a day off.
 *
 * @tag crypto-countdown
 * @summary The time that is left to pay.
 * @status stable
 * @since 0.1.0
 *
 * @event {Event} countdown-end - No time is left.
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
  declare expiresAt: string | null | undefined;

  /** The server's time at this moment, as an ISO timestamp. Default: the device's. */
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
    // The same end on a clock put right: what is said on the way there is still said.
    else this.#tick();
  }

  // At the start nothing has passed: what is drawn first depends on the two timestamps alone, and is the same on server and browser.
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
    this.say((after) => after.timeLeft(before, left, this.language));
    if (!left) this.dispatchEvent(new Event('countdown-end', { bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const left = this.#left;
    // Before the last day there is no hurry. A reader reads the label in place of what is in the timer.
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

define('crypto-countdown', CryptoCountdown);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-countdown': CryptoCountdown;
  }
}
