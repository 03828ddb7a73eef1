import type { Log } from '../options.ts';
import type { Budget } from '../service/budget.ts';
import type { ClockWatch } from '../service/clock-watch.ts';
import type { Store } from '../store/store.ts';
import type { Book, Live } from './book.ts';
import { pace } from './pace.ts';
import type { Payments } from './payments.ts';
import type { Reader } from './reader.ts';
import type { Screen } from './screen.ts';
import type { Streams } from './streams.ts';
import type { Notifier } from '../callback/notifier.ts';

export interface FollowerOptions {
  book: Book;
  store: Store;
  reader: Reader;
  payments: Payments;
  notifier: Notifier;
  screen: Screen;
  streams: Streams;
  budget: Budget;
  /** Null on a main network. */
  clockWatch: () => ClockWatch | null;
  now: () => number;
  log: Log;
}

const TICK_MS = 1000;
const HEARTBEAT_MS = 15_000;
const AT_ONCE = 8;
const PAGE = 1000;
/** A page that asks again and again without a stream counts as a watcher for so long. */
const ASKED_MS = 30_000;
const MAX_BACKOFF_MS = 60_000;
const ELSEWHERE_MS = 15_000;

/** Follows every open checkout until it is final, watched or not, so that the shop hears of it also when a callback is lost. */
export class Follower {
  readonly #options: FollowerOptions;
  /** When each open checkout is looked at again, real time. */
  readonly #due = new Map<string, number>();
  readonly #running = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #unwatch: (() => void) | undefined;
  #heartbeatAt: number;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#heartbeatAt = options.now() + HEARTBEAT_MS;
  }

  get following(): number {
    return this.#due.size;
  }

  /** Takes up what was open when the process ended. */
  async start(): Promise<void> {
    const { store, log } = this.#options;
    this.#timer = setInterval(() => void this.tick().catch((error: unknown) => log.error({ error }, 'a look around failed')), TICK_MS);
    if (typeof this.#timer === 'object') this.#timer.unref();
    this.#unwatch = store.watch?.((key) => this.#hear(key));
    for (let after = ''; ;) {
      const keys = await store.list('open/', after, PAGE);
      for (const key of keys) this.#due.set(key.slice('open/'.length), 0);
      after = keys.at(-1) ?? '';
      if (keys.length < PAGE) break;
    }
    log.info({ open: this.#due.size }, 'following open checkouts');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unwatch?.();
  }

  #hear(key: string): void {
    const { book, log } = this.#options;
    const [noun, id = ''] = key.split('/');
    if (noun === 'open' && !this.#due.has(id)) this.adopt(id);
    if (noun === 'checkout')
      book.refresh(id).catch((error: unknown) => log.warn({ error, checkout_id: id }, 'a checkout could not be read again'));
  }

  /** A checkout changed: it is looked at when its new state asks for it. */
  touch(live: Live): void {
    const next = this.#nextLook(live);
    if (next === null) return;
    const known = this.#due.get(live.id);
    if (known === undefined || known > next) this.#due.set(live.id, next);
  }

  /** Another process opened or changed a checkout and follows it; should that process end, it is looked at here a little later. */
  adopt(id: string): void {
    const later = this.#options.now() + ELSEWHERE_MS;
    this.#due.set(id, Math.max(this.#due.get(id) ?? later, later));
  }

  /** One look around; the timer calls it once a second. Resolves when all that it began is done. */
  async tick(): Promise<void> {
    const { now, budget, book, streams, clockWatch } = this.#options;
    const moment = now();
    if (moment >= this.#heartbeatAt) {
      this.#heartbeatAt = moment + HEARTBEAT_MS;
      streams.heartbeat();
    }
    if (this.#due.size > 0 && (await clockWatch()?.hasJumped())) for (const id of this.#due.keys()) this.#due.set(id, 0);
    // Time alone can move a stage: expiry.
    for (const live of streams.watched()) streams.publish(live);

    const watchers = (id: string): number => (this.#isWatched(book.peek(id), moment) ? 1 : 0);
    const due = [...this.#due].filter(([id, at]) => at <= moment && !this.#running.has(id));
    due.sort(([a, atA], [b, atB]) => watchers(b) - watchers(a) || atA - atB);
    const begun: Promise<void>[] = [];
    for (const [id] of due) {
      if (this.#running.size >= AT_ONCE || !budget.hasRoom(moment)) break;
      begun.push(this.#look(id));
    }
    await Promise.all(begun);
  }

  async #look(id: string): Promise<void> {
    const { book, reader, payments, notifier, store, now, log } = this.#options;
    this.#running.add(id);
    const asked = this.#due.get(id);
    let live: Live | null = null;
    try {
      live = await book.find(id);
      if (!live) {
        // Marked open, and the process ended before the checkout itself was written.
        await store.remove(`open/${id}`);
        this.#due.delete(id);
        return;
      }
      if (live.record.attempts.length > 0) await payments.recover(live);
      if (asked === 0 || this.#readAgainAt(live) <= now()) await reader.read(live);
      await notifier.deliver(live, { patiently: true });
      await this.#reschedule(live);
    } catch (error) {
      log.warn({ error, checkout_id: id }, 'a checkout could not be followed');
      this.#due.set(id, now() + Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(6, live?.failures ?? 3)));
    } finally {
      this.#running.delete(id);
    }
  }

  async #reschedule(live: Live): Promise<void> {
    const next = this.#nextLook(live);
    if (next !== null) {
      this.#due.set(live.id, next);
      return;
    }
    this.#due.delete(live.id);
    await this.#options.book.close(live);
  }

  /** Null when nothing will happen any more without a callback. */
  #nextLook(live: Live): number | null {
    const { now } = this.#options;
    const times = live.record.events.filter(({ done_at }) => done_at === null).map(({ next_at }) => next_at);
    if (live.record.attempts.length > 0) times.push(now());
    const reading = this.#readAgainAt(live);
    if (reading < Infinity) times.push(reading);
    return times.length > 0 ? Math.min(...times) : null;
  }

  #readAgainAt(live: Live): number {
    const { screen, now } = this.#options;
    const every = pace(live.record, this.#isWatched(live, now()), screen.serverTime());
    return every === null ? Infinity : live.readAt + every;
  }

  #isWatched(live: Live | undefined, moment: number): boolean {
    return live !== undefined && (live.watchers > 0 || moment - live.askedAt < ASKED_MS);
  }
}
