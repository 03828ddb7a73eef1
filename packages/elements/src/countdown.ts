import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { type Moment, moment } from './clock.ts';
import { icon } from './icon.ts';
import { msg } from './locale.ts';
import { formatClock } from './number.ts';
import { Part, define } from './part.ts';

/** The end is near: two minutes before it, or when a fifth of the time is left. */
const ENDING = { seconds: 120, share: 0.2 };
/** Clocks of the device that disagree by this much: it slept, or one of them was set. */
const DISAGREE_MS = 20_000;
/** So long the server may take to tell which. */
const DOUBT_MS = 10_000;

/**
 * How long a price still counts, on the server's clock: the device's own may be a day off.
 *
 * @tag crypto-countdown
 * @summary The time that is left to pay.
 * @status stable
 * @since 0.1.0
 *
 * @event {Event} countdown-ending - The end is near: the last two minutes, or the last fifth of the time. Once for each end.
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
  /** From how many seconds left on the end is near; 0 once that was told. */
  #near = 0;
  #startedAt: Moment = { steady: 0, wall: 0 };
  /** Milliseconds that the device slept since, as far as is known. */
  #sleptMs = 0;
  #doubtfulAt = 0;
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
    this.#startedAt = moment();
    this.#sleptMs = this.#doubtfulAt = 0;
    this.#left = this.#measure();
    if (changed.has('expiresAt')) this.#near = Math.max(ENDING.seconds, this.#left * ENDING.share);
  }

  // At the start nothing has passed: what is drawn first depends on the two timestamps alone, and is the same on server and browser.
  #measure(): number {
    const start = this.serverTime ? Date.parse(this.serverTime) : Date.now();
    const passed = performance.now() - this.#startedAt.steady + this.#sleptMs;
    return Math.max(0, Math.ceil((Date.parse(this.expiresAt ?? '') - start - passed) / 1000));
  }

  // The steady clock of some devices stands still while they sleep. Whether it did, or somebody has set the other one, only a new time of
  // the server can tell; where none comes, the device slept: no buyer shall believe in a price that has run out.
  #lookAtClocks(): void {
    const { steady, wall } = this.#startedAt;
    const now = performance.now();
    const more = Date.now() - wall - (now - steady) - this.#sleptMs;
    if (more < DISAGREE_MS) this.#doubtfulAt = 0;
    else if (!this.#doubtfulAt) this.#doubtfulAt = now;
    else if (now - this.#doubtfulAt > DOUBT_MS) this.#sleptMs += more;
  }

  #tick(): void {
    this.#lookAtClocks();
    const before = this.#left;
    const left = (this.#left = this.#measure());
    if (left <= this.#near) {
      this.#near = 0;
      this.#tell('countdown-ending');
    }
    if (Object.is(left, before)) return;
    this.requestUpdate();
    this.say((after) => after.timeLeft(before, left, this.language));
    if (!left) this.#tell('countdown-end');
  }

  #tell(name: string): void {
    this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const left = this.#left;
    // Before the last day there is no hurry.
    return left < 86_400
      ? html`<div class="row ${left < 60 ? 'soon' : ''}" part="clock" role="timer" aria-label=${msg('Time left', { id: 'time' })}>
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
