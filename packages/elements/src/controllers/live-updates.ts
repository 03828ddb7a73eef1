import { type CheckoutChange, applyChange } from '@crypto-checkout/protocol/change';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type Failure, ask, failure } from '../server/checkout-server.ts';
import { readCheckout } from '../server/read-checkout.ts';
import type { SourceListener } from '../server/source.ts';

const POLL_MS = 3000;
/** Polls while a stream delivers, to detect one that stopped silently. */
const BESIDE_STREAM_MS = 60_000;
const HIDDEN_MS = 30_000;
const SLOWEST_MS = 15_000;
/** Pause after a final stage: it doubles up to the maximum. */
const REST_MS = 60_000;
const LONGEST_REST_MS = 3_600_000;
/** Pause before a broken stream is opened again: it doubles up to a minute. */
const STREAM_RETRY_MS = 5000;
/** A clock jump of more than this means that the device slept. */
const SLEEP_MS = 20_000;
const WATCH_MS = 5000;
/** After these events, older connections are dead. */
const RECONNECT_AFTER = ['online', 'slept'];
const WAKE_EVENTS = ['online', 'offline', 'focus', 'pageshow', 'visibilitychange'];

/** Time for a change to arrive on the stream after the server has answered without it. */
const STREAM_LAG_MS = 1000;

/**
 * Members that events need not bring: the text of a code is in the link. Pages that read no proofs
 * add `proof`.
 */
export const omitted = ['qr'];

const jitter = (ms: number): number => ms * (0.8 + 0.4 * Math.random());

/**
 * Keeps a checkout up to date: by server-sent events, or by polling where they do not get through.
 */
export class LiveUpdates {
  #url = '';
  #listener: SourceListener | undefined;
  #source: EventSource | undefined;
  /** The stream has delivered an event. */
  #delivering = false;
  #streamAgainMs = STREAM_RETRY_MS;
  #streamAt = 0;
  /** Incremented with each request: older answers are ignored. */
  #round = 0;
  #askedAt = 0;
  #etag: string | null = null;
  /** The last view as the server sent it. */
  #last: Checkout | undefined;
  /** The view that changes of the stream refer to. */
  #base: Checkout | undefined;
  /** Ends a wait for the next view. */
  #onNext: () => void = () => {};
  #failures = 0;
  #lastFailure = '';
  /** Pause after a final stage; 0 before it. */
  #restMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #clockTimer: ReturnType<typeof setInterval> | undefined;
  #awakeAt = 0;

  /**
   * Follows the checkout at this URL until `stop`.
   * @param final The stage is final, see `settle`.
   * @param known A complete view, which the stream does not repeat.
   */
  follow(url: string, on: SourceListener, final: boolean, known?: Checkout): void {
    this.#url = url;
    this.#last = known;
    this.#listener = on;
    for (const name of WAKE_EVENTS) addEventListener(name, this.#onWake);
    this.#awakeAt = Date.now();
    this.#clockTimer = setInterval(() => this.#checkClock(), WATCH_MS);
    this.#restMs = 0;
    if (final) this.settle(final);
    else this.#begin();
  }

  /**
   * Switches between following and resting. A second payment may still arrive after a final stage,
   * so that polling goes on slowly; the stream is closed to save the server's connections.
   */
  settle(final: boolean): void {
    if (final === this.#restMs > 0) return;
    this.#restMs = final ? REST_MS : 0;
    if (!final) return this.#begin();
    this.#closeStream();
    this.#schedule(REST_MS);
  }

  #begin(): void {
    this.#openStream();
    this.#schedule(POLL_MS);
  }

  stop(): void {
    this.#url = '';
    for (const name of WAKE_EVENTS) removeEventListener(name, this.#onWake);
    clearInterval(this.#clockTimer);
    clearTimeout(this.#timer);
    this.#round += 1;
    this.#closeStream();
    this.#etag = null;
    this.#last = undefined;
    this.#streamAt = 0;
    this.#streamAgainMs = STREAM_RETRY_MS;
    this.#onConnected();
    this.#listener = undefined;
  }

  /** Whether the stream delivers changes. */
  get isDelivering(): boolean {
    return this.#delivering;
  }

  /** The version of the last view; 0 before the first. */
  get version(): number {
    return this.#last?.version ?? 0;
  }

  /**
   * The view of this version or a later one: from the stream, or polled where it does not come.
   * @throws Failure
   */
  async atVersion(version: number): Promise<Checkout> {
    const url = this.#url;
    if (this.version < version)
      await new Promise<void>((resolve) => {
        this.#onNext = () => void (this.version >= version && resolve());
        setTimeout(resolve, STREAM_LAG_MS);
      });
    if (this.#last && this.version >= version) return this.#last;
    const checkout = (await ask(url)).checkout!;
    // The stream missed this change: the next one would be late, too.
    if (this.#url === url && this.#delivering && checkout.version > this.version)
      this.#onStreamEnd();
    return checkout;
  }

  /** Polls now. */
  refresh = (): void => {
    if (
      this.#url &&
      document.visibilityState === 'visible' &&
      performance.now() - this.#askedAt > 500
    )
      this.#schedule(0);
  };

  // Request the whole view for the server's time: the device's clocks may have paused.
  #onWake = ({ type }: Pick<Event, 'type'>): void => {
    this.#etag = null;
    if (RECONNECT_AFTER.includes(type)) this.#renewStream();
    this.refresh();
  };

  #checkClock(): void {
    // Timers of hidden pages are throttled, which is no sleep.
    if (document.visibilityState !== 'visible') return;
    if (Math.abs(Date.now() - this.#awakeAt) > SLEEP_MS) this.#onWake({ type: 'slept' });
    this.#awakeAt = Date.now();
  }

  /** An old stream may be dead without an error; the next answer opens another one. */
  #renewStream(): void {
    if (this.#source) this.#closeStream();
    this.#streamAt = 0;
    this.#streamAgainMs = STREAM_RETRY_MS;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), ms && jitter(ms));
  }

  async #ask(): Promise<void> {
    const round = ++this.#round;
    this.#askedAt = performance.now();
    let waitMs = 0;
    try {
      const { checkout, etag } = await ask(
        this.#url,
        this.#etag ? { headers: { 'if-none-match': this.#etag } } : {},
      );
      if (round !== this.#round) return;
      this.#onConnected();
      this.#etag = etag;
      // The stream missed this change: a proxy may be buffering it.
      if (checkout && this.#delivering && checkout.version > this.version) this.#closeStream();
      if (checkout) this.#deliver(checkout);
    } catch (error) {
      if (round !== this.#round) return;
      waitMs = this.#onFailure(error as Failure);
    }
    if (round !== this.#round) return;
    if (this.#restMs) this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
    else if (!this.#failures && !this.#source && performance.now() >= this.#streamAt)
      this.#openStream();
    this.#schedule(Math.max(waitMs, this.#pauseMs()));
  }

  #pauseMs(): number {
    if (this.#restMs)
      return document.visibilityState === 'visible' ? this.#restMs : LONGEST_REST_MS;
    if (this.#failures) return Math.min(SLOWEST_MS, 500 * 2 ** this.#failures);
    if (this.#delivering) return BESIDE_STREAM_MS;
    return document.visibilityState === 'visible' ? POLL_MS : HIDDEN_MS;
  }

  /** @returns the shortest pause in milliseconds */
  #onFailure(failure: Failure): number {
    const { code, passing, retryAfterMs } = failure;
    // At rest, errors are ignored until the next poll.
    if (this.#restMs) return retryAfterMs;
    this.#failures += 1;
    if (passing && code !== 'busy') {
      if (this.#failures > 1 || !navigator.onLine) this.#listener?.connection(true);
    } else if (code !== this.#lastFailure) {
      this.#lastFailure = code;
      this.#listener?.failure(failure);
    }
    return retryAfterMs || (passing ? 0 : SLOWEST_MS);
  }

  #onConnected(): void {
    this.#failures = 0;
    this.#lastFailure = '';
    this.#listener?.connection(false);
  }

  #deliver(checkout: Checkout): void {
    this.#last = checkout;
    this.#onNext();
    this.#listener?.checkout(checkout);
  }

  #openStream(): void {
    try {
      this.#base = this.#last;
      const url = `${this.#url}/events?version=${this.#base?.version ?? 0}&omit=${omitted.join()}`;
      const source = (this.#source = new EventSource(url));
      for (const name of ['message', 'change'])
        source.addEventListener(name, (event) => this.#onMessage(event));
      // The view that is on the screen is the current one.
      source.addEventListener('current', () => this.#onDelivery());
      source.addEventListener('error', () => this.#onStreamEnd());
    } catch {
      // The browser has no EventSource: polling runs already.
    }
  }

  #onMessage({ type, data }: MessageEvent): void {
    const checkout = this.#read(type, String(data));
    if (!checkout) {
      this.#listener?.failure(failure('malformed', 'not a checkout'));
      return this.#onStreamEnd();
    }
    this.#base = checkout;
    this.#onDelivery();
    this.#deliver(checkout);
  }

  /** A whole view, or a change of the last one. */
  #read(type: string, data: string): Checkout | null {
    try {
      const value: unknown = JSON.parse(data);
      if (type !== 'change') return readCheckout(value);
      return this.#base ? readCheckout(applyChange(this.#base, value as CheckoutChange)) : null;
    } catch {
      return null;
    }
  }

  #onDelivery(): void {
    if (!this.#delivering) this.#schedule(BESIDE_STREAM_MS);
    this.#delivering = true;
    this.#streamAgainMs = STREAM_RETRY_MS;
    this.#etag = null;
    this.#onConnected();
  }

  // EventSource would reconnect forever without an error. Polling detects whether the server
  // answers.
  #onStreamEnd(): void {
    this.#closeStream();
    this.#schedule(500);
  }

  #closeStream(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#delivering = false;
    this.#streamAt = performance.now() + jitter(this.#streamAgainMs);
    this.#streamAgainMs = Math.min(2 * this.#streamAgainMs, BESIDE_STREAM_MS);
  }
}
