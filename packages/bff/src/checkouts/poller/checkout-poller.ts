import type { Log } from '../../options.ts';
import type { PollBudget } from '../../service/poll-budget.ts';
import type { ClockWatch } from '../../service/clock-watch.ts';
import { untilNextAttempt } from '../../shop-webhook/retry-schedule.ts';
import type { Store } from '../../store/store.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { isWatched, pollInterval } from '../invoices/poll-interval.ts';
import type { CheckoutInvoices } from '../invoices/checkout-invoices.ts';
import type { InvoiceReader } from '../invoices/invoice-reader.ts';
import type { RequestEnder } from '../invoices/request-ender.ts';
import type { CheckoutPresenter } from '../presenter/checkout-presenter.ts';
import type { OpenStreams } from '../open-streams.ts';

export interface CheckoutPollerOptions {
  repository: CheckoutRepository;
  store: Store;
  reader: InvoiceReader;
  requests: RequestEnder;
  invoices: CheckoutInvoices;
  /** Delivers the events that the shop has not accepted yet. */
  deliverEvents: (checkout: LoadedCheckout) => Promise<unknown>;
  presenter: CheckoutPresenter;
  streams: OpenStreams;
  budget: PollBudget;
  /** Continues the rebuild of a lost store. */
  continueRebuild: () => void;
  /** Detects manual changes of the clock; null on a main network. */
  clockWatch: () => ClockWatch | null;
  now: () => number;
  steady: () => number;
  log: Log;
}

const TICK_MS = 1000;
const HEARTBEAT_MS = 15_000;
const MAX_CONCURRENT = 8;
const PAGE_SIZE = 1000;
const MAX_BACKOFF_MS = 60_000;
const TAKEOVER_MS = 15_000;
/** Due now, with a reading that begins now: one that runs may be from before the news. */
const AT_ONCE = 0;

/**
 * Polls every open checkout until it is final, watched or not, so that the shop receives its events
 * even when a callback is lost.
 */
export class CheckoutPoller {
  readonly #options: CheckoutPollerOptions;
  /** Steady time of the next poll of each open checkout. */
  readonly #due = new Map<string, number>();
  readonly #running = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #unwatch: (() => void) | undefined;
  #heartbeatAt: number;

  constructor(options: CheckoutPollerOptions) {
    this.#options = options;
    this.#heartbeatAt = options.steady() + HEARTBEAT_MS;
  }

  get polledCount(): number {
    return this.#due.size;
  }

  /** Starts the timer, and schedules the checkouts that the store lists as open. */
  async start(): Promise<void> {
    const { store, log } = this.#options;
    this.#timer = setInterval(
      () =>
        void this.tick().catch((error: unknown) =>
          log.error({ event: 'poll_cycle_failed', error }, 'poll cycle failed'),
        ),
      TICK_MS,
    );
    if (typeof this.#timer === 'object') this.#timer.unref();
    this.#unwatch = store.watch?.((key) => this.#onStoreChange(key));
    for (let after = ''; ;) {
      const keys = await store.list('open/', after, PAGE_SIZE);
      for (const key of keys) this.#due.set(key.slice('open/'.length), AT_ONCE);
      after = keys.at(-1) ?? '';
      if (keys.length < PAGE_SIZE) break;
    }
    log.info({ event: 'poller_started', open: this.#due.size }, 'polling open checkouts');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unwatch?.();
  }

  #onStoreChange(key: string): void {
    const { repository, log } = this.#options;
    const [noun, id = ''] = key.split('/');
    if (noun === 'open' && !this.#due.has(id)) this.scheduleTakeover(id);
    if (noun === 'checkout')
      repository
        .reload(id)
        .catch((error: unknown) =>
          log.warn(
            { event: 'checkout_reload_failed', error, checkout_id: id },
            'could not reload a checkout',
          ),
        );
  }

  /** Schedules the next poll of a changed checkout. */
  schedule(checkout: LoadedCheckout): void {
    const next = this.#nextPollAt(checkout);
    if (next === null) return;
    const known = this.#due.get(checkout.id);
    if (known === undefined || known > next) this.#due.set(checkout.id, next);
  }

  /** Schedules a checkout of another process a little later, in case that process ends. */
  scheduleTakeover(id: string): void {
    const later = this.#options.steady() + TAKEOVER_MS;
    this.#due.set(id, Math.max(this.#due.get(id) ?? later, later));
  }

  /** Runs one poll cycle; the timer calls it once a second. Resolves when its polls are done. */
  async tick(): Promise<void> {
    const { steady, budget, repository, streams, clockWatch, continueRebuild } = this.#options;
    const moment = steady();
    continueRebuild();
    if (moment >= this.#heartbeatAt) {
      this.#heartbeatAt = moment + HEARTBEAT_MS;
      streams.heartbeat();
    }
    if (this.#due.size > 0 && (await clockWatch()?.hasJumped()))
      for (const id of this.#due.keys()) this.#due.set(id, AT_ONCE);
    // Time alone can change a stage: a quote expires.
    for (const checkout of streams.watched()) streams.publish(checkout);

    const watchers = (id: string): number => {
      const checkout = repository.peek(id);
      return checkout && isWatched(checkout, moment) ? 1 : 0;
    };
    const due = [...this.#due].filter(([id, at]) => at <= moment && !this.#running.has(id));
    due.sort(([a, atA], [b, atB]) => watchers(b) - watchers(a) || atA - atB);
    const started: Promise<void>[] = [];
    for (const [id] of due) {
      if (this.#running.size >= MAX_CONCURRENT || !budget.hasRoom(moment)) break;
      started.push(this.#poll(id));
    }
    await Promise.all(started);
  }

  async #poll(id: string): Promise<void> {
    const { repository, reader, requests, invoices, deliverEvents, store, steady, log } =
      this.#options;
    this.#running.add(id);
    const isAtOnce = this.#due.get(id) === AT_ONCE;
    // Due again at once if the clock changes during this poll.
    this.#due.set(id, Infinity);
    let checkout: LoadedCheckout | null = null;
    try {
      checkout = await repository.find(id);
      if (!checkout) {
        // The process ended after it marked the checkout open and before it wrote the checkout.
        await store.remove(`open/${id}`);
        this.#due.delete(id);
        return;
      }
      if (checkout.record.attempts.length > 0) await invoices.recover(checkout);
      if (isAtOnce) await reader.readFresh(checkout);
      else if (this.#readAgainAt(checkout) <= steady()) await reader.read(checkout);
      await requests.end(checkout);
      await deliverEvents(checkout);
      await this.#reschedule(checkout);
    } catch (error) {
      log.warn(
        { event: 'checkout_poll_failed', error, checkout_id: id },
        'poll of a checkout failed, will retry',
      );
      this.#due.set(
        id,
        steady() + Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(6, checkout?.failures ?? 3)),
      );
    } finally {
      this.#running.delete(id);
    }
  }

  async #reschedule(checkout: LoadedCheckout): Promise<void> {
    if (this.#due.get(checkout.id) === AT_ONCE) return;
    const next = this.#nextPollAt(checkout);
    if (next !== null) {
      this.#due.set(checkout.id, next);
      return;
    }
    this.#due.delete(checkout.id);
    await this.#options.repository.markClosed(checkout);
  }

  /** Null when only a callback can bring news. */
  #nextPollAt(checkout: LoadedCheckout): number | null {
    const { now, steady } = this.#options;
    const times: number[] = [];
    const wait = untilNextAttempt(checkout.record, now());
    if (wait !== null) times.push(steady() + wait);
    if (checkout.record.attempts.length > 0) times.push(steady());
    const readAt = this.#readAgainAt(checkout);
    if (readAt < Infinity) times.push(readAt);
    return times.length > 0 ? Math.min(...times) : null;
  }

  #readAgainAt(checkout: LoadedCheckout): number {
    const { presenter, steady } = this.#options;
    const every = pollInterval(
      checkout.record,
      isWatched(checkout, steady()),
      presenter.serverTime(),
    );
    return every === null ? Infinity : checkout.readAt + every;
  }
}
