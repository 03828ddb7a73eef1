import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/database.ts';
import { type Destination, Destinations, inOrder, takeNext, type Waiting, wantsMore } from './destination.ts';
import { Outcomes } from './outcomes.ts';
import { LIMIT_MS, nextAttempt } from './schedule.ts';
import { type DeliveryResult, sendCallback, TIMEOUT_MS } from './send.ts';
import { onCallbacksQueued } from './signal.ts';
import {
  abandonCallbacks,
  type ClaimedCallback,
  claimCallbacks,
  type DestinationKey,
  prolongClaim,
  releaseClaims,
  waitingDestinations,
} from './store.ts';

export interface DelivererOptions {
  /** Claimed and not finished, at most. Default 2,000. */
  atOnce?: number;
  /** Requests to one destination at a time, at most. Default 32. */
  perDestination?: number;
  /** Default 10 s. */
  timeoutMs?: number;
  random?: () => number;
}

/** After this long a claimed callback belongs to whoever claims it next: the process that had it is gone. */
const CLAIM_MS = 30_000;
/** One that waited so long before it was begun is claimed for longer first. */
const PROLONG_AFTER_MS = 15_000;
/** Destinations that one round looks at. */
const DESTINATIONS = 500;
/** Between two rounds, so that those that are queued one by one are claimed together. */
const ROUND_MS = 10;
const TIDY_EVERY_MS = 60_000;
const ABANDON_LIMIT = 1_000;
/** The last scheduled attempt may be under way when the time is over. */
const GRACE_MS = 5 * 60_000;

/**
 * Delivers the outbox: at once when a transaction of this process queued something, and otherwise when it is asked to look. Several
 * processes share it; what a killed one had claimed is delivered again, with the same id and bytes. Every destination has its own
 * queue and breaker, so that one that is slow or dead delays nobody. What happened to one resource is told in turn; only what has to be
 * sent again comes later than it happened.
 */
export class Deliverer {
  readonly #context: Context;
  readonly #options: Required<DelivererOptions>;
  readonly #holder = crypto.randomUUID();
  readonly #outcomes: Outcomes;
  readonly #destinations: Destinations;
  readonly #running = new Set<Promise<void>>();
  #stopListening: () => void = () => {};
  /** Rounds of claiming go one after another. */
  #round: Promise<unknown> = Promise.resolve();
  #after: DestinationKey | null = null;
  #held = 0;
  #tidiedAt = -Infinity;
  #woken = false;
  #pumping: Promise<void> | null = null;
  #stopped = false;

  constructor(context: Context, options: DelivererOptions = {}) {
    this.#context = context;
    this.#options = { atOnce: 2_000, perDestination: 32, timeoutMs: TIMEOUT_MS, random: Math.random, ...options };
    this.#destinations = new Destinations(this.#options.perDestination);
    this.#outcomes = new Outcomes({ db: context.db, holder: this.#holder, log: context.log });
  }

  /** From now on what this process queues is sent as soon as it is committed; otherwise it is found by `begin`. */
  listen(): this {
    this.#stopListening = onCallbacksQueued(this.#context.db, () => this.#wake());
    return this;
  }

  /**
   * Claims what is due and begins to send it, without waiting for the answers.
   * @returns how many were claimed
   */
  begin(): Promise<number> {
    const round = this.#round.then(() => this.#claim());
    this.#round = round.catch(() => {});
    return round;
  }

  /** Delivers all that is due now and waits for the answers. */
  async deliverDue(): Promise<number> {
    let delivered = 0;
    for (;;) {
      const begun = await this.begin();
      await this.idle();
      if (begun === 0 && this.#after === null) return delivered;
      delivered += begun;
    }
  }

  /** Waits until nothing is being sent and everything is written down. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#pumping;
      await this.#round;
      await Promise.all(this.#running);
      await this.#outcomes.idle();
      if (this.#running.size === 0 && this.#pumping === null) return;
    }
  }

  /** Begins nothing more, waits for what is on its way, gives back the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening();
    await this.#round;
    const left = this.#destinations.takeWaiting();
    await this.idle();
    if (left.length > 0) await releaseClaims(this.#context.db, left, this.#holder, timestamp(this.#context.clock.real()));
  }

  /** Goes on in a moment, once for however many ask. */
  #wake(): void {
    this.#woken = true;
    if (this.#stopped || this.#pumping !== null) return;
    this.#pumping = this.#pump().finally(() => (this.#pumping = null));
  }

  async #pump(): Promise<void> {
    while (this.#woken && !this.#stopped) {
      this.#woken = false;
      // A database that is away is told of by the worker's loop, which looks all the same.
      await this.begin().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    }
  }

  async #claim(): Promise<number> {
    if (this.#stopped) return 0;
    const { db } = this.#context;
    const real = this.#context.clock.real();
    const now = timestamp(real);
    await this.#tidy(real);
    const found = await waitingDestinations(db, { now, after: this.#after, limit: DESTINATIONS });
    // Where there are very many, the next round goes on behind these.
    const last = found.at(-1);
    this.#after = found.length === DESTINATIONS && last ? { account_id: last.account_id, hash: last.hash } : null;
    const from = this.#destinations.share(
      found.filter(({ due }) => due),
      real,
      this.#options.atOnce - this.#held,
    );
    const claimed = await claimCallbacks(db, { holder: this.#holder, now, until: timestamp(real + CLAIM_MS), from });
    this.#held += claimed.length;
    for (const callback of inOrder(claimed)) this.#destinations.of(callback).waiting.push({ ...callback, claimedAt: real });
    for (const { room, ...key } of from) {
      const destination = this.#destinations.of(key);
      destination.more = destination.waiting.length >= room;
      this.#fill(destination);
    }
    return claimed.length;
  }

  #fill(destination: Destination): void {
    const now = this.#context.clock.real();
    while (!this.#stopped && destination.running < destination.breaker.width(now)) {
      const callback = takeNext(destination);
      if (!callback) break;
      destination.running += 1;
      destination.telling.add(callback.resource_id);
      const work = this.#deliver(destination, callback)
        .catch((error: unknown) => this.#context.log.error({ err: error, callback_id: callback.id }, 'a callback could not be sent'))
        .finally(() => {
          destination.running -= 1;
          destination.telling.delete(callback.resource_id);
          this.#held -= 1;
          this.#running.delete(work);
          this.#fill(destination);
        });
      this.#running.add(work);
    }
    const { waiting, breaker } = destination;
    if (breaker.isOpen && waiting.length > 0) this.#giveBack(waiting.splice(0));
    if (wantsMore(destination, now)) this.#wake();
  }

  /** What was claimed for a receiver that turned out to be dead waits in the database: it was no attempt. */
  #giveBack(callbacks: readonly ClaimedCallback[]): void {
    this.#held -= callbacks.length;
    const { db, clock, log } = this.#context;
    const work = releaseClaims(db, callbacks, this.#holder, timestamp(clock.real()))
      .catch((error: unknown) => log.error({ err: error }, 'callbacks could not be given back'))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #deliver(destination: Destination, callback: Waiting): Promise<void> {
    const { db, clock, outbound } = this.#context;
    const until = timestamp(clock.real() + CLAIM_MS);
    // It may have waited behind a slow destination for so long that another process took it.
    if (clock.real() - callback.claimedAt > PROLONG_AFTER_MS && !(await prolongClaim(db, callback, this.#holder, until))) return;
    const token = await callbackToken(this.#context, db, callback.account_id);
    const at = clock.real();
    const result = await sendCallback({ ...callback, token }, { outbound, now: at, timeoutMs: this.#options.timeoutMs });
    this.#learn(destination, callback.url, result);
    this.#outcomes.add(this.#attempt(callback, result, at));
  }

  /** A receiver that answers is alive: only silence and its wish for less count against it. */
  #learn({ breaker, account_id }: Destination, url: string, { status }: DeliveryResult): void {
    const { log, clock } = this.#context;
    const origin = URL.canParse(url) ? new URL(url).origin : null;
    if (status === null || status === 429) {
      if (breaker.failed(clock.real())) log.warn({ account_id, origin }, 'a callback receiver fails and is left alone for a while');
    } else if (status >= 500 ? breaker.struggled() : breaker.succeeded())
      log.info({ account_id, origin }, 'a callback receiver works again');
  }

  #attempt({ account_id, id, url, attempts, created_at_real }: ClaimedCallback, result: DeliveryResult, at: number) {
    const { outcome, retryAfterMs } = result;
    const now = this.#context.clock.real();
    const queuedAt = milliseconds(created_at_real);
    const next = outcome === 'refused' ? nextAttempt({ attempts, queuedAt, now, retryAfterMs, random: this.#options.random() }) : null;
    const state = outcome === 'delivered' ? ('delivered' as const) : next === null ? ('failed' as const) : ('pending' as const);
    return {
      account_id,
      id,
      attempt: attempts,
      url,
      request_headers: result.requestHeaders,
      at: timestamp(at),
      duration_ms: result.durationMs,
      status_code: result.status,
      answer_headers: result.answerHeaders,
      answer: result.answer,
      error: result.error,
      state,
      next_at: next === null ? null : timestamp(Math.round(next)),
      finished_at: state === 'pending' ? null : timestamp(now),
    };
  }

  async #tidy(now: number): Promise<void> {
    if (now - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = now;
    this.#destinations.tidy();
    const queuedBefore = timestamp(now - LIMIT_MS - GRACE_MS);
    const from = this.#destinations.failing();
    await abandonCallbacks(this.#context.db, { from, queuedBefore, now: timestamp(now), limit: ABANDON_LIMIT });
  }
}
