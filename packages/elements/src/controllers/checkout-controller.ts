import { type Checkout, isSettled } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { type ReactiveController, nothing } from 'lit';
import type { CheckoutHost, Controller, ControllerHost } from '../core/contracts.ts';
import type { Drawn } from '../core/panel.ts';
import { type ClockReading, readClocks, elapsedSince, sleptSince } from './clock.ts';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import { statusModule, loadStatus, loadHandOff, loadMarks } from '../core/lazy-registry.ts';
import type { SourceListener, CheckoutSource } from '../server/source.ts';
import { ServerSource } from './server-source.ts';
import { CheckoutElement } from '../components/base/checkout-element.ts';
import { keepClaims } from '../server/claim.ts';
import { type Failure, addressOf } from '../server/checkout-server.ts';
import { LifecycleEvents } from '../events/lifecycle-events.ts';
import { canChange } from '../core/payment.ts';
import { focusAndReveal, revealPayment } from './focus.ts';
import {
  type FormRequest,
  choiceOf,
  isOfCoin,
  clickedView,
  loadFormParts,
  readForm,
} from './form-request.ts';

export { claimOf } from '../server/claim.ts';
export { omitted } from './live-updates.ts';

/**
 * More time is offered, or the end announced, two minutes before the end or in the last fifth of
 * the time (WCAG 2.2.1).
 */
const ENDING_MS = 120_000;
const ENDING_SHARE = 0.2;
const TICK_MS = 1000;
/** Polls after a price has expired: ticks between them, and their number. */
const CHECKS = { ticks: 3, times: 10 };
/** Errors that a lost connection causes; they are cleared when it is back. */
const CONNECTION_CODES: readonly (CheckoutErrorCode | null)[] = ['network', 'unavailable'];

/**
 * Runs a checkout once its first view is on the screen: follows it, dispatches events, announces
 * changes, handles its clock and connection, moves the focus, and starts the tamper check.
 */
export class CheckoutController implements Controller, ReactiveController, SourceListener {
  /** Time of the connection loss on the server's clock; 0 while connected. */
  lostAt = 0;
  /** The price ends soon: offer more time. */
  ending = false;
  /** A request of the buyer is pending. */
  busy = false;
  /** Error of the buyer's last request. */
  refused: CheckoutErrorCode | null = null;
  /** The last request was a payment in one coin, which was refused, and there are others. */
  #otherCoin = false;
  /** The failed request already reported the lost connection. */
  #networkReported = false;

  #host: CheckoutHost;
  #callbacks: ControllerHost;
  /** Source of the checkout's views. */
  #source: CheckoutSource | undefined;
  #view: Checkout | null = null;
  #receivedAt: ClockReading = readClocks();
  /** Remaining milliseconds at which `ending` begins. */
  #nearMs = ENDING_MS;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Ticks since the price expired. */
  #ticksOver = 0;
  #endProtection: (() => void) | undefined;
  #events = new LifecycleEvents();
  #hadFocus = false;
  /**
   * A request of the buyer led to the next stage: the focus goes there, also without one before.
   */
  #moves = false;
  #lastShown: string | null | undefined;
  /** Language of the last draw. */
  #lastLanguage = '';
  /** The kind whose mark was loaded last; empty without a payment. */
  #markedKind: string | undefined;
  /** Preferred kind of the last draw. */
  #lastKind: string | null | undefined;

  constructor(host: CheckoutHost, callbacks: ControllerHost) {
    this.#host = host;
    this.#callbacks = callbacks;
    host.addController(this);
    host.renderRoot.addEventListener('click', (event) => this.#onClick(event as MouseEvent));
  }

  hostConnected(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    void this.#loadTools();
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.stop();
    this.#endProtection?.();
    this.#endProtection = undefined;
  }

  hostUpdate(): void {
    this.#hadFocus = Boolean(this.#host.shadowRoot?.activeElement);
  }

  // The focused element disappeared: focus the link that led away from here, or the heading.
  hostUpdated(): void {
    const { show, kind, language, renderRoot } = this.#host;
    // Redraw the inner elements in the new language.
    if (this.#lastLanguage !== language)
      for (const part of renderRoot.querySelectorAll('*'))
        if (part instanceof CheckoutElement) part.requestUpdate();
    this.#lastLanguage = language;
    if (kind !== this.#lastKind) this.#choosePreferred();
    const back =
      (show ?? 'stage') === 'stage' &&
      this.#lastShown &&
      renderRoot.querySelector<HTMLElement>(`[data-show="${this.#lastShown}"]`);
    this.#lastShown = show;
    const moves = this.#hadFocus || this.#moves;
    this.#moves = false;
    if (!moves || this.#host.shadowRoot?.activeElement) return;
    const target = back || renderRoot.querySelector<CheckoutElement>('crypto-status, h2');
    if (target) void focusAndReveal(target);
  }

  /**
   * Processes a view: dispatches events, announces changes, and follows the checkout. In a frame,
   * the framed page does all but the first.
   */
  attend(next: Checkout): void {
    keepClaims();
    const { stage, payment } = next;
    const before = this.#view?.id === next.id ? this.#view : null;
    if (before?.payment?.expires_at !== payment?.expires_at) {
      this.ending = false;
      this.#ticksOver = 0;
      this.#nearMs = Math.max(
        ENDING_MS,
        ENDING_SHARE * (Date.parse(payment?.expires_at ?? '') - Date.parse(next.server_time)),
      );
    }
    // The same server time is the same moment.
    if (before?.server_time !== next.server_time) this.#receivedAt = readClocks();
    this.#view = next;
    if (before && before.stage !== stage) this.#onStageChange();
    const returns = this.#events.emit(this.#host, before, next);
    const source = (this.#source ??= new ServerSource(this.#callbacks.location()));
    if (this.#framed) source.stop();
    if (!before) this.#choosePreferred();
    else void loadStatus().then((status) => status?.announce(this.#host, before, next));
    if (this.#framed) return;
    void this.#loadTools();
    // A page's snapshot of a payment is reduced; without a payment it is complete.
    source.follow(this, isSettled(next), payment ? undefined : next);
    if (returns)
      void loadStatus().then((status) =>
        status?.startReturn(this.#host, () => this.#callbacks.onLeave()),
      );
    this.#tick();
  }

  /** The stage changed: close the list of coins. */
  #onStageChange(): void {
    this.refused = null;
    // Safari focuses no control that is tapped.
    this.#moves = this.busy;
    if (this.#host.show === 'coins') this.#showStage();
  }

  /** Shows the stage after a change, without restoring the focus of the link. */
  #showStage(): void {
    this.#lastShown = undefined;
    this.#host.show = 'stage';
  }

  /** The first view, where the host cannot request it by itself. */
  async open(): Promise<Checkout> {
    this.#source ??= await this.findSource();
    return this.#source.open();
  }

  protected async findSource(): Promise<CheckoutSource> {
    return new ServerSource(this.#callbacks.location());
  }

  /** Polls the server now. */
  refresh(): void {
    this.#source?.refresh();
  }

  /** Stops following. */
  stop(): void {
    this.#source?.stop();
  }

  /** The attributes select another checkout. */
  forget(): void {
    this.stop();
    this.#source = undefined;
  }

  /** Sends a form. */
  submit(form: HTMLFormElement, button: HTMLElement | null): void {
    void this.#send(readForm(form, button));
  }

  #onClick(event: MouseEvent): void {
    const show = clickedView(event);
    if (!show) return;
    this.refused = null;
    this.#host.show = show;
  }

  /** Requests the shop's preferred kind until the buyer has chosen. */
  #choosePreferred(): void {
    const kind = (this.#lastKind = this.#host.kind);
    const { stage, coins } = this.#view ?? {};
    if (stage === 'choose' && coins?.some((coin) => coin?.kind === kind))
      void this.#send(choiceOf(kind!));
  }

  async #send({ what, body }: FormRequest): Promise<void> {
    const host = this.#host;
    const source = this.#source;
    if (this.busy || !source) return;
    const isOurs = (): boolean => source === this.#source && host.isConnected;
    this.busy = true;
    this.refused = null;
    host.requestUpdate();
    try {
      const [checkout] = await Promise.all([source.post(what, body), loadFormParts(body)]);
      if (isOurs()) {
        const isSameStage =
          checkout.stage === this.#view?.stage && (host.show ?? 'stage') === 'stage';
        // The coin that was pressed may be below the new amount and address.
        this.#moves = host.show === 'coins';
        this.#showStage();
        this.#callbacks.onCheckout(checkout);
        if (isSameStage && what === 'payment')
          void host.updateComplete.then(() => revealPayment(host.renderRoot));
      }
    } catch (error) {
      if (isOurs()) {
        const { code, message } = error as Failure;
        this.refused = code;
        this.#otherCoin =
          what === 'payment' && isOfCoin(error as Failure) && canChange(this.#view!);
        this.#networkReported = code === 'network';
        this.#callbacks.onError(code, message, this.#otherCoin);
        this.refresh();
      }
    }
    this.busy = false;
    host.requestUpdate();
    if (this.refused) void host.updateComplete.then(() => this.#revealProblem());
  }

  /** The button may be far below the error note. */
  #revealProblem(): void {
    this.#host.renderRoot.querySelector('.note.bad')?.scrollIntoView({ block: 'nearest' });
  }

  /** Draws the notes above the stage: lost connection, failed request. */
  drawProblems(): Drawn {
    const { lostAt, refused } = this;
    if (!lostAt && !refused) return nothing;
    const { language, show } = this.#host;
    const { server, id } = this.#callbacks.location();
    const listed = show === 'coins' || this.#view?.stage === 'choose';
    return (
      statusModule()?.drawProblems({
        lostAt,
        refused,
        language,
        until: this.#payableUntil,
        otherCoin: this.#otherCoin,
        coinsLink: listed ? '' : `${addressOf(server, 'pay', id ?? '')}/?show=coins`,
      }) ?? nothing
    );
  }

  /** End of the price; 0 if nothing is due or the price has ended. */
  get #payableUntil(): number {
    const { stage, payment } = this.#view ?? {};
    const end = OPEN_STAGES.includes(stage ?? '') ? Date.parse(payment?.expires_at ?? '') : 0;
    return end > this.#now ? end : 0;
  }

  checkout(checkout: Checkout): void {
    this.#callbacks.onCheckout(checkout);
  }

  connection(lost: boolean): void {
    const answered = lost && this.#networkReported;
    if (!lost) this.#networkReported = false;
    if (lost === this.lostAt > 0) return;
    this.lostAt = lost ? this.#now : 0;
    if (!lost && CONNECTION_CODES.includes(this.refused)) this.refused = null;
    this.#checkClocks();
    this.#host.requestUpdate();
    // The failed request did not announce how long the price still holds.
    if (!answered || this.#payableUntil)
      this.#host.say((status) =>
        status.connectionText(this.lostAt, this.#host.language, this.#payableUntil),
      );
  }

  failure({ code, message }: Failure): void {
    this.#callbacks.onError(code, message);
  }

  /** The current time on the server's clock; the device's own may be wrong by a day. */
  get #now(): number {
    return Date.parse(this.#view?.server_time ?? '') + elapsedSince(this.#receivedAt) || Date.now();
  }

  // After a sleep without a connection, only the device's clocks show how much time has passed. The
  // time is updated so that no expired price looks valid, but an address is never removed for that
  // reason.
  #checkClocks(): void {
    if (!this.lostAt || !sleptSince(this.#receivedAt)) return;
    const { server_time, payment } = this.#view!;
    const last = Date.parse(payment?.expires_at ?? '') - 1 || Infinity;
    const now = Math.max(Date.parse(server_time), Math.min(this.#now, last));
    this.#callbacks.onCheckout({ ...this.#view!, server_time: new Date(now).toISOString() });
  }

  get #framed(): boolean {
    return this.#host.mode === 'frame';
  }

  async #loadTools(): Promise<void> {
    const host = this.#host;
    if (this.#framed) return;
    const [status, tools] = await Promise.all([loadStatus(), loadHandOff()]);
    status?.liveRegionOf(host.renderRoot);
    void this.#loadMarks();
    if (!tools || !host.isConnected || this.#endProtection) return;
    this.#endProtection = tools.startWatching(host);
    host.requestUpdate();
  }

  /** Coins and networks that few buyers choose have their marks in a file of their own. */
  async #loadMarks(): Promise<void> {
    const marks = await loadMarks();
    const { payment } = this.#view ?? {};
    const kind = payment?.kind ?? '';
    if (!marks || this.#markedKind === kind) return;
    this.#markedKind = kind;
    if (
      payment &&
      (marks.drawCoin(payment.symbol, null) === null ||
        marks.drawNetwork(payment.network) === nothing)
    )
      await marks.loadRareMarks().catch(() => undefined);
    this.#host.requestUpdate();
  }

  #tick(): void {
    this.#checkClocks();
    const { stage, server_time, payment } = this.#view ?? {};
    if (!payment?.expires_at || !OPEN_STAGES.includes(stage!)) return;
    const left =
      Date.parse(payment.expires_at) -
      Date.parse(server_time!) -
      (performance.now() - this.#receivedAt.steady);
    if (left <= 0) this.#onExpired();
    else if (!this.ending && left <= this.#nearMs) this.#announceEnd(left);
  }

  // Only the server decides the next stage; the screen stays until it answers.
  #onExpired(): void {
    this.#host.requestUpdate();
    this.#ticksOver += 1;
    if (
      !this.lostAt &&
      this.#ticksOver % CHECKS.ticks === 1 &&
      this.#ticksOver < CHECKS.ticks * CHECKS.times
    )
      this.#host.refresh();
  }

  /** The price ends soon: offers more time if possible, and announces it or the time left. */
  #announceEnd(leftMs: number): void {
    const host = this.#host;
    this.ending = true;
    host.requestUpdate();
    if (this.#framed) return;
    void host.updateComplete.then(() =>
      host.say(
        (status) =>
          host.renderRoot.querySelector('[part=more]:not(.noscript) span')?.textContent ??
          status.timeLeftText(Math.ceil(leftMs / 1000), host.language),
      ),
    );
  }
}
