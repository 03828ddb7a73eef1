import { type Checkout, isFinalStage } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open';
import { type ReactiveController, type TemplateResult, html, nothing } from 'lit';
import type { CryptoCheckout } from './checkout.ts';
import { type Moment, moment, passedSince, sleptSince } from './clock.ts';
import type { CheckoutErrorCode } from './event.ts';
import { later, loadAfter, loadHandOff } from './later.ts';
import { msg } from './locale.ts';
import { drawNote } from './panel.ts';
import { Part } from './part.ts';
import type { Failure, Place } from './server.ts';
import { type Follower, type Source, sourceOf } from './source.ts';
import { Told } from './told.ts';
import { type Wish, showOf, wishOf } from './wish.ts';

/** More time is offered, or the end told, two minutes before the end, or when a fifth of the time is left (WCAG 2.2.1). */
const ENDING_MS = 120_000;
const ENDING_SHARE = 0.2;
const TICK_MS = 1000;
/** Looks at the server after a price has run out, until it says what comes next: so far apart, and so many. */
const LOOK = { ticks: 3, times: 10 };
/** Refusals for which a lost connection is to blame: once it is back, they are not true any more. */
const OF_CONNECTION: readonly (CheckoutErrorCode | null)[] = ['network', 'unavailable'];

/** What the checkout gives to the one who attends it. */
export interface Duties {
  /** Which checkout it is. */
  place(): Place;
  onCheckout(checkout: Checkout): void;
  onError(code: CheckoutErrorCode, message: string): void;
  /** Whether the buyer may be taken back to the shop. */
  onLeave(): boolean;
}

/**
 * Attends a checkout once its first view is on the screen: follows what happens and says it, knows the server's time, offers more of it,
 * tells when the connection is lost, keeps the focus where the reader is, and looks out for other programs.
 */
export class Attendant implements ReactiveController, Follower {
  /** Since when there is no connection, on the server's clock; 0 while there is one. */
  lostAt = 0;
  /** The end is near: it is time to offer more of it. */
  ending = false;
  /** Something that the buyer asked for is on its way. */
  busy = false;
  /** Why the last thing that the buyer asked for did not happen. */
  refused: CheckoutErrorCode | null = null;
  /** That there is no connection was said in answer to a wish, and there has been none since. */
  #answered = false;

  #host: CryptoCheckout;
  #duties: Duties;
  /** Where the views come from. */
  #source: Source | undefined;
  #view: Checkout | null = null;
  #cameAt: Moment = moment();
  /** From how many milliseconds on the end is near. */
  #near = ENDING_MS;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Since the price ran out. */
  #ticksOver = 0;
  #endWatch: (() => void) | undefined;
  #told = new Told();
  #wasFocused = false;
  #shown: string | null | undefined;
  /** The language on the screen. */
  #language = '';
  /** The kind that the shop prefers. */
  #kind: string | null | undefined;

  constructor(host: CryptoCheckout, duties: Duties) {
    this.#host = host;
    this.#duties = duties;
    host.addController(this);
    host.renderRoot.addEventListener('click', (event) => this.#onClick(event as MouseEvent));
    void loadAfter().then((after) => after?.adviseOnEmpty(host));
  }

  hostConnected(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    void this.#prepare();
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.stop();
    this.#endWatch?.();
    this.#endWatch = undefined;
  }

  hostUpdate(): void {
    this.#wasFocused = Boolean(this.#host.shadowRoot?.activeElement);
  }

  // The reader stood where nothing is any more: read on at the link that led away from here, or at the heading.
  hostUpdated(): void {
    const { show, kind, language, renderRoot } = this.#host;
    // Its inner parts speak its language.
    if (this.#language !== language) for (const part of renderRoot.querySelectorAll('*')) if (part instanceof Part) part.requestUpdate();
    this.#language = language;
    if (kind !== this.#kind) this.#prefer();
    const back = (show ?? 'stage') === 'stage' && this.#shown && renderRoot.querySelector<HTMLElement>(`[data-show="${this.#shown}"]`);
    this.#shown = show;
    if (!this.#wasFocused || this.#host.shadowRoot?.activeElement) return;
    const place = back || renderRoot.querySelector<Part>('crypto-status, h2');
    if (place) void readOn(place);
  }

  /** Takes note of a view, tells page and buyer what is new, and goes on following. In a frame, the page in it does all but the first. */
  attend(next: Checkout): void {
    const { stage, payment } = next;
    const before = this.#view?.id === next.id ? this.#view : null;
    if (before?.payment?.expires_at !== payment?.expires_at) {
      this.ending = false;
      this.#ticksOver = 0;
      this.#near = Math.max(ENDING_MS, ENDING_SHARE * (Date.parse(payment?.expires_at ?? '') - Date.parse(next.server_time)));
    }
    // The same time again is the same moment.
    if (before?.server_time !== next.server_time) this.#cameAt = moment();
    this.#view = next;
    if (before && before.stage !== stage) this.#turn();
    const leaves = this.#told.tell(this.#host, before, next);
    const source = (this.#source ??= sourceOf(this.#duties.place()) as Source);
    if (this.#framed) source.stop();
    if (!before) {
      this.#prefer();
      void loadAfter().then((after) => after?.advise(this.#host, next));
    }
    if (before) void loadAfter().then((after) => after?.announce(this.#host, before, next));
    if (this.#framed) return;
    void this.#prepare();
    source.follow(this, isFinalStage(stage));
    if (leaves) void loadAfter().then((after) => after?.leave(this.#host, () => this.#duties.onLeave()));
    this.#tick();
  }

  /** The page shows another stage: a list of coins is of no use any more. */
  #turn(): void {
    this.refused = null;
    if (this.#host.show === 'coins') this.#goOn();
  }

  /** Back at the stage with something new to read: not at the link that led away from it. */
  #goOn(): void {
    this.#shown = undefined;
    this.#host.show = 'stage';
  }

  /** The first view of a scenario that is played. */
  async open(): Promise<Checkout> {
    this.#source ??= await sourceOf({ ...this.#duties.place(), ...(await this.#host.opening?.()) }, this.#host.demo);
    return this.#source.open();
  }

  /** Asks the server now. */
  refresh(): void {
    this.#source?.refresh();
  }

  /** Follows no longer. */
  stop(): void {
    this.#source?.stop();
  }

  /** It is going to be another checkout. */
  forget(): void {
    this.stop();
    this.#source = undefined;
  }

  /** Sends a form from the page. */
  submit(form: HTMLFormElement, button: HTMLElement | null): void {
    void this.#post(wishOf(form, button));
  }

  #onClick(event: MouseEvent): void {
    const show = showOf(event);
    if (!show) return;
    this.refused = null;
    this.#host.show = show;
  }

  /** Chooses what the shop prefers, while the buyer has not chosen. */
  #prefer(): void {
    const kind = (this.#kind = this.#host.kind);
    const { stage, coins } = this.#view ?? {};
    if (stage === 'choose' && coins?.some((coin) => coin?.kind === kind)) void this.#post({ what: 'payment', body: { kind } });
  }

  async #post({ what, body }: Wish): Promise<void> {
    const host = this.#host;
    const source = this.#source;
    if (this.busy || !source) return;
    const isOurs = (): boolean => source === this.#source && host.isConnected;
    this.busy = true;
    this.refused = null;
    host.requestUpdate();
    try {
      const checkout = await source.post(what, body);
      if (isOurs()) {
        this.#goOn();
        this.#duties.onCheckout(checkout);
      }
    } catch (error) {
      if (isOurs()) {
        const { code, message } = error as Failure;
        this.refused = code;
        this.#answered = code === 'network';
        this.#duties.onError(code, message);
        this.refresh();
      }
    }
    this.busy = false;
    host.requestUpdate();
    if (this.refused) void host.updateComplete.then(() => this.#showTrouble());
  }

  /** Whoever has asked for something looks for the answer where the button is, and that may be far below. */
  #showTrouble(): void {
    this.#host.renderRoot.querySelector('.note.bad')?.scrollIntoView({ block: 'nearest' });
  }

  /** What stands in the way, above the stage: why a wish was refused, that there is no connection; and that nothing is real. */
  drawTrouble(): TemplateResult {
    const { demo, language } = this.#host;
    const { lostAt, refused } = this;
    return html`${demo ? drawNote(msg('Demonstration: nothing is paid here.', { id: 'demo' }), 'wait') : nothing}${
      lostAt || refused ? later()?.drawTrouble(lostAt, refused, language, this.#payableUntil) : nothing
    }`;
  }

  /** Until when paying is safe; 0 when nothing is to be paid, or no longer. */
  get #payableUntil(): number {
    const { stage, payment } = this.#view ?? {};
    const end = OPEN_STAGES.includes(stage ?? '') ? Date.parse(payment?.expires_at ?? '') : 0;
    return end > this.#now ? end : 0;
  }

  checkout(checkout: Checkout): void {
    this.#duties.onCheckout(checkout);
  }

  connection(lost: boolean): void {
    const answered = lost && this.#answered;
    if (!lost) this.#answered = false;
    if (lost === this.lostAt > 0) return;
    this.lostAt = lost ? this.#now : 0;
    if (!lost && OF_CONNECTION.includes(this.refused)) this.refused = null;
    this.#lookAtClocks();
    this.#host.requestUpdate();
    // What the answer to the wish did not say: that paying goes on.
    if (!answered || this.#payableUntil) this.#host.say((after) => after.connection(this.lostAt, this.#host.language, this.#payableUntil));
  }

  failure({ code, message }: Failure): void {
    this.#duties.onError(code, message);
  }

  /** The time on the server's clock, as far as it can be told from here: the device's own may be a day off. */
  get #now(): number {
    return Date.parse(this.#view?.server_time ?? '') + passedSince(this.#cameAt) || Date.now();
  }

  // A device that slept and finds no connection has only its own clocks to tell how much time is left. No buyer shall believe in a price that
  // has run out; but an address is not taken away for that.
  #lookAtClocks(): void {
    if (!this.lostAt || !sleptSince(this.#cameAt)) return;
    const { server_time, payment } = this.#view!;
    const last = Date.parse(payment?.expires_at ?? '') - 1 || Infinity;
    const now = Math.max(Date.parse(server_time), Math.min(this.#now, last));
    this.#duties.onCheckout({ ...this.#view!, server_time: new Date(now).toISOString() });
  }

  get #framed(): boolean {
    return this.#host.mode === 'frame';
  }

  async #prepare(): Promise<void> {
    const host = this.#host;
    if (this.#framed || this.#endWatch) return;
    const [after, tools] = await Promise.all([loadAfter(), loadHandOff()]);
    after?.voiceOf(host.renderRoot);
    if (!tools || !host.isConnected || this.#endWatch) return;
    this.#endWatch = tools.watchOver(host);
    host.requestUpdate();
  }

  #tick(): void {
    this.#lookAtClocks();
    const { stage, server_time, payment } = this.#view ?? {};
    if (!payment?.expires_at || !OPEN_STAGES.includes(stage!)) return;
    const left = Date.parse(payment.expires_at) - Date.parse(server_time!) - (performance.now() - this.#cameAt.steady);
    if (left <= 0) this.#onEnd();
    else if (!this.ending && left <= this.#near) this.#warn(left);
  }

  // What comes next, only the server knows: until it has told, everything stays where it is.
  #onEnd(): void {
    this.#host.requestUpdate();
    this.#ticksOver += 1;
    if (!this.lostAt && this.#ticksOver % LOOK.ticks === 1 && this.#ticksOver < LOOK.ticks * LOOK.times) this.#host.refresh();
  }

  /** The end is near: offers more time where it can be had, and says so; else it says how much is left. */
  #warn(leftMs: number): void {
    const host = this.#host;
    this.ending = true;
    host.requestUpdate();
    if (this.#framed) return;
    void host.updateComplete.then(() =>
      host.say(
        (after) =>
          host.renderRoot.querySelector('[part=more]:not(.noscript) span')?.textContent ??
          after.wordsOfLeft(Math.ceil(leftMs / 1000), host.language),
      ),
    );
  }
}

/** Gives a place the focus once it is drawn, and brings it into view. */
async function readOn(place: HTMLElement | Part): Promise<void> {
  if ('updateComplete' in place) await place.updateComplete;
  place.focus();
  // Not every browser leaves room above what it focuses, for what a page or a dialog keeps there.
  place.scrollIntoView({ block: 'nearest' });
}
