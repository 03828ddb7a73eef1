import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type Failure, ask, failure, parseCheckout } from './server.ts';
import type { Follower } from './source.ts';

const POLL_MS = 3000;
/** Where an event stream delivers, a look now and then finds out when it silently stopped doing so. */
const BESIDE_STREAM_MS = 60_000;
const HIDDEN_MS = 30_000;
const SLOWEST_MS = 15_000;
/** When nothing more is expected: before the next look, which doubles, and at most. */
const REST_MS = 60_000;
const LONGEST_REST_MS = 3_600_000;
/** Before a stream that broke is tried again: doubles up to a minute. */
const STREAM_AGAIN_MS = 5000;
/** A clock that jumps by more than this while we were idle means that the device slept. */
const SLEPT_MS = 20_000;
const WATCH_MS = 5000;
/** After these, connections from before are worth nothing. */
const AFRESH = ['online', 'slept'];
const WAKERS = ['online', 'offline', 'focus', 'pageshow', 'visibilitychange'];

const sometime = (ms: number): number => ms * (0.8 + 0.4 * Math.random());

/** Keeps a checkout up to date: by an event stream where one gets through, by polling wherever it does not. */
export class Live {
  #url = '';
  #on: Follower | undefined;
  #source: EventSource | undefined;
  /** The stream has brought something. */
  #delivering = false;
  #streamAgainMs = STREAM_AGAIN_MS;
  #streamAt = 0;
  /** Grows with each question: the answer to an earlier one does not count any more. */
  #round = 0;
  #askedAt = 0;
  #etag: string | null = null;
  #version = 0;
  #failures = 0;
  #failedWith = '';
  /** Before the next look while nothing more is expected; 0 while something is. */
  #restMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #awakeAt = 0;

  /**
   * Follows the checkout at this URL, until `stop`.
   * @param final Nothing more is expected, see `settle`.
   */
  follow(url: string, on: Follower, final: boolean): void {
    this.#url = url;
    this.#on = on;
    for (const name of WAKERS) addEventListener(name, this.#onWake);
    this.#awakeAt = Date.now();
    this.#watch = setInterval(() => this.#lookAtClock(), WATCH_MS);
    this.#restMs = 0;
    if (final) this.settle(final);
    else this.#begin();
  }

  /**
   * Whether nothing more is expected. A second payment may still come, so that a look now and then, and whenever the buyer comes back,
   * goes on; but a server that holds a stream for everybody who waits holds none for who has no need to.
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
    for (const name of WAKERS) removeEventListener(name, this.#onWake);
    clearInterval(this.#watch);
    clearTimeout(this.#timer);
    this.#round += 1;
    this.#closeStream();
    this.#etag = null;
    this.#version = this.#streamAt = 0;
    this.#streamAgainMs = STREAM_AGAIN_MS;
    this.#connected();
    this.#on = undefined;
  }

  /** Asks now. */
  refresh = (): void => {
    if (this.#url && document.visibilityState === 'visible' && performance.now() - this.#askedAt > 500) this.#schedule(0);
  };

  // The whole view, for its time of the server: the device's own clocks may have stood still.
  #onWake = ({ type }: Pick<Event, 'type'>): void => {
    this.#etag = null;
    if (AFRESH.includes(type)) this.#renewStream();
    this.refresh();
  };

  #lookAtClock(): void {
    // Hidden pages are called rarely, which is no sleep; how long they were hidden is seen when they are back.
    if (document.visibilityState !== 'visible') return;
    if (Math.abs(Date.now() - this.#awakeAt) > SLEPT_MS) this.#onWake({ type: 'slept' });
    this.#awakeAt = Date.now();
  }

  /** A stream from before may be dead without knowing it: the next answer opens another one. */
  #renewStream(): void {
    if (this.#source) this.#closeStream();
    this.#streamAt = 0;
    this.#streamAgainMs = STREAM_AGAIN_MS;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), ms && sometime(ms));
  }

  async #ask(): Promise<void> {
    const round = ++this.#round;
    this.#askedAt = performance.now();
    let waitMs = 0;
    try {
      const { checkout, etag } = await ask(this.#url, this.#etag ? { headers: { 'if-none-match': this.#etag } } : {});
      if (round !== this.#round) return;
      this.#connected();
      this.#etag = etag;
      // News that the stream should have brought: something on the way holds it back.
      if (checkout && this.#delivering && checkout.version > this.#version) this.#closeStream();
      if (checkout) this.#deliver(checkout);
    } catch (error) {
      if (round !== this.#round) return;
      waitMs = this.#onFailure(error as Failure);
    }
    if (round !== this.#round) return;
    if (this.#restMs) this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
    else if (!this.#failures && !this.#source && performance.now() >= this.#streamAt) this.#openStream();
    this.#schedule(Math.max(waitMs, this.#pauseMs()));
  }

  #pauseMs(): number {
    if (this.#restMs) return document.visibilityState === 'visible' ? this.#restMs : LONGEST_REST_MS;
    if (this.#failures) return Math.min(SLOWEST_MS, 500 * 2 ** this.#failures);
    if (this.#delivering) return BESIDE_STREAM_MS;
    return document.visibilityState === 'visible' ? POLL_MS : HIDDEN_MS;
  }

  /** @returns how long to wait at least. */
  #onFailure(failure: Failure): number {
    const { code, passing, retryAfterMs } = failure;
    // Nobody waits for anything: what cannot be asked now is asked later.
    if (this.#restMs) return retryAfterMs;
    this.#failures += 1;
    if (passing && code !== 'busy') {
      if (this.#failures > 1 || !navigator.onLine) this.#on?.connection(true);
    } else if (code !== this.#failedWith) {
      this.#failedWith = code;
      this.#on?.failure(failure);
    }
    return retryAfterMs || (passing ? 0 : SLOWEST_MS);
  }

  #connected(): void {
    this.#failures = 0;
    this.#failedWith = '';
    this.#on?.connection(false);
  }

  #deliver(checkout: Checkout): void {
    this.#version = checkout.version;
    this.#on?.checkout(checkout);
  }

  #openStream(): void {
    try {
      const source = (this.#source = new EventSource(`${this.#url}/events`));
      for (const name of ['message', 'checkout']) source.addEventListener(name, (event) => this.#onMessage(event));
      source.addEventListener('error', () => this.#onStreamEnd());
    } catch {
      // A browser without event streams: polling is on its way.
    }
  }

  #onMessage({ data }: MessageEvent): void {
    const checkout = parseCheckout(String(data));
    if (!checkout) {
      this.#on?.failure(failure('malformed', 'not a checkout'));
      return this.#onStreamEnd();
    }
    if (!this.#delivering) this.#schedule(BESIDE_STREAM_MS);
    this.#delivering = true;
    this.#streamAgainMs = STREAM_AGAIN_MS;
    this.#etag = null;
    this.#connected();
    this.#deliver(checkout);
  }

  // The browser would reconnect by itself, without end and without telling. Polling tells at once whether anybody is there.
  #onStreamEnd(): void {
    this.#closeStream();
    this.#schedule(500);
  }

  #closeStream(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#delivering = false;
    this.#streamAt = performance.now() + sometime(this.#streamAgainMs);
    this.#streamAgainMs = Math.min(2 * this.#streamAgainMs, BESIDE_STREAM_MS);
  }
}
